//! `task`, as far as it shows.

use cli_output::{Answer, AppError, Arguments, RawText};

use super::Reply;
use super::one_note::OneNote;
use super::target::{Target, given};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// One task: its line as written. Nobody has recorded what the app prints.
pub(super) fn task(
    vault: &Vault,
    arguments: &Arguments,
    surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let changes = ["toggle", "done", "todo"]
        .iter()
        .any(|flag| arguments.flag(flag));
    if changes || given(arguments, "status").is_some() {
        return Err(EngineError::NotServed {
            command: "task".to_owned(),
        });
    }
    let (note, line) = if let Some((path, line)) = reference(arguments)? {
        let target = Target {
            path: VaultPath::file(path).map_err(|reason| EngineError::path(path, reason))?,
            asked: path.to_owned(),
            warnings: Vec::new(),
        };
        (OneNote::read(vault, target)?, line)
    } else {
        let line = given(arguments, "line")
            .and_then(|line| line.parse().ok())
            .ok_or_else(missing_line)?;
        let note = if arguments.flag("daily") {
            OneNote::daily(vault, surroundings)?
        } else {
            OneNote::read(vault, Target::of(vault, arguments)?)?
        };
        (note, line)
    };
    let OneNote {
        path,
        record,
        warnings,
    } = note;
    match record.tasks.into_iter().find(|task| task.line == line) {
        Some(task) => Ok(Reply::new(
            Answer::Raw(RawText { text: task.text }),
            warnings,
        )),
        None => Err(EngineError::TaskMissing { path, line }),
    }
}

/// `ref=path:line`, split at the last colon.
fn reference(arguments: &Arguments) -> Result<Option<(&str, u32)>, EngineError> {
    given(arguments, "ref")
        .map(|text| {
            let (path, line) = text.rsplit_once(':').ok_or_else(missing_line)?;
            Ok((path, line.parse().map_err(|_| missing_line())?))
        })
        .transpose()
}

fn missing_line() -> EngineError {
    EngineError::App(AppError::MissingParameter {
        name: "line=<n>".to_owned(),
        usage: Some("task [ref=<path:line>] [file=<name>] [path=<path>] [line=<n>]".to_owned()),
    })
}
