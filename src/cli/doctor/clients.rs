//! Checks whether MCP clients with an entry of this program can start it.

use std::path::Path;

use super::check::DoctorCheck;
use clients::{ClientEntry, McpClient, ServerGrammar, entries, name_option};
use frontend::{escape, setup};
use protocol::Caller;
use sandbox::Environment;

const NAME: &str = "client";

/// One check for each entry, and for each client configuration that cannot be read.
pub(super) fn checks(grammar: &ServerGrammar, environment: &Environment) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    for client in McpClient::all() {
        let title = client.title();
        match entries(*client, grammar, environment) {
            Ok(entries) => {
                checks.extend(
                    entries
                        .iter()
                        .map(|entry| check(*client, entry, environment)),
                );
            }
            Err(failure) => checks.push(DoctorCheck::warning(
                NAME,
                format!("the configuration of {title} cannot be read"),
                &failure.for_person(),
            )),
        }
    }
    checks
}

fn check(client: McpClient, entry: &ClientEntry, environment: &Environment) -> DoctorCheck {
    let (title, name) = (client.title(), escape::line(&entry.name));
    let Some((wrong, option)) = wrong_with(entry, environment) else {
        let command = escape::line(&entry.command);
        return DoctorCheck::ok(NAME, format!("{title} starts {command} (`{name}`)"));
    };
    let install = format!(
        "`vault-gw install {}{}{option}` writes the entry again.",
        client.word(),
        name_option(&entry.name)
    );
    DoctorCheck::warning(
        NAME,
        format!("the entry `{name}` of {title} {wrong}"),
        &install,
    )
}

/// Returns why the program of an entry cannot answer the client, as the rest of a sentence that
/// begins with the entry; and the option of `install` that repairs it.
fn wrong_with(entry: &ClientEntry, environment: &Environment) -> Option<(String, &'static str)> {
    if let Some(wrong) = wrong_program(&entry.command, environment) {
        return Some((wrong, ""));
    }
    let cannot = |reason: &str| format!("cannot start: {}", escape::line(reason));
    let options = match &entry.options {
        Ok(options) => options,
        Err(refusal) => return Some((cannot(refusal), "")),
    };
    if let Some(settings) = options.settings.as_deref().filter(|path| !path.is_file()) {
        let missing = format!("the settings file {} does not exist", settings.display());
        return Some((cannot(&missing), ""));
    }
    let gateway = match setup::gateway(options, environment, Caller::Person) {
        Ok(gateway) => gateway,
        Err(failure) => return Some((cannot(&failure.for_person()), "")),
    };
    // The vault of the settings has its own check.
    let opened = options.vault.as_ref().map(|_| gateway.vaults().open());
    let failure = opened?.err()?;
    let wrong = format!(
        "names a vault that cannot be opened: {}",
        failure.for_person()
    );
    Some((wrong, " --vault FOLDER"))
}

/// Returns why a client cannot start a program. The client looks up a name without a folder in its
/// own `PATH`, which is often the same as here.
fn wrong_program(command: &str, environment: &Environment) -> Option<String> {
    let program = Path::new(command);
    let shown = escape::line(command);
    if program.is_absolute() {
        return (!is_program(program))
            .then(|| format!("cannot start, because the program {shown} does not exist"));
    }
    if program.parent() != Some(Path::new("")) {
        return Some(format!(
            "may not start: {shown} is not the full path of a program, and clients start in another folder"
        ));
    }
    let is_found = environment.search_path().iter().any(|folder| {
        let mut names = ENDINGS.iter().map(|ending| format!("{command}{ending}"));
        names.any(|name| is_program(&folder.join(name)))
    });
    (!is_found).then(|| format!("may not start: no folder of `PATH` has a program {shown}"))
}

/// Endings of file names that may be left out in a call.
const ENDINGS: &[&str] = if cfg!(windows) {
    &["", ".exe", ".cmd", ".bat", ".com"]
} else {
    &[""]
};

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
