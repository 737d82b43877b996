//! Builds settings and gateway from command-line options.

use super::options::CommandLineOptions;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::gateway::profile::Profile;
use crate::gateway::{self, Caller, Gateway};
use crate::settings::{Folders, Settings};

/// Opens a gateway with the user's settings and these options.
///
/// # Errors
///
/// If the settings are unusable, or an option is out of range.
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

/// Loads the settings: the file named, else the user's own, else the defaults.
///
/// # Errors
///
/// If the named file is missing, or a settings file is unsafe or invalid.
pub(crate) fn settings(
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<Settings, Failure> {
    match &options.settings {
        Some(path) => Settings::load(&environment.absolute(path)),
        None => match Folders::new(environment).settings_file() {
            Ok(path) => Settings::load_or_default(&path),
            // Without a home folder the defaults apply, which allow reading.
            Err(_) => Ok(Settings::default()),
        },
    }
}

/// Converts command-line options to the gateway's.
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
        sandbox: options.sandbox,
        timeout_ms: options.timeout_ms,
        agent: options.agent.clone(),
        approved: options.yes,
        timestamp: options.include_timestamp || options.profile.is_some_and(Profile::needs_time),
        ..gateway::Options::new(caller)
    }
}

/// Resolves a relative folder against the working directory; a bare word is the name of a vault.
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
