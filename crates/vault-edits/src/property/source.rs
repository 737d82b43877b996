//! A note for an edit of its properties: a parsed block, and a body of any bytes.

use obsidian_note::byte_order_mark;
use obsidian_note::frontmatter::split;
use obsidian_note::note_parts::{most_line_ends, same_length};
use obsidian_note::{Frontmatter, PropertiesBlock, VaultPath};
use serde_json::{Map, Value};
use vault_files::EngineError;

/// The bytes of a note with its properties.
pub(super) struct Source<'note> {
    path: &'note VaultPath,
    bytes: &'note [u8],
    block: Option<PropertiesBlock>,
    /// The text between the `---` lines; empty if there is no block.
    pub(super) yaml: &'note str,
    pub(super) properties: Map<String, Value>,
}

impl<'note> Source<'note> {
    /// Reads the properties of the note at this path. They must be UTF-8; the body may have any bytes.
    pub(super) fn read(bytes: &'note [u8], path: &'note VaultPath) -> Result<Self, EngineError> {
        let block = split(&same_length(bytes));
        let yaml = block.as_ref().map_or(0..0, |block| block.yaml.clone());
        let yaml = EngineError::check_text(path, &bytes[yaml])?;
        let properties = Frontmatter::parse(yaml)
            .map_err(|error| {
                // Its line counts from the line after the first `---`.
                let line = error.line.saturating_add(1);
                EngineError::Properties {
                    path: path.clone(),
                    reason: format!("line {line}: {}", error.fault),
                }
            })?
            .properties;
        Ok(Self {
            path,
            bytes,
            block,
            yaml,
            properties,
        })
    }

    /// Returns the error that no change of the text gives the requested properties.
    pub(super) fn unchangeable(&self, reason: String) -> EngineError {
        EngineError::PropertiesUnchangeable {
            path: self.path.clone(),
            reason,
        }
    }

    /// Returns the bytes after the block; without a block, everything after the byte order mark.
    pub(super) fn body(&self) -> &'note [u8] {
        let start = self.block.as_ref().map_or(self.start(), |block| block.body);
        &self.bytes[start..]
    }

    pub(super) fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// Whether the line that closes the block has a line end; as the last line of a note it may
    /// lack one.
    pub(super) fn is_closed_by_a_whole_line(&self) -> bool {
        let closing = self.block.as_ref().map(|block| &self.bytes[..block.body]);
        closing.is_none_or(|closing| closing.ends_with(b"\n"))
    }

    /// Returns the line ends of the block, or without a block the line ends of most lines.
    pub(super) fn line_end(&self) -> &'static str {
        most_line_ends(match &self.block {
            Some(block) => &self.bytes[..block.yaml.start],
            None => self.bytes,
        })
    }

    /// Returns the note with another text between its `---` lines, which are added if it has none.
    pub(super) fn with_yaml(&self, yaml: &str) -> Vec<u8> {
        let Some(PropertiesBlock { yaml: old, .. }) = &self.block else {
            let fence = format!("---{}", self.line_end());
            return self.with_block(&format!("{fence}{yaml}{fence}"));
        };
        let (before, after) = (&self.bytes[..old.start], &self.bytes[old.end..]);
        [before, yaml.as_bytes(), after].concat()
    }

    /// Returns the note with `block`, including its `---` lines, in place of the present one.
    pub(super) fn with_block(&self, block: &str) -> Vec<u8> {
        [self.byte_order_mark(), block.as_bytes(), self.body()].concat()
    }

    /// Whether `after` is this note with `properties` and an unchanged body.
    pub(super) fn becomes(&self, after: &[u8], properties: &Map<String, Value>) -> bool {
        Source::read(after, self.path).is_ok_and(|found| {
            found.properties == *properties
                && found.body() == self.body()
                && found.byte_order_mark() == self.byte_order_mark()
                && (found.has_block() || properties.is_empty())
        })
    }

    fn byte_order_mark(&self) -> &'note [u8] {
        &self.bytes[..self.start()]
    }

    fn start(&self) -> usize {
        byte_order_mark::length(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::path;

    use super::*;

    #[test]
    fn damage_counts_only_inside_of_the_block() {
        let note = path("a.md");
        let read = |bytes| Source::read(bytes, &note).map(|source| source.body().to_vec());
        assert_eq!(read(b"---\na: 1\n---\ncaf\xe9").unwrap(), b"caf\xe9");
        assert_eq!(read(b"\xff").unwrap(), b"\xff");
        let damaged = read(b"---\na: \xe9\n---\nx");
        assert!(matches!(damaged, Err(EngineError::NotText { .. })));
        // Three dashes at the start of a line close the block, regardless of the rest of the line.
        let body = read(b"---\na: 1\n---\xff\n---\nx");
        assert_eq!(body.unwrap(), b"\xff\n---\nx");
    }

    #[test]
    fn a_block_is_made_after_a_byte_order_mark_with_the_notes_line_ends() {
        let made = |text: &str| {
            let note = path("a.md");
            let source = Source::read(text.as_bytes(), &note).unwrap();
            String::from_utf8(source.with_yaml("a: 1\n")).unwrap()
        };
        assert_eq!(made("text"), "---\na: 1\n---\ntext");
        assert_eq!(made("\u{feff}"), "\u{feff}---\na: 1\n---\n");
        assert_eq!(
            made("\u{feff}\u{feff}---\nb: 2\n---\nz"),
            "\u{feff}---\na: 1\n---\n\u{feff}---\nb: 2\n---\nz"
        );
        assert_eq!(made("x\r\ny\r\nz\n"), "---\r\na: 1\n---\r\nx\r\ny\r\nz\n");
        assert_eq!(made("---\nb: 2\n---  \nz"), "---\na: 1\n---  \nz");
    }

    #[test]
    fn what_is_no_mapping_is_damage_at_its_line() {
        let damage = |text: &str| match Source::read(text.as_bytes(), &path("a.md")).err() {
            Some(EngineError::Properties { reason, .. }) => reason,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(
            damage("---\n- a\n---\n"),
            "line 2: the properties must be keys with values"
        );
        assert_eq!(
            damage("---\na: 1\na: 2\n---\n"),
            "line 3: the key `a` occurs twice"
        );
    }
}
