//! The task that a command names, and its line.

use cli_output::AppError;
use obsidian_note::{EditCandidate, VaultPath, Warning};
use vault_files::{Args, EngineError, Surroundings, Vault};

use crate::one_note::OneNote;
use crate::target::Target;

/// The place of a task.
pub struct TaskLine {
    /// The note, which need not exist.
    pub target: Target,
    /// The line of the task, from 1.
    pub line: u32,
    /// Whether the note is given as today's.
    pub is_daily: bool,
}

impl TaskLine {
    /// Returns the place from `ref=` or else from `line` with `daily`, `path` or
    /// `file`.
    ///
    /// # Errors
    ///
    /// The app's error if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn from_arguments(
        vault: &Vault,
        arguments: &Args,
        surroundings: &Surroundings,
    ) -> Result<Self, EngineError> {
        if let Some((path, line)) = arguments.line("ref") {
            return Ok(Self {
                target: Target::exact(path.clone()),
                line,
                is_daily: false,
            });
        }
        let line = arguments.number("line").ok_or_else(missing_line)?;
        let is_daily = arguments.flag("daily");
        let target = if is_daily {
            Target::daily(vault, surroundings)?
        } else {
            Target::from_arguments(vault, arguments)?
        };
        Ok(Self {
            target,
            line,
            is_daily,
        })
    }

    /// Returns the line as written; an error if it has no task.
    ///
    /// # Errors
    ///
    /// The app's error if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn text(self, vault: &Vault) -> Result<(String, Vec<Warning>), EngineError> {
        let OneNote {
            path,
            record,
            warnings,
        } = if self.is_daily {
            OneNote::read_daily(vault, self.target)?
        } else {
            OneNote::read(vault, self.target)?
        };
        let line = self.line;
        if let Some(task) = record.tasks.iter().find(|task| task.line == line) {
            return Ok((task.text.clone(), warnings));
        }
        let tasks = record
            .tasks
            .iter()
            .map(|task| (task.line, task.text.as_str()));
        Err(no_task(path, line, tasks))
    }
}

/// The error for a line without a task, with the tasks of the note, which are lines and their texts.
pub fn no_task<'text>(
    path: VaultPath,
    line: u32,
    tasks: impl Iterator<Item = (u32, &'text str)>,
) -> EngineError {
    let mut tasks: Vec<(u32, &str)> = tasks.collect();
    tasks.sort_by_key(|(at, _)| at.abs_diff(line));
    let tasks = tasks.into_iter().take(EditCandidate::MOST);
    let tasks = tasks.map(|(at, text)| EditCandidate::new(at as usize - 1, text));
    EngineError::TaskMissing {
        path,
        line,
        tasks: tasks.collect(),
    }
}

fn missing_line() -> EngineError {
    EngineError::App(AppError::MissingParameter {
        name: "line=<n>".to_owned(),
        usage: Some("task [ref=<path:line>] [file=<name>] [path=<path>] [line=<n>]".to_owned()),
    })
}
