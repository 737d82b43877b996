//! Entries as they are in the clients' configurations.

use std::collections::HashSet;

use serde_json::Value;

use super::arguments::{self, ServerArguments};
use super::client::McpClient;
use super::edit::UnusableConfig;
use super::file::ClientConfigFile;
use super::grammar::ServerGrammar;
use super::{ENTRY_NAME, edit};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::settings::Convention;

/// An entry of this program in a client's configuration.
pub(in crate::cli) struct ClientEntry {
    /// Its name.
    pub(in crate::cli) name: String,
    /// What it starts.
    pub(in crate::cli) command: String,
    /// The options with which it starts this program, or why this program refuses its arguments. Nothing is
    /// known of those of another program.
    pub(in crate::cli) options: Result<CommandLineOptions, String>,
}

/// The entries of this program: those under its usual name, and those that start it under another.
///
/// # Errors
///
/// If the client's configuration is there and cannot be read.
pub(in crate::cli) fn entries(
    client: McpClient,
    grammar: &ServerGrammar,
    environment: &Environment,
) -> Result<Vec<ClientEntry>, Failure> {
    // Without a home folder there is no client.
    let Ok(place) = client.file(Convention::native(), environment) else {
        return Ok(Vec::new());
    };
    let file = ClientConfigFile::find(client, place)?;
    let Some(text) = file.read()? else {
        return Ok(Vec::new());
    };
    let servers = edit::servers(client, &text).map_err(|reason| file.unfit(&reason))?;
    let mut seen = HashSet::new();
    let twice = servers.iter().find(|(name, _)| !seen.insert(name));
    if let Some((name, _)) = twice {
        let key = name.clone();
        return Err(file.unfit(&UnusableConfig::Twice { key }));
    }
    let entries = servers.into_iter().filter_map(|(name, keys)| {
        let command = keys.get("command")?.as_str()?.to_owned();
        let is_ours = name == ENTRY_NAME || arguments::is_program(&command);
        is_ours.then(|| {
            let words = words_of(keys.get("args"));
            let arguments = ServerArguments::of_entry(&command, &words, grammar);
            ClientEntry {
                name,
                command,
                options: options(&arguments, grammar),
            }
        })
    });
    Ok(entries.collect())
}

fn options(
    arguments: &ServerArguments,
    grammar: &ServerGrammar,
) -> Result<CommandLineOptions, String> {
    if arguments.is_foreign() {
        return Ok(CommandLineOptions::default());
    }
    let unknown = arguments.left_out();
    if unknown.is_empty() {
        return arguments.options(grammar);
    }
    Err(format!(
        "this program does not know {} in its arguments",
        unknown.join(", ")
    ))
}

/// The words of a list of texts.
pub(super) fn words_of(list: Option<&Value>) -> Vec<String> {
    let words = list.and_then(Value::as_array).into_iter().flatten();
    words.filter_map(Value::as_str).map(str::to_owned).collect()
}
