//! `note:chunks` (`contracts.md` I13): a note cut into pieces that fit a model's context.

use std::ops::Range;

use obsidian_note::VaultPath;
use obsidian_note::shown::rows;
use ranked_search::boundary;
use vault_files::Vault;

use super::note::Note;
use super::prelude::*;
use super::structure::Document;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<NoteChunks>("note:chunks", "note-chunks", chunks);

/// The pieces of one note, in its order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteChunks {
    /// The note.
    pub(super) path: String,
    /// The pieces.
    #[serde(flatten)]
    pub(super) list: List<NoteChunk>,
}

/// One piece of a note. No piece reaches into another section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteChunk {
    /// The id of the heading above it and its number below that heading, from 1; `top` where there is
    /// no heading: `h2-plan-0003.1`.
    pub(super) id: String,
    /// The headings above it, the outermost first.
    pub(super) heading_path: Vec<String>,
    /// Its first line in the file, from 1.
    pub(super) line: usize,
    /// The offset of its start in the file, in bytes.
    pub(super) byte_offset: usize,
    /// Its length in bytes.
    pub(super) byte_length: usize,
    /// About how many tokens of a language model it has: a quarter of its characters, and one for each
    /// character of a script without spaces.
    pub(super) tokens: usize,
    /// Its text, unchanged. Not with `fields=place`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<String>,
}

impl AnswerData for NoteChunks {
    /// Lines of id, line number, tokens and headings.
    fn text(&self) -> String {
        rows(self.list.items.iter().map(|chunk| {
            [
                chunk.id.clone(),
                chunk.line.to_string(),
                chunk.tokens.to_string(),
                chunk.heading_path.join(" > "),
            ]
        }))
    }

    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.list)
    }
}

/// The number of pieces in an answer unless `limit` is given.
const LIMIT: usize = 100;
/// The maximum number of bytes of a piece unless `size` is given.
const SIZE: usize = 1000;

/// Returns the sections of a note, each from its heading to the next one. Long sections are cut
/// between paragraphs if possible, else between lines, else between characters.
fn chunks(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let size = arguments.number("size").unwrap_or(SIZE);
    let document = Document::from_note(Note::read(call.vault, arguments)?)?;
    let is_whole = arguments.text("fields") != Some("place");
    let mut found = Vec::new();
    let mut lines = LineCounter::default();
    for section in document.flat_sections() {
        for (number, span) in pieces(&document.text, section.span, size)
            .into_iter()
            .enumerate()
        {
            let text = document.text.get(span.clone()).unwrap_or_default();
            found.push(NoteChunk {
                id: format!("{}.{}", section.id, number + 1),
                heading_path: section.heading_path.clone(),
                line: lines.line_at(&document.text, span.start),
                byte_offset: span.start,
                byte_length: span.len(),
                tokens: tokens(text),
                body: is_whole.then(|| text.to_owned()),
            });
        }
    }
    let answer = NoteChunks {
        path: document.path.to_string(),
        list: page_of(found, arguments, LIMIT),
    };
    Ok(Reply::new(answer, document.warnings))
}

/// Returns the number of pieces with the default size; `None` for a note that cannot be cut.
pub(super) fn chunk_count(vault: &Vault, path: &VaultPath) -> Result<usize, EngineError> {
    vault.disk().cancellation().check()?;
    // The note may have been removed after it was listed, or be too long; `note:chunks` reports
    // that.
    let Ok(note) = vault.note(path, path.as_str()) else {
        return Ok(0);
    };
    let document = match Document::from_note(Note::from_vault_note(note, Vec::new())) {
        Ok(document) => document,
        Err(EngineError::BodyTooLong { .. }) => return Ok(0),
        Err(error) => return Err(error),
    };
    let sections = document.flat_sections().into_iter();
    let counts = sections.map(|section| pieces(&document.text, section.span, SIZE).len());
    Ok(counts.sum())
}

/// Counts the lines before each offset; the offsets must ascend.
#[derive(Default)]
struct LineCounter {
    at: usize,
    before: usize,
}

impl LineCounter {
    fn line_at(&mut self, text: &str, place: usize) -> usize {
        let between = text.as_bytes().get(self.at..place).unwrap_or_default();
        self.before += memchr::memchr_iter(b'\n', between).count();
        self.at = place.max(self.at);
        self.before + 1
    }
}

/// Returns the pieces of a section of at most `size` bytes, without the blank lines around them.
fn pieces(text: &str, section: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut rest = section;
    loop {
        let within = text.get(rest.clone()).unwrap_or_default();
        let blank = within.len() - within.trim_start_matches(['\n', '\r']).len();
        rest.start += blank;
        let within = within.get(blank..).unwrap_or_default();
        if within.trim().is_empty() {
            return pieces;
        }
        let end = if within.len() <= size {
            within.len()
        } else {
            cut(within, size)
        };
        let piece = within.get(..end).unwrap_or_default();
        let kept = piece.trim_end_matches(['\n', '\r', ' ', '\t']).len();
        pieces.push(rest.start..rest.start + kept);
        rest.start += end;
    }
}

/// Returns the byte offset at which to cut a text that is longer than `size` bytes: in its second half after a blank
/// line, or else after a line; otherwise between two characters.
fn cut(text: &str, size: usize) -> usize {
    let hard = boundary(text, size);
    let head = text.get(..hard).unwrap_or_default();
    let late = |at: &usize| *at > hard / 2;
    let paragraph = head.rfind("\n\n").map(|at| at + 2);
    let line = head.rfind('\n').map(|at| at + 1);
    let word = head.rfind(' ').map(|at| at + 1);
    [paragraph, line, word]
        .into_iter()
        .flatten()
        .find(late)
        // A character may be longer than `size`.
        .unwrap_or(if hard == 0 {
            text.chars().next().map_or(text.len(), char::len_utf8)
        } else {
            hard
        })
}

fn tokens(text: &str) -> usize {
    let (mut dense, mut others) = (0_usize, 0_usize);
    for character in text.chars() {
        if matches!(character, '\u{e00}'..='\u{eff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
        {
            dense += 1;
        } else {
            others += 1;
        }
    }
    dense + others.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use vault_files::vault::testing::vault;

    use super::{pieces, tokens};
    use crate::own::testing::{ask, text};

    const NOTE: &str = "---\na: 1\n---\nlead\n\n# Plan\n\nText.\n\n```\n# no heading\n```\n\n## Next\n\n# Last\nend\n";

    #[test]
    fn sections_are_the_pieces() {
        let (_folder, vault) = vault(&[("a.md", NOTE)]);
        let found = ask(&vault, "note:chunks path=a.md");
        let of = |key: &str| -> Vec<Value> {
            let items = found["items"].as_array().unwrap().iter();
            items.map(|item| item[key].clone()).collect()
        };
        assert_eq!(
            of("id"),
            [
                "top.1",
                "h1-plan-0001.1",
                "h2-next-0002.1",
                "h1-last-0003.1"
            ]
        );
        assert_eq!(of("line"), [4, 6, 14, 16]);
        assert_eq!(of("headingPath")[2], json!(["Plan", "Next"]));
        assert_eq!(of("body")[1], "# Plan\n\nText.\n\n```\n# no heading\n```");
        for (offset, text) in of("byteOffset").iter().zip(of("body")) {
            let offset = usize::try_from(offset.as_u64().unwrap()).unwrap();
            assert!(NOTE[offset..].starts_with(text.as_str().unwrap()));
        }
        let places = ask(&vault, "note:chunks path=a.md fields=place limit=1");
        assert_eq!(
            (&places["total"], &places["items"][0]["body"]),
            (&json!(4), &Value::Null)
        );
        assert_eq!(
            text(&vault, "note:chunks path=a.md limit=1 offset=2"),
            "h2-next-0002.1\t14\t2\tPlan > Next\n"
        );
    }

    #[test]
    fn a_script_without_spaces_has_a_token_a_character() {
        assert_eq!((tokens(""), tokens("abcde"), tokens("日本語")), (0, 2, 3));
    }

    proptest! {
        #[test]
        fn pieces_hold_all_text_in_order_and_fit(
            words in prop::collection::vec(prop::sample::select(vec!["word ", "日本", "\n", "\n\n", "\r\n", "  "]), 0..80),
            size in 1_usize..60,
        ) {
            let text = words.concat();
            let found = pieces(&text, 0..text.len(), size);
            let joined: String = found.iter().map(|span| &text[span.clone()]).collect();
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(bare(&joined), bare(&text));
            for span in found {
                prop_assert!(span.len() <= size.max(3));
            }
        }
    }
}
