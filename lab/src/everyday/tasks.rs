//! The tasks of a project, as `tasks.json` and `jobs.json` have them.

use std::collections::BTreeMap;
use std::path::Path;

use chores::{Fault, ensure, write};
use serde::Deserialize;
use serde_json::Value;

use super::client::Client;

/// Texts by the names of notes.
type Texts = BTreeMap<String, String>;

/// The tasks in their order, of which the last one undoes the one before it, and the notes that they need.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Project {
    /// Today's note.
    daily: String,
    /// The folder of the other notes.
    folder: String,
    notes: Texts,
    /// Notes that differ by a number alone.
    many: Option<ManyNotes>,
    pub(super) tasks: Vec<Task>,
}

/// Notes whose names and texts have a number from 1 on for `{n}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManyNotes {
    name: String,
    text: String,
    count: usize,
}

/// The calls with which a task is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Way {
    /// The fewest that the program needs.
    Today,
    /// The fewest that a program of 29 November 2026 needs, which has no `note:merge`, `note:extract` and
    /// `heading:rename`, and no next instance of a recurring task.
    Before,
    /// Several changes as the steps of one `notes:change`.
    Steps,
}

/// One task.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    pub(super) name: String,
    calls: Vec<Call>,
    /// The calls of [`Way::Before`], if they are others.
    before: Option<Vec<Call>>,
    /// The calls of [`Way::Steps`], if they are others.
    steps: Option<Vec<Call>>,
    /// Texts that the notes on disk then contain.
    #[serde(default)]
    holds: Texts,
    /// Texts that they do not contain.
    #[serde(default)]
    lacks: Texts,
}

/// A call of a tool, and what its answer must have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    /// `@PATH@` is the path that the last answer has, `@PATHS@` are those of the notes that it lists, and `@LINKS@` links
    /// to them.
    arguments: Value,
    /// Whether it is made for each item of the last answer, with its path.
    #[serde(default)]
    each: bool,
    /// The number of items in its answer.
    items: Option<usize>,
    /// The keys that each item has.
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    text: String,
}

impl Project {
    /// Reads the tasks, and writes the notes into a vault that has today's note at this path.
    pub(super) fn write(tasks: &str, vault: &Path, today: &str) -> Result<Self, Fault> {
        let mut project: Self = serde_json::from_str(tasks)?;
        let long = (0..200).map(|line| {
            format!("Line {line} says that the keel of the boat was looked at again.\n\n")
        });
        if let Some(many) = &project.many {
            for number in 1..=many.count {
                let with = |text: &str| text.replace("{n}", &number.to_string());
                project.notes.insert(with(&many.name), with(&many.text));
            }
        } else if let Some(keel) = project.notes.get_mut("Keel.md") {
            keel.extend(long);
        }
        write(&vault.join(today), &project.daily)?;
        for (name, text) in &project.notes {
            write(&vault.join(&project.folder).join(name), text)?;
        }
        Ok(project)
    }

    /// Does a task.
    pub(super) fn run(
        &self,
        (task, way): (&Task, Way),
        client: &mut Client,
        vault: &Path,
    ) -> Result<(), Fault> {
        let mut last = Value::Null;
        let others = match way {
            Way::Today => &None,
            Way::Before => &task.before,
            Way::Steps => &task.steps,
        };
        for call in others.as_ref().unwrap_or(&task.calls) {
            let items = last["items"].as_array().cloned().unwrap_or_default();
            let paths = items
                .iter()
                .filter_map(|item| item["path"].as_str()?.strip_suffix(".md"));
            let links: String = paths.map(|path| format!("- [[{path}]]\n")).collect();
            let links = Value::from(links).to_string();
            let paths: Vec<&Value> = items.iter().map(|item| &item["path"]).collect();
            let paths = serde_json::to_string(&paths)?;
            for item in if call.each { items } else { vec![last.take()] } {
                let arguments = call.arguments.to_string();
                let arguments = arguments.replace("\"@PATH@\"", &item["path"].to_string());
                let arguments = arguments.replace("\"@LINKS@\"", &links);
                let arguments = arguments.replace("\"@PATHS@\"", &paths);
                let (data, text) = client.call(&call.tool, &serde_json::from_str(&arguments)?)?;
                call.check(&data, &text)?;
                last = data;
            }
        }
        let read = |name| fs_err::read_to_string(vault.join(&self.folder).join(name));
        for (name, text) in &task.holds {
            ensure(
                read(name)?.contains(text),
                &format!("{name} lacks {text:?}"),
            )?;
        }
        for (name, text) in &task.lacks {
            ensure(
                !read(name)?.contains(text),
                &format!("{name} holds {text:?}"),
            )?;
        }
        Ok(())
    }
}

impl Call {
    /// Fails unless the answer has what it must.
    fn check(&self, data: &Value, text: &str) -> Result<(), Fault> {
        let items = data["items"].as_array().into_iter().flatten();
        let has_all = |item: &&Value| self.keys.iter().all(|key| item[key].is_string());
        let count = items.filter(has_all).count();
        let wanted = self.items.unwrap_or(count);
        ensure(
            count == wanted,
            &format!("{count} items and not {wanted}: {data}"),
        )?;
        ensure(
            text.contains(&self.text),
            &format!("no {}: {text}", self.text),
        )
    }
}
