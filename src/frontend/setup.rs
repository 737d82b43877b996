//! From command-line options to settings and a gateway.

use super::options::CommandLineOptions;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::gateway::profile::Profile;
use crate::gateway::{self, Caller, Gateway};
use crate::settings::{Folders, Settings};

/// A gateway under the user's settings and these options.
///
/// # Errors
///
/// If the settings cannot be used, or an option is out of its range.
pub(crate) fn gateway(
    options: &CommandLineOptions,
    environment: &Environment,
    caller: Caller,
) -> Result<Gateway, Failure> {
    let settings = settings(options, environment)?;
    Gateway::new(
        settings,
        gateway_options(options, environment, caller),
        environment.clone(),
    )
}

/// The settings in force: the file that was named, else the user's own, else the defaults.
///
/// # Errors
///
/// If the named file is missing, or a settings file is unsafe or not valid.
pub(crate) fn settings(
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<Settings, Failure> {
    match &options.settings {
        Some(path) => Settings::load(&environment.absolute(path)),
        None => match Folders::new(environment).settings_file() {
            Ok(path) => Settings::load_or_default(&path),
            // No home at all: the defaults still let a person read.
            Err(_) => Ok(Settings::default()),
        },
    }
}

/// The gateway's options as the command line gives them.
pub(crate) fn gateway_options(
    options: &CommandLineOptions,
    environment: &Environment,
    caller: Caller,
) -> gateway::Options {
    gateway::Options {
        vault: options
            .vault
            .as_ref()
            .map(|vault| vault_choice(vault, environment)),
        backend: options.backend,
        tier: options.tier,
        timeout_ms: options.timeout_ms,
        agent: options.agent.clone(),
        approved: options.yes,
        timestamp: options.include_timestamp || options.profile.is_some_and(Profile::needs_time),
        ..gateway::Options::new(caller)
    }
}

/// A folder typed at a prompt is relative to where the person stands; a bare word is a vault's
/// name.
pub(crate) fn vault_choice(choice: &str, environment: &Environment) -> String {
    let path = std::path::Path::new(choice);
    let looks_like_path =
        path.is_absolute() || choice.starts_with('.') || choice.contains(std::path::is_separator);
    if looks_like_path {
        environment.absolute(path).to_string_lossy().into_owned()
    } else {
        choice.to_owned()
    }
}
