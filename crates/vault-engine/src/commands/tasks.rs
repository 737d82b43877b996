//! `tasks`.

use cli_output::{Answer, Arguments, TaskItem};

use super::one_note::{OneNote, asked_for};
use super::reply::{Reply, listed, total};
use super::target::given;
use crate::collation::Collation;
use crate::error::EngineError;
use crate::index::{TaskRecord, Tasks};
use crate::path::VaultPath;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// Tasks of the vault, of one file or of today's note, by file and then by line
/// (`vault-semantics.md` §3.4).
pub(super) fn tasks(
    vault: &Vault,
    arguments: &Arguments,
    surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let filter = Filter::of(arguments);
    let one = match asked_for(vault, arguments)? {
        Some(target) => Some(OneNote::read(vault, target)?),
        None if arguments.flag("daily") => Some(OneNote::daily(vault, surroundings)?),
        None => None,
    };
    if let Some(note) = one {
        let tasks = note.record.tasks.iter();
        let items = tasks
            .filter(|task| filter.lets_through(task))
            .map(|task| item(&note.path, task))
            .collect();
        let answer = listed(items, arguments, Answer::Tasks);
        return Ok(Reply::new(answer, note.warnings));
    }
    let indexed = vault.column::<Tasks>()?;
    let mut notes: Vec<(&VaultPath, &Vec<TaskRecord>)> = indexed
        .column
        .iter()
        .filter_map(|(id, tasks)| Some((indexed.files.get(id)?, tasks)))
        .collect();
    let answer = if arguments.flag("total") {
        let tasks = notes.iter().flat_map(|(_, tasks)| tasks.iter());
        total(tasks.filter(|task| filter.lets_through(task)).count())
    } else {
        Collation::new()?.sort_by(&mut notes, |(path, _)| path.as_str());
        let items = notes
            .iter()
            .flat_map(|(path, tasks)| tasks.iter().map(move |task| (*path, task)))
            .filter(|(_, task)| filter.lets_through(task))
            .map(|(path, task)| item(path, task))
            .collect();
        listed(items, arguments, Answer::Tasks)
    };
    Ok(Reply::new(answer, indexed.warnings))
}

fn item(path: &VaultPath, task: &TaskRecord) -> TaskItem {
    TaskItem {
        status: task.status.to_string(),
        text: task.text.clone(),
        path: Some(path.to_string()),
        line: usize::try_from(task.line).ok(),
    }
}

/// Which tasks are asked for: each filter that is given must let a task through.
struct Filter<'arguments> {
    todo: bool,
    done: bool,
    status: Option<&'arguments str>,
}

impl<'arguments> Filter<'arguments> {
    fn of(arguments: &'arguments Arguments) -> Self {
        Self {
            todo: arguments.flag("todo"),
            done: arguments.flag("done"),
            status: given(arguments, "status"),
        }
    }

    /// A task is open where a space stands between its brackets, and done with anything else.
    fn lets_through(&self, task: &TaskRecord) -> bool {
        let open = task.status == ' ';
        let mut status = [0; 4];
        (!self.todo || open)
            && (!self.done || !open)
            && self
                .status
                .is_none_or(|wanted| wanted == task.status.encode_utf8(&mut status))
    }
}
