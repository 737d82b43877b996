//! The text of a note for ranked search.

use std::borrow::Cow;

use obsidian_note::byte_order_mark;
use obsidian_note::frontmatter::split_unmarked;
use obsidian_note::{Frontmatter, VaultPath};
use ranked_search::{NoteText, Query, SegmentBuilder};
use serde_json::Value;

use crate::kept_record::KeptRecord;

/// A note's text, divided into properties and body.
pub struct NoteTextParts<'bytes> {
    text: Cow<'bytes, str>,
    body: usize,
}

/// Splits the content of a note.
pub fn note_parts(bytes: &[u8]) -> NoteTextParts<'_> {
    let text = if let Ok(text) = std::str::from_utf8(bytes) {
        Cow::Borrowed(byte_order_mark::strip(text))
    } else {
        Cow::Owned(byte_order_mark::strip(&String::from_utf8_lossy(bytes)).to_owned())
    };
    let body = split_unmarked(&text).map_or(0, |block| block.body);
    NoteTextParts { text, body }
}

impl NoteTextParts<'_> {
    /// Returns the text below the properties.
    pub fn body(&self) -> &str {
        self.text.get(self.body..).unwrap_or_default()
    }

    /// Returns the byte offset of the body in the text.
    pub fn body_start(&self) -> usize {
        self.body
    }

    /// Returns the whole text, without a byte order mark.
    pub fn into_text(self) -> String {
        self.text.into_owned()
    }

    /// Returns the number of lines that the properties take.
    pub fn lines_before_body(&self) -> usize {
        let before = self.text.as_bytes().get(..self.body).unwrap_or_default();
        memchr::memchr_iter(b'\n', before).count()
    }
}

/// Adds a note to a segment; `None` if the segment cannot number more.
pub(super) fn add(
    builder: &mut SegmentBuilder,
    path: &VaultPath,
    record: &KeptRecord,
    bytes: Option<&[u8]>,
) -> Option<()> {
    with_text(path, record, bytes, |text| builder.add(text))
}

/// Returns the query for notes about the same subject as a note with this content; `None` as content if it cannot be
/// read.
pub fn query_like(path: &VaultPath, record: &KeptRecord, bytes: Option<&[u8]>) -> Query {
    with_text(path, record, bytes, Query::like)
}

/// Returns what `with` makes of the text of a note.
fn with_text<T>(
    path: &VaultPath,
    record: &KeptRecord,
    bytes: Option<&[u8]>,
    with: impl FnOnce(&NoteText<'_>) -> T,
) -> T {
    let PropertyTexts { names, facets } = PropertyTexts::from_record(record);
    let mut all_names = vec![path.basename()];
    all_names.extend(names.iter().map(String::as_str));
    let facets: Vec<&str> = facets.iter().map(String::as_str).collect();
    let parts = bytes.map(note_parts);
    with(&NoteText {
        names: &all_names,
        facets: &facets,
        body: parts.as_ref().map_or("", NoteTextParts::body),
    })
}

/// The searchable texts of a note's properties.
#[derive(Default)]
struct PropertyTexts {
    /// The property `title`, and the aliases.
    names: Vec<String>,
    /// Its tags, each once, and the texts in its other properties.
    facets: Vec<String>,
}

impl PropertyTexts {
    fn from_record(record: &KeptRecord) -> Self {
        let mut facts = Self {
            names: Vec::new(),
            facets: record.tags().map(str::to_owned).collect(),
        };
        facts.facets.sort_unstable();
        facts.facets.dedup();
        let properties = record.properties();
        let properties = properties.and_then(|text| serde_json::from_str(text).ok());
        let frontmatter = Frontmatter {
            properties: properties.unwrap_or_default(),
        };
        for (key, value) in &frontmatter.properties {
            match key.to_lowercase().as_str() {
                "title" => texts(value, &mut facts.names),
                "tags" | "tag" | "aliases" | "alias" => {}
                _ => texts(value, &mut facts.facets),
            }
        }
        facts.names.extend(frontmatter.aliases());
        facts
    }
}

/// Collects the texts in a value; a list gives the texts of its items.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => {
            for item in items.iter().filter(|item| !item.is_array()) {
                texts(item, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Object(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use obsidian_note::note_record::record_of;
    use vault_files::vault::testing::path;

    use super::*;

    #[test]
    fn properties_are_names_or_facets() {
        let text = "---\ntitle: A Title\naliases: [One, Two]\ntags: [work]\nstatus: open\nrank: 3\nup: [x, [y]]\n---\n#work\n#home\n";
        let (record, _) = record_of(&path("a.md"), text.as_bytes());
        let facts = PropertyTexts::from_record(&KeptRecord::Read(Box::new(record)));
        assert_eq!(facts.names, ["A Title", "One", "Two"]);
        assert_eq!(facts.facets, ["#home", "#work", "open", "3", "x"]);
    }

    #[test]
    fn a_note_has_a_body_and_lines_before_it() {
        for (bytes, body, lines) in [
            (&b"\xef\xbb\xbf---\na: 1\n---\nbody"[..], "body", 3),
            (b"---\nno end", "---\nno end", 0),
            (b"\xff ok", "\u{fffd} ok", 0),
        ] {
            let parts = note_parts(bytes);
            assert_eq!((parts.body(), parts.lines_before_body()), (body, lines));
        }
    }
}
