//! The person's text editor.

use std::path::Path;
use std::process::Command;

use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;

/// Opens a file in `VISUAL`, else `EDITOR`, else `vi`, and waits until the person has left it.
///
/// # Errors
///
/// If the editor cannot be started, or says that it failed.
pub(super) fn open(file: &Path, environment: &Environment) -> Result<(), Failure> {
    let chosen = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| environment.variable(name)?.to_str());
    let chosen = chosen.unwrap_or(USUAL);
    let failed = |why: String| {
        Failure::new(
            Code::IoError,
            format!("The editor `{chosen}` {why}. `EDITOR` names another one."),
        )
        .with("reason", "editor")
    };
    // Words only: no shell reads them.
    let mut words = shell_words::split(chosen)
        .map_err(|error| failed(format!("cannot be read: {error}")))?
        .into_iter();
    let program = words.next().ok_or_else(|| failed("is empty".to_owned()))?;
    let status = start(&program, words.collect(), file)
        .map_err(|error| failed(format!("cannot be started: {}", error.kind())))?;
    if status.success() {
        Ok(())
    } else {
        Err(failed(format!("failed ({status})")))
    }
}

/// The editor where the environment names none.
const USUAL: &str = if cfg!(windows) { "notepad" } else { "vi" };

#[expect(
    clippy::disallowed_methods,
    reason = "the user's own editor, on the user's own terminal; the spawn module is for the official program"
)]
fn start(
    program: &str,
    arguments: Vec<String>,
    file: &Path,
) -> std::io::Result<std::process::ExitStatus> {
    Command::new(program).args(arguments).arg(file).status()
}
