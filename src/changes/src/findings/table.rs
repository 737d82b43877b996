//! `config/active_content.toml`: what is harmless, and the kinds of active content.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::error::Error;
use protocol::Failure;

static TABLE: LazyLock<Result<Table, String>> = LazyLock::new(|| {
    let text = include_str!("../../../../config/active_content.toml");
    toml::from_str(text).map_err(|error| error.to_string())
});

/// The names of harmless content, and all kinds of active content.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The names of harmless content.
    pub harmless: Harmless,
    #[serde(rename = "kind")]
    rows: Vec<Kind>,
}

/// The names that are harmless, each list for one place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harmless {
    /// Schemes of addresses of links.
    pub schemes: Names,
    /// Commands of formulas that can load something or run a program.
    pub formula_commands: Names,
    /// Languages of code blocks that are only coloured.
    pub languages: Names,
    /// Languages of code blocks whose content a plugin shows like a note.
    pub note_languages: Names,
    /// Functions of Dataview that build no text.
    pub query_functions: Names,
    /// Elements of HTML, with any attributes.
    pub html_elements: Names,
    /// Attributes of HTML whose value is not an address.
    pub html_attributes: Names,
    /// Elements of SVG.
    pub svg_elements: Names,
    /// Attributes of SVG.
    pub svg_attributes: Names,
    /// The names in capitals, without an extension, of files that are not instructions.
    pub capital_names: Names,
}

/// A set of names, which are written with white space between them.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub struct Names(HashSet<String>);

impl From<String> for Names {
    fn from(text: String) -> Self {
        Self(text.split_whitespace().map(str::to_owned).collect())
    }
}

impl Names {
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// One kind of active content.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// The id of the kind in answers.
    pub id: String,
    /// The content that it matches, in words.
    pub what: String,
    /// The warning for a person, before its line and its text.
    pub warning: String,
    /// The harm that it can do.
    pub why: String,
    /// The replacement for an agent to write.
    pub instead: String,
    /// The names that it matches, in lower case.
    #[serde(default)]
    pub words: Vec<String>,
    /// Whether it is active when the app shows the file.
    #[serde(default = "yes")]
    pub acts_when_shown: bool,
    /// Examples that are found: the text of a note, or a table of a file and its text.
    #[serde(rename = "found")]
    pub examples: Vec<toml::Value>,
    /// Examples next to them that are not.
    #[serde(rename = "near")]
    pub near_misses: Vec<toml::Value>,
}

const fn yes() -> bool {
    true
}

impl Table {
    /// Returns the table of this program.
    ///
    /// # Errors
    ///
    /// `INTERNAL_ERROR` if it cannot be read, so that nothing is written unchecked.
    pub fn builtin() -> Result<&'static Self, Failure> {
        let table = TABLE.as_ref();
        table.map_err(|error| Error::ActiveContentTable(error.clone()).into())
    }

    /// Returns the row of a kind.
    pub fn row(&self, id: &str) -> Option<&Kind> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// Returns the names that a kind matches.
    pub fn words(&self, id: &str) -> &[String] {
        self.row(id).map_or(&[], |row| row.words.as_slice())
    }

    /// Whether one of the names of a kind is `name`, in lower case.
    pub fn has_word(&self, id: &str, name: &str) -> bool {
        self.words(id).iter().any(|word| word == name)
    }

    /// Returns all rows.
    #[cfg(test)]
    pub fn rows(&self) -> &[Kind] {
        &self.rows
    }
}
