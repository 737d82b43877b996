//! `note:outline` (`contracts.md` K11, §3.2).

use obsidian_note::shown::rows;

use super::note::Note;
use super::prelude::*;
use super::structure::{Document, MAX_HEADINGS};

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<NoteOutline>("note:outline", "note-outline", outline);

/// The headings of one note as `CommonMark` has them, those in quotes and lists included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteOutline {
    /// The note.
    pub path: String,
    /// The property `title`, or else the file's name with blanks for `-` and `_`; null where that
    /// leaves nothing.
    pub title: Option<String>,
    /// The headings, at most 500 at once.
    pub headings: List<OutlineHeading>,
}

/// One heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineHeading {
    /// Its level, 1 to 6.
    pub level: u8,
    /// Its text without markup; may be empty.
    pub text: String,
    /// `h<level>-<slug>-<number>`: the text in lower case with a hyphen for all that is neither a
    /// letter nor a digit, and which heading of the note it is, from 0001.
    pub id: String,
    /// Its line in the file, from 1.
    pub line: usize,
}

impl AnswerData for NoteOutline {
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(vec![Source::Text(&self.path)])
    }

    /// Lines of `## Text`, a tab and the id.
    fn text(&self) -> String {
        rows(self.headings.items.iter().map(|heading| {
            let marks = "#".repeat(usize::from(heading.level));
            [format!("{marks} {}", heading.text), heading.id.clone()]
        }))
    }

    fn is_empty(&self) -> bool {
        self.headings.is_empty()
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.headings)
    }
}

/// Returns the headings of one note, in the order of the note.
pub(super) fn outline(call: &Call<'_>) -> Result<Reply, EngineError> {
    let document = Document::from_note(Note::read(call.vault, call.arguments)?)?;
    let headings = document
        .headings()
        .map(|(heading, line)| OutlineHeading {
            level: heading.level,
            text: heading.text.clone(),
            id: heading.id.clone(),
            line,
        })
        .collect();
    let answer = NoteOutline {
        path: document.path.to_string(),
        headings: page_of(headings, call.arguments, MAX_HEADINGS),
        title: document.title,
    };
    Ok(Reply::new(answer, document.warnings))
}
