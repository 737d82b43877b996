//! Reads structure and properties from a note's text.

use obsidian_note::scan::scan;
use obsidian_note::{Frontmatter, NoteFacts};

use super::document::{NoteReader, SearchedProperties};

/// Scans a note, and parses its properties, if a query needs them.
#[derive(Clone, Copy, Debug)]
pub struct FromText;

impl NoteReader for FromText {
    fn facts(&self, text: &str) -> NoteFacts {
        scan(text)
    }

    fn properties(&self, text: &str) -> SearchedProperties {
        match Frontmatter::parse_unmarked(text) {
            Ok(found) => SearchedProperties {
                tags: found.tags(),
                values: found.properties,
                invalid: None,
            },
            Err(invalid) => SearchedProperties {
                invalid: Some(invalid),
                ..SearchedProperties::default()
            },
        }
    }
}

/// Reads neither structure nor properties: for notes that are too large for the app to index
/// (`vault-semantics.md` §2.1).
pub struct TextAlone;

impl NoteReader for TextAlone {
    fn facts(&self, _text: &str) -> NoteFacts {
        NoteFacts::default()
    }

    fn properties(&self, _text: &str) -> SearchedProperties {
        SearchedProperties::default()
    }
}
