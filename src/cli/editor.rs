//! Opens a text in the person's text editor.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use super::error::Error;
use protocol::{Failure, Shell};
use sandbox::Environment;

/// Opens a file in `VISUAL`, otherwise `EDITOR`, otherwise `vi`, and waits until the person leaves
/// it.
///
/// # Errors
///
/// If the editor cannot be started, or exits with a failure.
pub(super) fn open(file: &Path, environment: &Environment) -> Result<(), Failure> {
    let chosen = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| environment.variable(name)?.to_str());
    let chosen = chosen.unwrap_or(USUAL);
    let editor = || chosen.to_owned();
    // Split into words without a shell.
    let mut words = Shell::native()
        .split(chosen)
        .map_err(|error| Error::EditorInvalid(editor(), error.to_string()))?
        .into_iter();
    let program = words.next().ok_or(Error::NoEditor)?;
    let status = start(&program, words.collect(), file)
        .map_err(|error| Error::EditorNotStarted(editor(), why_not(&error)))?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::EditorFailed(editor(), status).into())
    }
}

/// The advice for an editor that cannot be started.
pub(super) const SET_EDITOR: &str =
    "Set `VISUAL` to the full path of an editor. If `VISUAL` is not set, `EDITOR` is used.";

/// Returns the system's reason in words.
fn why_not(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such program".to_owned(),
        ErrorKind::PermissionDenied => "it may not be executed".to_owned(),
        kind => kind.to_string(),
    }
}

/// The editor that is used if the environment does not name one.
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
