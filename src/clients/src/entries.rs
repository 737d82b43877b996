//! The present entries in the clients' configurations.

use std::collections::HashSet;
use std::path::Path;

use super::arguments::{self, ServerArguments};
use super::client::{McpClient, ServerEntry};
use super::edit::{self, UnusableConfig};
use super::file::ClientConfigFile;
use super::grammar::ServerGrammar;
use frontend::CommandLineOptions;
use protocol::{Failure, Shell};
use sandbox::Environment;
use settings::Convention;

/// The usual name of an entry.
pub const ENTRY_NAME: &str = "vault-gw";

/// An entry of this program in a client's configuration.
pub struct ClientEntry {
    /// The name of the entry.
    pub name: String,
    /// The program that it starts, a path or a name.
    pub command: String,
    /// Whether `install` or `setup` wrote the entry: it starts this program by its full path and names the settings file
    /// and the agent.
    pub is_from_install: bool,
    /// The options with which the entry starts this program, or the reason why this program refuses the arguments. For
    /// the arguments of another program, the options are empty.
    pub options: Result<CommandLineOptions, String>,
}

/// Returns the entries of this program: entries with its usual name, and entries that start it under another name.
///
/// # Errors
///
/// If the client's configuration exists and cannot be read.
pub fn entries(
    client: McpClient,
    grammar: &ServerGrammar,
    environment: &Environment,
) -> Result<Vec<ClientEntry>, Failure> {
    // Without a home folder no client is found.
    let Ok(place) = client.file(Convention::native(), environment) else {
        return Ok(Vec::new());
    };
    entries_in(&ClientConfigFile::find(client, place)?, grammar)
}

/// Returns the entries of this program in a client's file, as [`entries`].
pub(super) fn entries_in(
    file: &ClientConfigFile,
    grammar: &ServerGrammar,
) -> Result<Vec<ClientEntry>, Failure> {
    let Some(text) = file.read()? else {
        return Ok(Vec::new());
    };
    let servers = edit::servers(file.client(), &text).map_err(|reason| file.unfit(&reason))?;
    let mut seen = HashSet::new();
    let twice = servers.iter().find(|(name, _)| !seen.insert(name));
    if let Some((name, _)) = twice {
        let key = name.clone();
        return Err(file.unfit(&UnusableConfig::Twice { key }));
    }
    let entries = servers.into_iter().filter_map(|(name, keys)| {
        let server = ServerEntry::of_keys(&keys)?;
        let is_ours = name == ENTRY_NAME || arguments::is_program(&server.command);
        is_ours.then(|| {
            let arguments = ServerArguments::of_entry(&server, grammar);
            ClientEntry {
                name,
                is_from_install: is_from_install(&server, &arguments),
                command: server.command,
                options: options(&arguments, grammar),
            }
        })
    });
    Ok(entries.collect())
}

/// Whether the entry of a server is one that `install` or `setup` wrote.
pub(super) fn is_from_install(server: &ServerEntry, arguments: &ServerArguments) -> bool {
    let names = ["--settings", "--agent"];
    Path::new(&server.command).is_absolute()
        && arguments::is_program(&server.command)
        && names.iter().all(|name| arguments.value(name).is_some())
}

/// Returns the option of `install` for the entry's name, if it is not the usual one.
pub fn name_option(name: &str) -> String {
    if name == ENTRY_NAME {
        String::new()
    } else {
        format!(" --name {}", Shell::native().quoted(name))
    }
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
