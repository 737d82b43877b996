//! `notes:large` (`contracts.md` I26).

use std::convert::identity;

use vault_index::ListedFiles;

use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<List<LargeNote>>("notes:large", "large-notes", large).with_total();

/// One note of a list by size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LargeNote {
    /// The note.
    pub(super) path: String,
    /// Its bytes.
    pub(super) size: u64,
}

impl AnswerItem for LargeNote {
    /// Returns the size in bytes and the path.
    fn cells(&self) -> Vec<String> {
        vec![self.size.to_string(), self.path.clone()]
    }

    names!(path);
}

/// The number of notes in an answer unless `limit` is given.
const LIMIT: usize = 10;
/// The number of bytes from which a note is large, unless `min` is given.
const LARGE: usize = 50_000;

/// Large notes, the largest first; ties by path. Only sizes are read, no contents.
pub(super) fn large(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let least = arguments.number("min").unwrap_or(LARGE);
    let least = u64::try_from(least).unwrap_or(u64::MAX);
    let sizes = ListedFiles::read(call.vault)?;
    let mut notes: Vec<LargeNote> = sizes
        .files
        .into_iter()
        .filter(|(path, size)| path.is_note() && *size >= least)
        .map(|(path, size)| LargeNote {
            path: path.to_string(),
            size,
        })
        .collect();
    notes.sort_by_key(|note| std::cmp::Reverse(note.size));
    let answer = page(notes, arguments, LIMIT, identity);
    Ok(Reply::new(answer, sizes.warnings))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, text};

    #[test]
    fn d13_the_largest_notes_that_may_be_seen() {
        let (_folder, vault) = vault(&[
            (
                ".obsidian/app.json",
                r#"{"userIgnoreFilters":["Archive/"]}"#,
            ),
            ("Archive/x.md", &"x".repeat(90_000)),
            ("a.md", &"x".repeat(50_000)),
            ("b.md", &"x".repeat(49_999)),
            ("hidden/c.md", &"x".repeat(80_000)),
            ("d.txt", &"x".repeat(70_000)),
        ]);
        assert_eq!(
            text(&vault, "notes:large"),
            "80000\thidden/c.md\n50000\ta.md\n"
        );
        assert_eq!(
            ask(&vault, "notes:large min=49999 total"),
            json!({"total": 3})
        );
        assert_eq!(
            ask(&vault, "notes:large min=0 limit=1 offset=1")["items"],
            json!([{"path": "a.md", "size": 50_000}])
        );
        let (found, _) = ask_without(&vault, "hidden", "notes:large");
        assert_eq!(found["items"], json!([{"path": "a.md", "size": 50_000}]));
    }
}
