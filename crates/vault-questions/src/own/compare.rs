//! `note:compare` (`contracts.md` I46): the differences between a note, or a section of it, and
//! another text.

use std::time::Duration;

use line_diff::LineDiff;
use vault_files::Args;

use super::note::Note;
use super::prelude::*;
use super::structure::Document;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<NoteComparison>("note:compare", "note-comparison", compare);

/// The differences between two texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteComparison {
    /// The note.
    pub(super) path: String,
    /// Whether both are the same, byte by byte.
    pub(super) equal: bool,
    /// Lines that only the other text has.
    pub(super) added: usize,
    /// Lines that only the note has.
    pub(super) removed: usize,
    /// A unified diff from the note to the other text; empty where both are the same.
    pub(super) diff: String,
}

impl AnswerData for NoteComparison {
    fn text(&self) -> String {
        self.diff.trim_end_matches('\n').to_owned()
    }
}

/// The longest text that is compared line by line, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Compares a note, or with `section` a section of it, with the note `with` or the text `content`.
fn compare(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let note = Note::read(vault, arguments)?;
    let (path, mut warnings) = (note.path.clone(), note.warnings.clone());
    let here = part(note, arguments.text("section"))?;
    let (name, other) = match (arguments.path("with"), arguments.param("content")) {
        (Some(with), _) => {
            let other = Note::read(vault, &Args::default().with("path", with))?;
            // A note that is compared with itself is warned of once.
            if other.path != path {
                warnings.extend(other.warnings.iter().cloned());
            }
            let name = other.path.to_string();
            (name, part(other, arguments.text("withSection"))?)
        }
        (None, Some(content)) => ("content".to_owned(), content.to_owned()),
        (None, None) => {
            return Err(EngineError::argument(
                "with",
                "the path of another note, unless `content` is a text to compare with",
            ));
        }
    };
    if here.len().max(other.len()) > MAX_BYTES {
        return Err(EngineError::BodyTooLong {
            path,
            limit: MAX_BYTES,
            unit: "bytes",
        });
    }
    let diff = LineDiff::within(Duration::MAX, &here, &other);
    let answer = NoteComparison {
        equal: here == other,
        added: diff.added,
        removed: diff.removed,
        diff: diff.unified(path.as_str(), &name),
        path: path.to_string(),
    };
    Ok(Reply::new(answer, warnings))
}

/// Returns the text of the note, or of one section of it.
fn part(note: Note, section: Option<&str>) -> Result<String, EngineError> {
    let Some(id) = section else {
        return Ok(note.text);
    };
    let document = Document::from_note(note)?;
    match document.section(id) {
        Some((_, _, span)) => Ok(document.text.get(span).unwrap_or_default().to_owned()),
        None => Err(document.section_missing(id)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, fails, text};

    #[test]
    fn notes_sections_and_texts_are_compared() {
        let (_folder, vault) = vault(&[
            ("a.md", "# A\none\n\n# B\ntwo\n"),
            ("b.md", "# A\none\n\n# B\nthree\n"),
        ]);
        let found = ask(&vault, "note:compare path=a.md with=b.md");
        assert_eq!(
            found,
            json!({"path": "a.md", "equal": false, "added": 1, "removed": 1,
                   "diff": "--- a.md\n+++ b.md\n@@ -2,4 +2,4 @@\n one\n \n # B\n-two\n+three\n"})
        );
        let section = "section=h1-a-0001 withSection=h1-a-0001";
        let same = ask(
            &vault,
            &format!("note:compare path=a.md with=b.md {section}"),
        );
        assert_eq!((&same["equal"], &same["diff"]), (&json!(true), &json!("")));
        assert!(text(&vault, "note:compare path=a.md section=h1-b-0002 content=x").contains("+x"));
        // A comparison with no text at all is a mistake.
        fails(&vault, "note:compare path=a.md");
        assert_eq!(ask(&vault, "note:compare path=a.md content=")["removed"], 5);
        fails(&vault, "note:compare path=a.md with=b.md section=none");
    }
}
