//! Tasks.

use std::borrow::Cow;

use serde::Deserialize;
use vault_answers::{Answer, List, RawText, TaskItem};
use vault_files::{Args, Format};

use crate::app_form::{AnswerType, AppForm, PrintedItem};
use crate::text::app::separator;
use crate::text::body::{Body, Empty, whole};
use crate::text::error::{Fault, Reason};
use crate::text::form::on;
use crate::text::names;
use crate::text::notes::ended;
use crate::text::table::{self, Count};

pub(crate) static TASKS: AppForm = AppForm::new::<List<TaskItem>>("tasks", parse)
    .or(&[AnswerType::of::<RawText>()])
    .empty(Empty::Says("No tasks found."))
    .with_total()
    .listing_files();

const FORMATS: &[Format] = &[Format::Text, Format::Json, Format::Tsv, Format::Csv];

/// A line for each file, then its tasks with their line numbers.
fn grouped(list: &List<TaskItem>) -> String {
    let mut lines = Vec::new();
    let mut file = None;
    for item in &list.items {
        let path = item.path.as_deref().unwrap_or_default();
        if file != Some(path) {
            lines.push(path.to_owned());
            file = Some(path);
        }
        lines.push(format!("{}\t{}", item.line.unwrap_or_default(), item.text));
    }
    lines.join("\n")
}

/// Reads task lines or a table; `verbose` is passed through.
fn parse(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct TaskRow {
        status: String,
        text: String,
        file: Option<String>,
        line: Option<Count>,
    }
    let list = match arguments.format(FORMATS) {
        Format::Text if on(arguments, "verbose") => {
            return Ok(if body.says_nothing_found()? {
                Answer::from(List::<TaskItem>::default())
            } else {
                Answer::from(RawText::new(body.output.to_owned()))
            });
        }
        Format::Text => body.items(|line| {
            let status = status(line).ok_or(Reason::Pattern("- [ ] task"))?;
            Ok(TaskItem::new(status.into(), line.to_owned()))
        }),
        Format::Json => table::read_json(body, |row: TaskRow| {
            TaskItem::new(row.status, row.text).with_place(row.file, row.line.map(|line| line.0))
        }),
        format => table::read(body, separator(format), 4, |cells| {
            let mut cells = cells.into_iter();
            let mut next = || cells.next().unwrap_or_default();
            let task = TaskItem::new(next().into_owned(), next().into_owned());
            let path = next().into_owned();
            Ok(task.with_place(Some(path), Some(whole(&next())?)))
        }),
    };
    list.map(Answer::from)
}

/// The character between the brackets of a task line, which may be quoted and indented.
fn status(line: &str) -> Option<char> {
    let item = line.trim_start_matches([' ', '\t', '>']);
    let after_marker = item.strip_prefix(['-', '*', '+']).or_else(|| {
        let rest = item.trim_start_matches(|character: char| character.is_ascii_digit());
        if rest.len() == item.len() {
            None
        } else {
            rest.strip_prefix(['.', ')'])
        }
    })?;
    let content = after_marker.trim_start_matches([' ', '\t']);
    if content.len() == after_marker.len() {
        return None;
    }
    let mut characters = content.strip_prefix('[')?.chars();
    let status = characters.next()?;
    (characters.next()? == ']').then_some(status)
}

impl PrintedItem for TaskItem {
    /// The raw task lines, or a table of status, text, file and line. The columns of TSV and CSV, and the layout of
    /// `verbose`, are ours: the app's are not recorded.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        let format = arguments.format(FORMATS);
        if format == Format::Text {
            return if on(arguments, "verbose") {
                grouped(list)
            } else {
                names::render(list, |item| &item.text)
            };
        }
        let rows = list.items.iter().map(|item| {
            [
                Cow::from(&item.status),
                Cow::from(&item.text),
                item.path.as_deref().unwrap_or_default().into(),
                item.line.unwrap_or_default().to_string().into(),
            ]
        });
        let columns = ["status", "text", "file", "line"];
        table::render(&columns, rows, format)
    }

    /// Keeps a task's path and line only in tables; `verbose` is text.
    fn printed_form(list: List<Self>, arguments: &Args) -> Answer {
        let is_text = arguments.format(FORMATS) == Format::Text;
        if is_text && on(arguments, "verbose") && !list.is_empty() {
            let text = ended(grouped(&list));
            return Answer::from(RawText::new(text));
        }
        Answer::from(list.map(|item| TaskItem {
            path: (!is_text).then(|| item.path.unwrap_or_default()),
            line: (!is_text).then(|| item.line.unwrap_or_default()),
            ..item
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::status;

    #[test]
    fn the_status_is_found_behind_every_marker() {
        for (line, expected) in [
            ("- [ ] a", Some(' ')),
            ("\t* [x] a", Some('x')),
            ("> - [é]", Some('é')),
            ("12) [/] a", Some('/')),
            ("1.  [-] a", Some('-')),
            ("-[ ] a", None),
            ("- [] a", None),
            ("- [ab] c", None),
            (") [ ] a", None),
            ("- a [ ]", None),
            ("", None),
        ] {
            assert_eq!(status(line), expected, "{line}");
        }
    }
}
