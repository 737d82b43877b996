//! Whether the MCP clients that have an entry of this program can start it.

use std::path::Path;

use super::DoctorCheck;
use crate::cli::install::{ClientEntry, ServerGrammar, client::McpClient, entries, name_option};
use crate::environment::Environment;
use crate::frontend::escape;

const NAME: &str = "client";

/// One check for each entry, and for each client's configuration that cannot be read.
pub(super) fn checks(grammar: &ServerGrammar, environment: &Environment) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    for client in McpClient::all() {
        let title = client.title();
        match entries(*client, grammar, environment) {
            Ok(entries) => checks.extend(entries.iter().map(|entry| {
                let name = escape::line(&entry.name);
                match wrong_with(entry) {
                    None => DoctorCheck::ok(
                        NAME,
                        format!("{title} starts {} (`{name}`)", escape::line(&entry.command)),
                    ),
                    Some(wrong) => DoctorCheck::warning(
                        NAME,
                        format!("the entry `{name}` of {title} cannot start: {wrong}"),
                        &format!(
                            "`vault-gw install {}{}` writes it anew.",
                            client.word(),
                            name_option(&entry.name)
                        ),
                    ),
                }
            })),
            Err(failure) => checks.push(DoctorCheck::warning(
                NAME,
                format!("the configuration of {title} cannot be read"),
                &failure.message,
            )),
        }
    }
    checks
}

/// Why a client cannot start what its entry says. A name without a folder is looked up by the client, in a
/// `PATH` of its own, so nothing is known of it here.
fn wrong_with(entry: &ClientEntry) -> Option<String> {
    let program = Path::new(&entry.command);
    if program.is_absolute() && !is_program(program) {
        return Some(format!(
            "there is no program {}",
            escape::line(&entry.command)
        ));
    }
    let settings = entry.settings.as_deref();
    if let Some(settings) = settings.filter(|settings| !Path::new(settings).is_file()) {
        return Some(format!(
            "there is no settings file {}",
            escape::line(settings)
        ));
    }
    entry.refusal.as_deref().map(escape::line)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
