//! The result of a command.

use std::borrow::Cow;

use obsidian_note::Warning;
use vault_answers::{Answer, AnswerItem, List, NoteText, Total};
use vault_files::{Args, Format, Note, table};

/// An answer with the bytes of the note that it shows, and warnings.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The typed answer, which the edges print or serialise.
    pub answer: Answer,
    /// The exact bytes of the note whose text is the answer, for its hash; `None` if the answer is
    /// not the text of a note.
    pub bytes: Option<Vec<u8>>,
    /// The reasons why the answer is incomplete.
    pub warnings: Vec<Warning>,
}

/// The result of a question, with warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    /// The result.
    pub value: T,
    /// The reasons why the result is incomplete: what could not be read or was left out.
    pub warnings: Vec<Warning>,
}

impl<T> Found<T> {
    /// Returns the result of a question, with its warnings.
    pub fn new(value: T, warnings: Vec<Warning>) -> Self {
        Self { value, warnings }
    }

    /// Returns the reply with the answer that `wrap` makes of the result.
    pub(super) fn reply<A: Into<Answer>>(self, wrap: impl FnOnce(T) -> A) -> Reply {
        Reply::new(wrap(self.value), self.warnings)
    }
}

impl Reply {
    pub(super) fn new(answer: impl Into<Answer>, warnings: Vec<Warning>) -> Self {
        Self {
            answer: answer.into(),
            bytes: None,
            warnings,
        }
    }

    /// Returns the reply with the text of a note.
    pub(super) fn of_note(note: Note, mut warnings: Vec<Warning>) -> Self {
        warnings.extend(note.not_utf8());
        Self {
            answer: NoteText::new(Some(note.path.to_string()), note.text).into(),
            bytes: Some(note.bytes),
            warnings,
        }
    }
}

/// Returns a whole list, or with `total` only its length.
pub(super) fn listed<T: AnswerItem>(items: Vec<T>, arguments: &Args) -> Answer {
    if arguments.flag("total") {
        total(items.len())
    } else {
        List::new(items).into()
    }
}

/// As [`listed`], with no more than `limit` items.
pub(super) fn first<T: AnswerItem>(items: Vec<T>, arguments: &Args) -> Answer {
    if arguments.flag("total") {
        total(items.len())
    } else {
        limited(items, arguments).into()
    }
}

/// Returns the first `limit` items of a list; all of them if that is not a number of at least 1
/// (`vault-semantics.md` §4.2).
pub(super) fn limited<T>(items: Vec<T>, arguments: &Args) -> List<T> {
    let limit = arguments.number("limit");
    List::page(
        items,
        0,
        limit.filter(|limit| *limit > 0).unwrap_or(usize::MAX),
    )
}

/// Returns the answer to the flag `total`.
pub(super) fn total(total: usize) -> Answer {
    Answer::from(Total { total })
}

/// Returns rows in the form of the app's tables: TSV, or JSON or CSV with `format=` (`official-cli.md` §5, "Table
/// helper"). For commands whose own layout is not recorded. Each row has one cell for each column; only JSON shows the
/// names of the columns.
pub(super) fn table(columns: &[&str], rows: Vec<Vec<String>>, arguments: &Args) -> String {
    let rows = rows.into_iter();
    let rows = rows.map(|row| row.into_iter().map(Cow::Owned));
    table::render(columns, rows, arguments.format(Format::TABLE))
}
