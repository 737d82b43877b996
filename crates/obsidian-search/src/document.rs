//! A note in the form that queries need.

use std::cell::OnceCell;

use obsidian_note::{FrontmatterError, NoteFacts, NoteProblem, VaultPath, Warning};
use serde_json::{Map, Value};

/// Parses a note's text, for queries that need structure or properties. Queries with only words
/// never call it.
pub trait NoteReader: Sync {
    /// Returns the structure of a note (headings, tags, list items and so on), found in one pass over the text.
    fn facts(&self, text: &str) -> NoteFacts;

    /// Returns the properties at the start of the text; empty if they are missing or invalid
    /// (`vault-semantics.md` §3.2).
    fn properties(&self, text: &str) -> SearchedProperties;
}

/// The properties of a note, in the form that searches use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchedProperties {
    /// The values by name, in the order of the note.
    pub values: Map<String, Value>,
    /// The tags among them, each with its `#` (`vault-semantics.md` §3.1).
    pub tags: Vec<String>,
    /// The error if the note begins with a properties block that cannot be read.
    pub invalid: Option<FrontmatterError>,
}

/// One note. Its structure and properties are parsed lazily, at most once.
pub struct Document<'note> {
    path: &'note str,
    text: &'note str,
    reader: &'note dyn NoteReader,
    facts: OnceCell<NoteFacts>,
    properties: OnceCell<SearchedProperties>,
}

impl<'note> Document<'note> {
    /// A note by its vault path and its text, which has no byte order mark.
    pub fn new(path: &'note str, text: &'note str, reader: &'note dyn NoteReader) -> Self {
        Self {
            path,
            text,
            reader,
            facts: OnceCell::new(),
            properties: OnceCell::new(),
        }
    }

    /// Returns the path below the vault's root.
    pub fn path(&self) -> &'note str {
        self.path
    }

    /// Returns the text without a byte order mark.
    pub fn text(&self) -> &'note str {
        self.text
    }

    /// Returns the warning for a note whose structure or properties were needed but could not be read.
    pub fn problem(&self, path: &VaultPath) -> Option<Warning> {
        let (facts, properties) = (self.facts.get(), self.properties.get());
        let invalid = properties.and_then(|properties| properties.invalid.as_ref());
        match invalid {
            Some(error) => Some(error.warning(path)),
            None => facts
                .filter(|facts| facts.is_too_deep)
                .and_then(|_| NoteProblem::TooDeep.warning(path)),
        }
    }

    pub(super) fn facts(&self) -> &NoteFacts {
        self.facts.get_or_init(|| self.reader.facts(self.text))
    }

    pub(super) fn properties(&self) -> &SearchedProperties {
        self.properties
            .get_or_init(|| self.reader.properties(self.text))
    }
}

/// Returns the text after the last `/` of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
