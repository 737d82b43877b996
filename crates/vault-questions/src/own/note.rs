//! One note as the structure commands see it: properties, body, title (`contracts.md` §3.2).
//!
//! These rules for the end of the properties are stricter than the app's: lines that are exactly
//! `---`, the second one ended by a line break, no byte order mark before them, at least one line
//! between them. `note:get` follows the app instead.

use std::ops::Range;

use obsidian_note::frontmatter::is_space;
use obsidian_note::scan::scan;
use obsidian_note::{Anchor, Anchors, Frontmatter, VaultPath, Warning, byte_order_mark};
use serde_json::{Map, Value};
use vault_files::{Args, EngineError, Refusal, Vault, vault};
use vault_index::Target;
use vault_index::anchors::facts_now;

use super::javascript::text_of;

/// A note that was read, and the warnings so far.
pub(super) struct Note {
    pub(super) path: VaultPath,
    pub(super) bytes: Vec<u8>,
    /// The bytes as text; invalid UTF-8 replaced.
    pub(super) text: String,
    pub(super) warnings: Vec<Warning>,
}

/// The parts of a note's text.
pub(super) struct Parts<'text> {
    /// The YAML as written; empty if there is none.
    pub(super) yaml: &'text str,
    /// The properties; empty if they cannot be read.
    pub(super) properties: Map<String, Value>,
    /// The byte range of the body, without white space at its end.
    pub(super) body: Range<usize>,
}

impl Note {
    /// Returns the note that the arguments name.
    pub(super) fn read(vault: &Vault, arguments: &Args) -> Result<Self, EngineError> {
        let target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
        let note = vault.note(&target.path, &target.requested)?;
        let mut warnings = target.warnings;
        warnings.extend(note.not_utf8());
        Ok(Self::from_vault_note(note, warnings))
    }

    /// Builds the value from a note that was read before.
    pub(super) fn from_vault_note(note: vault::Note, warnings: Vec<Warning>) -> Self {
        Self {
            path: note.path,
            bytes: note.bytes,
            text: note.text,
            warnings,
        }
    }

    /// Splits the text; adds a warning if the properties cannot be read.
    pub(super) fn parts(&mut self) -> Parts<'_> {
        let (yaml, body) = split(&self.text);
        let properties = match Frontmatter::parse(yaml) {
            Ok(frontmatter) => frontmatter.properties,
            Err(error) => {
                let error = error.below_first_line();
                self.warnings.push(error.warning(&self.path));
                Map::new()
            }
        };
        Parts {
            yaml,
            properties,
            body,
        }
    }
}

/// Returns the YAML, and the byte range of the body.
fn split(text: &str) -> (&str, Range<usize>) {
    let (yaml, start) = block(text).unwrap_or_default();
    let body = text.get(start..).unwrap_or_default();
    let end = start + body.trim_end_matches(is_space).len();
    (yaml, start..end)
}

/// Returns the YAML, and the byte offset of the line after it.
fn block(text: &str) -> Option<(&str, usize)> {
    let yaml = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))?;
    let start = text.len() - yaml.len();
    let mut at = start;
    for line in yaml.split_inclusive('\n') {
        let next = at + line.len();
        // At least one line, which may be empty, must be between the two.
        if at > start && (line == "---\n" || line == "---\r\n") {
            let yaml = text.get(start..at)?;
            return Some((yaml, next));
        }
        at = next;
    }
    None
}

/// Returns the current text of a note, invalid UTF-8 replaced, without a byte order mark; `None` if
/// it cannot be read.
pub(super) fn text_now(vault: &Vault, path: &VaultPath) -> Option<String> {
    let bytes = content(vault, path)?;
    let text = String::from_utf8_lossy(&bytes);
    Some(byte_order_mark::strip(&text).to_owned())
}

/// Returns the current bytes of a note; `None` if it cannot be read.
pub(super) fn content(vault: &Vault, path: &VaultPath) -> Option<Vec<u8>> {
    vault.indexed_bytes(path).ok()
}

/// Returns the line, from 1, of a heading, or with `^` of a block, as a link names them.
pub(super) fn line_of(vault: &Vault, path: &str, place: &str) -> Option<usize> {
    let path = VaultPath::file(path).ok().filter(VaultPath::is_note)?;
    let facts = facts_now(vault, &path)?;
    let line = match Anchors::new(&facts).find(place)? {
        Anchor::Block(block) => facts.blocks.get(block)?.span.start.line,
        Anchor::Headings(found) => facts.headings.get(*found.last()?)?.span.start.line,
    };
    Some(usize::try_from(line).unwrap_or(usize::MAX) + 1)
}

/// Returns the property `title`, unless it is empty.
pub(super) fn titled(properties: &Map<String, Value>) -> Option<String> {
    let value = properties.get("title").filter(|value| !value.is_null())?;
    let title = text_of(value);
    let title = title.trim_matches(is_space);
    (!title.is_empty()).then(|| title.to_owned())
}

/// Returns the displayed title of a note: its property `title`, else its first heading of level 1, else its name.
pub(super) fn called(path: &VaultPath, text: &str) -> String {
    let properties = Frontmatter::parse_unmarked(text).map(|found| found.properties);
    titled(&properties.unwrap_or_default()).unwrap_or_else(|| heading_or_name(path, text))
}

/// Returns the displayed title of a note without the property `title`.
pub(super) fn heading_or_name(path: &VaultPath, text: &str) -> String {
    let mut headings = scan(text).headings.into_iter();
    let first = headings.find(|heading| heading.level == 1);
    let title = first.map(|heading| heading.text.trim_matches(is_space).to_owned());
    let title = title.filter(|title| !title.is_empty());
    title.unwrap_or_else(|| path.basename().to_owned())
}

/// Returns the property `title`, or else the file's name with blanks for `-` and `_`.
pub(super) fn title(path: &VaultPath, properties: &Map<String, Value>) -> Option<String> {
    if let Some(title) = titled(properties) {
        return Some(title);
    }
    let name = path.basename();
    let words: Vec<&str> = name
        .split(['-', '_'])
        .filter(|part| !part.is_empty())
        .collect();
    let cleaned = words.join(" ");
    let cleaned = cleaned.trim_matches(is_space);
    (!cleaned.is_empty()).then(|| cleaned.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::path;

    use super::*;

    const CASES: &str = include_str!("note_cases.txt");

    #[test]
    fn the_properties_end_at_a_line_that_is_hyphens_alone() {
        for [text, yaml, body] in tables::section(CASES, "the properties end at a line") {
            let (found, range) = split(text);
            assert_eq!((found, &text[range]), (yaml, body), "{text:?}");
        }
    }

    #[test]
    fn a_note_without_a_title_is_called_by_its_file() {
        let titled = |file: &str, value: Value| {
            let properties = json!({ "title": value });
            title(&path(file), properties.as_object().unwrap())
        };
        assert_eq!(titled("inbox/one.md", Value::Null).as_deref(), Some("one"));
        assert_eq!(
            titled("a/my-own_-note.md", json!("  ")).as_deref(),
            Some("my own note")
        );
        assert_eq!(titled("a.md", json!(" T ")).as_deref(), Some("T"));
        assert_eq!(titled("a.md", json!(2024)).as_deref(), Some("2024"));
        assert_eq!(titled("a.md", json!(["x", "y"])).as_deref(), Some("x,y"));
        assert_eq!(titled("_-.md", Value::Null), None);
    }
}
