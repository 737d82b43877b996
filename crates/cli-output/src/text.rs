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

use crate::app_form::{AnswerType, Printed};
use crate::shape::Shape;
use body::Body;
use error::Fault;
use obsidian_note::shown;
use vault_answers::{Answer, BaseRows};
use vault_files::{Args, Format};

/// The official CLI's output for an answer. It ends with one newline, which the answer itself may
/// contain, or is empty.
///
/// The answer decides what is printed; the shape distinguishes commands whose answers have the same
/// type (`orphans` and `deadends`). Facts that the form does not show are ignored; rows or cells of
/// missing facts are left out.
///
/// ```
/// use cli_output::{Shape, render};
/// use vault_answers::{FileItem, List};
/// use vault_files::Args;
///
/// let files = List::new(vec![FileItem { path: "Home.md".to_owned() }]);
/// let text = render(&files.into(), Shape::Files, &Args::default());
/// assert_eq!(text, "Home.md\n");
/// ```
pub fn render(answer: &Answer, shape: Shape, arguments: &Args) -> String {
    notes::ended(body_of(answer, shape, arguments))
}

/// The text of [`render`] for people and models: a name that would break its row or mislead is
/// escaped as [`shown::row`] describes, in JSON with the escapes of JSON.
///
/// The answer is not changed. It is borrowed as mutable only because one visitor serves both for
/// reading and for escaping.
pub fn render_shown(answer: &mut Answer, shape: Shape, arguments: &Args) -> String {
    let text = render_exact_json(answer, shape, arguments);
    // Own commands escape their rows themselves.
    if text.is_some() || shape.is_own() || !has_odd_names(answer) {
        return text.unwrap_or_else(|| render(answer, shape, arguments));
    }
    // A table has a form of its own for the line breaks and tabs in its cells.
    let is_table = answer.is::<BaseRows>()
        && arguments.format(&[Format::Text, Format::Paths]) != Format::Paths;
    let is_kept = |character: char| {
        !shown::misleads(character) || is_table && matches!(character, '\n' | '\t')
    };
    let mut escaped = answer.clone();
    escaped.each_name(&mut |name| {
        if let Cow::Owned(row) = shown::escaped(name, is_kept) {
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
pub fn prints_rows_of_files(shape: Shape, arguments: &Args) -> bool {
    let shown = shape.form();
    let format = arguments.format(&[Format::Text, Format::Json]);
    shown.lists_files && format != Format::Json && !shown.is_total(arguments)
}

/// The text if it is JSON, which is exact and keeps its rows: only misleading characters are
/// escaped.
fn render_exact_json(answer: &Answer, shape: Shape, arguments: &Args) -> Option<String> {
    let asks_for_json = arguments.format(&[Format::Text, Format::Json]) == Format::Json;
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

fn body_of(answer: &Answer, shape: Shape, arguments: &Args) -> String {
    let form = shape.form();
    if let Some(total) = total::requested_total(answer, form, arguments) {
        return total.printed(form, arguments);
    }
    match form.empty.sentence() {
        Some(sentence) if answer.is_empty() => sentence.to_owned(),
        _ => answer_types()
            .find_map(|answer_type| (answer_type.printed)(answer, form, arguments))
            .unwrap_or_else(|| own_text(answer, arguments)),
    }
}

/// The types of all answers that the app prints.
fn answer_types() -> impl Iterator<Item = AnswerType> {
    Shape::APP.iter().flat_map(|shape| shape.form().answers())
}

/// The text for people of an own command's answer, or one line of JSON.
fn own_text(answer: &Answer, arguments: &Args) -> String {
    if arguments.format(&[Format::Text, Format::Json]) == Format::Json {
        answer.to_json().to_string()
    } else {
        answer.text()
    }
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
/// use cli_output::{Shape, parse};
/// use vault_answers::{FileItem, List};
/// use vault_files::Args;
///
/// let answer = parse(Shape::Files, &Args::default(), "Home.md\nLog.md\n").unwrap();
/// let files: &List<FileItem> = answer.downcast_ref().unwrap();
/// assert_eq!(files.total(), 2);
/// ```
pub fn parse(shape: Shape, arguments: &Args, text: &str) -> Result<Answer, ParseError> {
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
pub fn as_printed(answer: Answer, shape: Shape, arguments: &Args) -> Answer {
    if let Some(total) = total::requested_total(&answer, shape.form(), arguments) {
        return total.into();
    }
    if shape.is_own() {
        return answer;
    }
    let mut answer = answer;
    for answer_type in answer_types() {
        match (answer_type.printed_form)(answer, arguments) {
            Ok(printed) => return printed,
            Err(other) => answer = other,
        }
    }
    answer
}
