//! The task that a command names, and its line.

use obsidian_note::note_parts::nearest;
use obsidian_note::{EditCandidate, EditMiss, TaskRecord, VaultPath, Warning};
use vault_files::{Args, EngineError, Refusal, Surroundings, Vault};

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
    /// Returns the place from `ref=` or else from `line` or `text` with `daily`, `path` or
    /// `file`.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; an [`EditMiss`] if `text` is in no task of the note or
    /// in several; otherwise the error that keeps the vault from being read.
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
        let is_daily = arguments.flag("daily");
        let target = || {
            if is_daily {
                Target::daily(vault, surroundings)
            } else {
                Target::from_arguments(vault, arguments)
            }
        };
        if let Some(text) = arguments.text("text") {
            let note = read(vault, target()?, is_daily)?;
            let line =
                line_with(&note, text).map_err(|miss| EngineError::EditMiss(Box::new(miss)))?;
            return Ok(Self {
                line,
                is_daily,
                target: target()?,
            });
        }
        let line = arguments.number("line").ok_or_else(missing_line)?;
        let target = target()?;
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
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn text(self, vault: &Vault) -> Result<(String, Vec<Warning>), EngineError> {
        let OneNote {
            path,
            record,
            warnings,
        } = read(vault, self.target, self.is_daily)?;
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

/// Reads the note of a task; a missing one is reported as that of the day if it is.
fn read(vault: &Vault, target: Target, is_daily: bool) -> Result<OneNote, EngineError> {
    if is_daily {
        OneNote::read_daily(vault, target)
    } else {
        OneNote::read(vault, target)
    }
}

/// Returns the line of the only task with this text: a task whose text is exactly this, or else one that contains it.
fn line_with(note: &OneNote, text: &str) -> Result<u32, EditMiss> {
    let tasks = &note.record.tasks;
    let wanted = text.trim();
    let is_exactly = |task: &&TaskRecord| {
        let line = task.text.trim();
        let behind_box = line.split_once("] ").map_or("", |(_, text)| text.trim());
        line == wanted || behind_box == wanted
    };
    let mut found: Vec<&TaskRecord> = tasks.iter().filter(is_exactly).collect();
    if found.is_empty() {
        found = tasks
            .iter()
            .filter(|task| task.text.contains(wanted))
            .collect();
    }
    let candidate = |task: &TaskRecord| EditCandidate::new(task.line as usize - 1, &task.text);
    let miss = match found.as_slice() {
        [task] => return Ok(task.line),
        [] => {
            let lines = tasks
                .iter()
                .map(|task| (task.line as usize - 1, task.text.as_str()));
            let near = nearest(wanted, lines);
            let is_none = near.is_empty();
            let miss = EditMiss::not_found(
                "no task of the note has the text that `text` contains",
                near,
            );
            if is_none {
                miss.advising("List the tasks of the note to find the one that you mean.")
            } else {
                miss
            }
        }
        several => {
            let shown = several
                .iter()
                .take(EditCandidate::MOST)
                .map(|task| candidate(task));
            EditMiss::ambiguous(
                format!(
                    "{} tasks of the note have the text that `text` contains",
                    several.len()
                ),
                shown.collect(),
            )
            .with_total(several.len())
            .advising("Pass the `line` of one of `candidates` instead of `text`.")
        }
    };
    Err(EditMiss {
        path: Some(note.path.clone()),
        ..miss
    })
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
    EngineError::Refused(Refusal::MissingParameter {
        name: "line=<n>".to_owned(),
        usage: "task [ref=<path:line>] [file=<name>] [path=<path>] [line=<n>]".to_owned(),
    })
}
