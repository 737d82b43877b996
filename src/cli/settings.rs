//! `vault-gw settings show | path | set KEY VALUE`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Subcommand;
use serde_json::{Map, Value, json};

use super::report;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::setup;
use crate::frontend::terminal::Terminal;
use crate::settings::{Folders, Settings, edit};

/// The subcommands of `settings`.
#[derive(Clone, Debug, Default, Subcommand)]
pub(crate) enum SettingsAction {
    /// Show the settings in force
    #[default]
    Show,
    /// Tell which file is read
    Path,
    /// Change one key and keep the rest of the file as it is
    Set {
        /// The key, `allow_mutations` or `paths.deny`
        key: String,
        /// The value, `true`, `500`, `v1` or `["a/**"]`
        #[arg(allow_negative_numbers = true)]
        value: String,
    },
}

/// Shows or changes the settings.
pub(crate) fn run(
    terminal: Terminal,
    options: &CommandLineOptions,
    action: SettingsAction,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    match act(options, action, environment) {
        Ok((text, data)) => report::verb(terminal, options, "settings", started, &text, data),
        Err(failure) => report::failure(terminal, options, "settings", failure),
    }
}

fn act(
    options: &CommandLineOptions,
    action: SettingsAction,
    environment: &Environment,
) -> Result<(String, Map<String, Value>), Failure> {
    let path = file(options, environment)?;
    let shown = path.display().to_string();
    match action {
        SettingsAction::Path => Ok((format!("{shown}\n"), object(json!({ "path": shown })))),
        SettingsAction::Show => {
            let settings = setup::settings(options, environment)?;
            Ok((
                shown_settings(&settings)?,
                object(json!({ "path": shown, "settings": settings })),
            ))
        }
        SettingsAction::Set { key, value } => {
            let change = edit::set(&path, &key, &value)?;
            let text = if change.written {
                format!("{} = {} in {shown}\n", change.key, change.after)
            } else {
                format!("{} is {} already in {shown}\n", change.key, change.after)
            };
            let data = json!({
                "path": shown,
                "key": change.key,
                "before": change.before,
                "after": change.after,
            });
            Ok((text, object(data)))
        }
    }
}

/// The settings file: the one named, else the user's own.
///
/// # Errors
///
/// If there is no home folder.
fn file(options: &CommandLineOptions, environment: &Environment) -> Result<PathBuf, Failure> {
    match &options.settings {
        Some(path) => Ok(environment.absolute(path)),
        None => Folders::new(environment).settings_file(),
    }
}

fn shown_settings(settings: &Settings) -> Result<String, Failure> {
    toml::to_string(settings).map_err(|error| {
        Failure::new(
            Code::InternalError,
            format!("The settings cannot be shown: {error}."),
        )
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
