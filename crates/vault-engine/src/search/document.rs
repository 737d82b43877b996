//! A note as a query sees it.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use crate::frontmatter::FrontmatterError;
use crate::scan::NoteFacts;

/// Reads what a note's text means, for the queries that ask for it: a query for words alone never
/// does.
pub trait NoteReader: Sync {
    /// Everything found in one pass over the text.
    fn facts(&self, text: &str) -> NoteFacts;

    /// The properties that the text begins with; none where they are missing or not valid
    /// (`vault-semantics.md` §3.2).
    fn properties(&self, text: &str) -> Properties;
}

/// A note's properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties {
    /// Values by name.
    pub values: Map<String, Value>,
    /// The tags among them, each with its `#` (`vault-semantics.md` §3.1).
    pub tags: Vec<String>,
    /// Why there are none although the note begins with some.
    pub invalid: Option<FrontmatterError>,
}

/// One note. Its structure and properties are read when first asked for, and once.
pub struct Document<'note> {
    path: &'note str,
    text: &'note str,
    reader: &'note dyn NoteReader,
    facts: OnceCell<NoteFacts>,
    properties: OnceCell<Properties>,
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

    /// The vault path.
    pub fn path(&self) -> &'note str {
        self.path
    }

    /// The text.
    pub fn text(&self) -> &'note str {
        self.text
    }

    /// Why the properties could not be read, where a query asked for them.
    pub(super) fn invalid_properties(&self) -> Option<&FrontmatterError> {
        self.properties.get()?.invalid.as_ref()
    }

    pub(super) fn facts(&self) -> &NoteFacts {
        self.facts.get_or_init(|| self.reader.facts(self.text))
    }

    pub(super) fn properties(&self) -> &Properties {
        self.properties
            .get_or_init(|| self.reader.properties(self.text))
    }
}

/// The text after the last `/` of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
