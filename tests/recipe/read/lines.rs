//! `note:lines`: how many lines a note has.

use obsidian_note::shown::rows;

use super::note::Note;
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<NoteLines>("note:lines", "note-lines", lines);

/// How many lines a note has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteLines {
    /// The note.
    pub(super) path: String,
    /// All lines.
    pub(super) lines: usize,
    /// Lines of white space alone.
    pub(super) blank: usize,
}

impl AnswerData for NoteLines {
    /// Path, tab, lines, tab, blank lines.
    fn text(&self) -> String {
        rows([[
            self.path.clone(),
            self.lines.to_string(),
            self.blank.to_string(),
        ]])
    }
}

/// Counts the lines of one note.
fn lines(call: &Call<'_>) -> Result<Reply, EngineError> {
    let note = Note::read(call.vault, call.arguments)?;
    let lines = note.text.lines();
    let answer = NoteLines {
        path: note.path.to_string(),
        lines: lines.clone().count(),
        blank: lines.filter(|line| line.trim().is_empty()).count(),
    };
    Ok(Reply::new(answer, note.warnings))
}
