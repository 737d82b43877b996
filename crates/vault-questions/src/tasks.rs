//! `tasks`.

use jiff::civil::Date;
use obsidian_note::{TaskRecord, VaultPath};
use vault_answers::{TaskFields, TaskItem};
use vault_files::{Args, Call, Collation, EngineError, Surroundings, Vault};
use vault_index::{IndexedVault, OneNote, Target, Tasks};

use super::own::named_day;
use super::reply::{Found, Reply, first, total};

/// A task, and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteTask {
    /// The note or canvas.
    pub path: VaultPath,
    /// The task; its line counts from 1.
    pub task: TaskRecord,
}

/// Tasks of the vault, of one file or of today's note, by file and then by line
/// (`vault-semantics.md` §3.4).
pub(super) fn tasks(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments, surroundings) = (call.vault, call.arguments, call.surroundings);
    let filter = TaskFilter::from_arguments(arguments, surroundings)?;
    let one = match Target::if_given(vault, arguments)? {
        Some(target) => Some(OneNote::read(vault, target)?),
        None if arguments.flag("daily") => Some(OneNote::daily(vault, surroundings)?),
        None => None,
    };
    if let Some(note) = one {
        let tasks = note.record.tasks.iter();
        let items = tasks
            .filter(|task| filter.lets_through(task))
            .map(|task| item(&note.path, task.clone()))
            .collect();
        let answer = first(items, arguments);
        return Ok(Reply::new(answer, note.warnings));
    }
    if arguments.flag("total") {
        let indexed = IndexedVault(vault).column::<Tasks>()?;
        let tasks = indexed.column.iter().flat_map(|(_, tasks)| tasks.iter());
        let count = tasks.filter(|task| filter.lets_through(task)).count();
        return Ok(Reply::new(total(count), indexed.warnings));
    }
    let found = tasks_of_vault(vault, |task| filter.lets_through(task))?;
    let items = |tasks: Vec<NoteTask>| {
        let items = tasks.into_iter().map(|task| item(&task.path, task.task));
        items.collect()
    };
    Ok(found.reply(|tasks| first(items(tasks), arguments)))
}

/// Returns the wanted tasks of the vault, by file in the app's order and then by line (`vault-semantics.md` §3.4).
///
/// # Errors
///
/// The error that keeps the vault from being read.
pub fn tasks_of_vault(
    vault: &Vault,
    is_wanted: impl Fn(&TaskRecord) -> bool,
) -> Result<Found<Vec<NoteTask>>, EngineError> {
    let indexed = IndexedVault(vault).column::<Tasks>()?;
    let mut notes: Vec<(&VaultPath, &Vec<TaskRecord>)> = indexed
        .column
        .iter()
        .filter_map(|(id, tasks)| Some((indexed.files.get(id)?, tasks)))
        .collect();
    Collation::new()?.sort_by(&mut notes, |(path, _)| path.as_str());
    let tasks = notes
        .iter()
        .flat_map(|(path, tasks)| tasks.iter().map(move |task| (*path, task)))
        .filter(|(_, task)| is_wanted(task))
        .map(|(path, task)| NoteTask {
            path: path.clone(),
            task: task.clone(),
        });
    Ok(Found::new(tasks.collect(), indexed.warnings))
}

fn item(path: &VaultPath, task: TaskRecord) -> TaskItem {
    let item = TaskItem::new(task.status.to_string(), task.text);
    item.with_place(Some(path.to_string()), usize::try_from(task.line).ok())
}

/// The filters of the call: every given one must let a task through.
struct TaskFilter<'arguments> {
    todo: bool,
    done: bool,
    status: Option<&'arguments str>,
    due: DueFilter,
}

/// The requested due dates. A task without a due date never matches.
struct DueFilter {
    /// The due date must be before this day.
    before: Option<Date>,
    /// The due date must be after this day.
    after: Option<Date>,
    /// The due date must be before this day, and the task open.
    overdue_on: Option<Date>,
}

impl DueFilter {
    fn from_arguments(arguments: &Args, surroundings: &Surroundings) -> Result<Self, EngineError> {
        let today = surroundings.now.date();
        Ok(Self {
            before: day(arguments, "due-before", today)?,
            after: day(arguments, "due-after", today)?,
            overdue_on: arguments.flag("overdue").then_some(today),
        })
    }

    fn lets_through(&self, task: &TaskRecord) -> bool {
        if self.before.or(self.after).or(self.overdue_on).is_none() {
            return true;
        }
        let due = TaskFields::parse(&task.text).due;
        let Some(due) = due.and_then(|due| due.parse::<Date>().ok()) else {
            return false;
        };
        // Done and cancelled, by the default statuses of the Tasks plugin.
        let is_over = matches!(task.status, 'x' | 'X' | '-');
        self.before.is_none_or(|before| due < before)
            && self.after.is_none_or(|after| due > after)
            && self.overdue_on.is_none_or(|today| due < today && !is_over)
    }
}

/// Returns a day: `2026-03-14`, or `today`, `tomorrow`, `yesterday`.
fn day(arguments: &Args, name: &str, today: Date) -> Result<Option<Date>, EngineError> {
    let Some(text) = arguments.text(name) else {
        return Ok(None);
    };
    named_day(text, today).map(Some).ok_or_else(|| {
        EngineError::argument(
            name,
            "a day such as 2026-03-14, or `today`, `tomorrow`, `yesterday`",
        )
    })
}

impl<'arguments> TaskFilter<'arguments> {
    fn from_arguments(
        arguments: &'arguments Args,
        surroundings: &Surroundings,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            todo: arguments.flag("todo"),
            done: arguments.flag("done"),
            status: arguments.text("status"),
            due: DueFilter::from_arguments(arguments, surroundings)?,
        })
    }

    /// A task is open if a space is between its brackets, and done with any other character.
    fn lets_through(&self, task: &TaskRecord) -> bool {
        let open = task.status == ' ';
        let mut status = [0; 4];
        (!self.todo || open)
            && (!self.done || !open)
            && self
                .status
                .is_none_or(|wanted| wanted == task.status.encode_utf8(&mut status))
            && self.due.lets_through(task)
    }
}
