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
