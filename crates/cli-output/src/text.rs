//! Typed value <-> the text that the official CLI prints (`official-cli.md` §5).

pub(crate) mod aliases;
pub(crate) mod app;
pub(crate) mod bases;
pub(crate) mod body;
pub(crate) mod confirmation;
pub(crate) mod error;
pub(crate) mod facts;
pub(crate) mod form;
pub(crate) mod links;
pub(crate) mod names;
pub(crate) mod notes;
pub(crate) mod outline;
pub(crate) mod properties;
pub(crate) mod search;
mod table;
pub(crate) mod tags;
pub(crate) mod tasks;
mod total;
mod yaml;

pub use error::Reason;

use std::borrow::Cow;

use thiserror::Error;

use crate::answer::{Answer, AnswerData, BaseRows};
use crate::arguments::Arguments;
use crate::shape::Shape;
use body::Body;
use error::Fault;
use form::Format;
use obsidian_note::shown;

/// The official CLI's output for an answer. It ends with one newline, which the answer itself may
/// contain, or is empty.
///
/// The answer decides what is printed; the shape distinguishes commands whose answers have the same
/// type (`orphans` and `deadends`). Facts that the form does not show are ignored; rows or cells of
/// missing facts are left out.
///
/// ```
/// use cli_output::{Arguments, FileItem, List, Shape, render};
///
/// let files = List::new(vec![FileItem { path: "Home.md".to_owned() }]);
/// let text = render(&files.into(), Shape::Files, &());
/// assert_eq!(text, "Home.md\n");
/// ```
pub fn render(answer: &Answer, shape: Shape, arguments: &dyn Arguments) -> String {
    notes::ended(body_of(answer, shape, arguments))
}

/// The text of [`render`] for people and models: a name that would break its row or mislead is
/// escaped as [`shown::row`] describes, in JSON with the escapes of JSON.
///
/// The answer is not changed. It is borrowed as mutable only because one visitor serves both for
/// reading and for escaping.
pub fn render_shown(answer: &mut Answer, shape: Shape, arguments: &dyn Arguments) -> String {
    let text = render_exact_json(answer, shape, arguments);
    // Own commands escape their rows themselves.
    if text.is_some() || shape.is_own() || !has_odd_names(answer) {
        return text.unwrap_or_else(|| render(answer, shape, arguments));
    }
    let mut escaped = answer.clone();
    escaped.each_name(&mut |name| {
        if let Cow::Owned(row) = shown::row(name) {
            *name = row;
        }
    });
    render(&escaped, shape, arguments)
}

/// Whether [`shown::row`] escapes any name of the answer.
pub fn has_odd_names(answer: &mut Answer) -> bool {
    let mut is_odd = false;
    answer.each_name(&mut |name| {
        is_odd = is_odd || matches!(shown::row(name), Cow::Owned(_));
    });
    is_odd
}

/// Whether the text has rows or cells that name other files of the vault than the requested one. JSON separates names
/// with any characters, and a number has none.
pub fn prints_rows_of_files(shape: Shape, arguments: &dyn Arguments) -> bool {
    let shown = shape.form();
    let format = form::format(arguments, &[Format::Text, Format::Json]);
    shown.lists_files && format != Format::Json && !shown.is_total(arguments)
}

/// The text if it is JSON, which is exact and keeps its rows: only misleading characters are
/// escaped.
fn render_exact_json(answer: &Answer, shape: Shape, arguments: &dyn Arguments) -> Option<String> {
    let asks_for_json = form::format(arguments, &[Format::Text, Format::Json]) == Format::Json;
    if !asks_for_json && !answer.is::<BaseRows>() {
        return None;
    }
    let text = render(answer, shape, arguments);
    serde_json::from_str::<serde::de::IgnoredAny>(&text).ok()?;
    let is_odd = |character: char| shown::misleads(character) && !character.is_ascii_whitespace();
    if !text.contains(is_odd) {
        return Some(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_odd(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped += &format!("\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    Some(escaped)
}

fn body_of(answer: &Answer, shape: Shape, arguments: &dyn Arguments) -> String {
    let form = shape.form();
    if let Some(total) = total::requested_total(answer, form, arguments) {
        return total.printed(form, arguments);
    }
    match form.empty.sentence() {
        Some(sentence) if answer.is_empty() => sentence.to_owned(),
        _ => answer.printed(form, arguments),
    }
}

/// Rows of texts in the form of the app's tables: TSV, or JSON or CSV with `format=`
/// (`official-cli.md` §5, "Table helper"). For commands whose own layout is not recorded. Each row
/// has one cell for each column; only JSON shows the names of the columns.
pub fn table(
    columns: &[&'static str],
    rows: Vec<Vec<String>>,
    arguments: &dyn Arguments,
) -> String {
    let format = form::format(arguments, form::Format::TABLE);
    let rows = rows.into_iter();
    let rows = rows.map(|row| row.into_iter().map(Cow::Owned));
    table::render(columns, rows, format)
}

/// Parses an output of the official CLI.
///
/// Tolerates variants of the app's output (`official-cli.md` §5, "Consequences for a parser"):
/// blank lines around the text, CRLF, counts as texts or numbers, compact or pretty JSON. Does not
/// recognise error sentences; parse them with [`crate::AppError`] first. Never panics; linear in
/// the text.
///
/// # Errors
///
/// [`ParseError`] with the line and the reason, if the text is not what the app prints for this shape, and for every
/// shape of the gateway's own commands, which no program prints.
///
/// ```
/// use cli_output::{Arguments, FileItem, List, Shape, parse};
///
/// let answer = parse(Shape::Files, &(), "Home.md\nLog.md\n").unwrap();
/// let files: &List<FileItem> = answer.downcast_ref().unwrap();
/// assert_eq!(files.total(), 2);
/// ```
pub fn parse(shape: Shape, arguments: &dyn Arguments, text: &str) -> Result<Answer, ParseError> {
    let form = shape.form();
    let body = Body::new(text, form.empty);
    let answer = if form.is_total(arguments) {
        total::parse(body, form).map(Answer::from)
    } else {
        (form.parse)(body, arguments)
    };
    answer.map_err(|Fault { line, reason }| ParseError {
        shape,
        line,
        reason,
    })
}

/// A text that is not of the shape it should have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} is not of the shape `{}`: {reason}", .shape.name())]
pub struct ParseError {
    /// The shape the text should have.
    pub shape: Shape,
    /// The first line that does not fit, from 1.
    pub line: usize,
    /// The fault in that line.
    pub reason: Reason,
}

/// The answer without the values that the requested form does not show, so that both backends give
/// the same envelope for a request.
///
/// List numbers then count the printed items. A note's `path` and `sha256` are removed too, because
/// the gateway adds them.
pub fn as_printed(answer: Answer, shape: Shape, arguments: &dyn Arguments) -> Answer {
    if let Some(total) = total::requested_total(&answer, shape.form(), arguments) {
        return total.into();
    }
    if shape.is_own() {
        return answer;
    }
    answer.printed_form(arguments)
}
