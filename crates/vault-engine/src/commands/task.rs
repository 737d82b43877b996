//! `task`, as far as it shows.

use cli_output::{Answer, AppError, Arguments, RawText};

use super::one_note::{OneNote, daily_target};
use super::reply::Reply;
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
    let Place {
        target,
        line,
        is_daily,
    } = Place::of(vault, arguments, surroundings)?;
    let OneNote {
        path,
        record,
        warnings,
    } = if is_daily {
        OneNote::read_daily(vault, target)?
    } else {
        OneNote::read(vault, target)?
    };
    match record.tasks.into_iter().find(|task| task.line == line) {
        Some(task) => Ok(Reply::new(
            Answer::Raw(RawText { text: task.text }),
            warnings,
        )),
        None => Err(EngineError::TaskMissing { path, line }),
    }
}

/// Which task is meant.
pub(crate) struct Place {
    /// The note, which need not exist.
    pub(crate) target: Target,
    /// From 1.
    pub(crate) line: u32,
    /// Whether the note is meant as today's.
    pub(crate) is_daily: bool,
}

impl Place {
    /// From `ref=path:line`, split at the last colon, or else `line` with `daily`, `path` or
    /// `file`.
    pub(crate) fn of(
        vault: &Vault,
        arguments: &Arguments,
        surroundings: &Surroundings,
    ) -> Result<Self, EngineError> {
        if let Some(reference) = given(arguments, "ref") {
            let (path, line) = reference.rsplit_once(':').ok_or_else(missing_line)?;
            let line = line.parse().map_err(|_| missing_line())?;
            let target = Target {
                path: VaultPath::file(path).map_err(|reason| EngineError::path(path, reason))?,
                asked: path.to_owned(),
                warnings: Vec::new(),
            };
            return Ok(Self {
                target,
                line,
                is_daily: false,
            });
        }
        let line = given(arguments, "line")
            .and_then(|line| line.parse().ok())
            .ok_or_else(missing_line)?;
        let is_daily = arguments.flag("daily");
        let target = if is_daily {
            daily_target(vault, surroundings)?
        } else {
            Target::of(vault, arguments)?
        };
        Ok(Self {
            target,
            line,
            is_daily,
        })
    }
}

fn missing_line() -> EngineError {
    EngineError::App(AppError::MissingParameter {
        name: "line=<n>".to_owned(),
        usage: Some("task [ref=<path:line>] [file=<name>] [path=<path>] [line=<n>]".to_owned()),
    })
}
