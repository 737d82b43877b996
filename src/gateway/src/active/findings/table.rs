//! `config/active_content.toml`: what is harmless, and the kinds of active content.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use protocol::code::Code;
use protocol::failure::Failure;

static TABLE: LazyLock<Result<Table, String>> = LazyLock::new(|| {
    let text = include_str!("../../../../../config/active_content.toml");
    toml::from_str(text).map_err(|error| error.to_string())
});

/// The names of harmless content, and all kinds of active content.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    pub(crate) harmless: Harmless,
    #[serde(rename = "kind")]
    rows: Vec<Kind>,
}

/// The names that are harmless, each list for one place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Harmless {
    /// Schemes of addresses of links.
    pub(crate) schemes: Names,
    /// Commands of formulas that can load something or run a program.
    pub(crate) formula_commands: Names,
    /// Languages of code blocks that are only coloured.
    pub(crate) languages: Names,
    /// Languages of code blocks whose content a plugin shows like a note.
    pub(crate) note_languages: Names,
    /// Functions of Dataview that build no text.
    pub(crate) query_functions: Names,
    /// Elements of HTML, with any attributes.
    pub(crate) html_elements: Names,
    /// Attributes of HTML whose value is not an address.
    pub(crate) html_attributes: Names,
    /// Elements of SVG.
    pub(crate) svg_elements: Names,
    /// Attributes of SVG.
    pub(crate) svg_attributes: Names,
    /// The names in capitals, without an extension, of files that are not instructions.
    pub(crate) capital_names: Names,
}

/// A set of names, which are written with white space between them.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Names(HashSet<String>);

impl From<String> for Names {
    fn from(text: String) -> Self {
        Self(text.split_whitespace().map(str::to_owned).collect())
    }
}

impl Names {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// One kind of active content.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kind {
    /// The id of the kind in answers.
    pub(crate) id: String,
    /// The content that it matches, in words.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the table is read by people too")
    )]
    pub(crate) what: String,
    /// The warning for a person, before its line and its text.
    pub(crate) warning: String,
    /// The harm that it can do.
    pub(crate) why: String,
    /// The replacement for an agent to write.
    pub(crate) instead: String,
    /// The names that it matches, in lower case.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// Whether it is active when the app shows the file.
    #[serde(default = "yes")]
    pub(crate) acts_when_shown: bool,
    /// Examples that are found: the text of a note, or a table of a file and its text.
    #[serde(rename = "found")]
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests use them"))]
    pub(crate) examples: Vec<toml::Value>,
    /// Examples beside them that are not.
    #[serde(rename = "near")]
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests use them"))]
    pub(crate) near_misses: Vec<toml::Value>,
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
    pub(crate) fn builtin() -> Result<&'static Self, Failure> {
        TABLE.as_ref().map_err(|error| {
            let message = format!("The table of active content cannot be read: {error}");
            Code::InternalError.failure(message)
        })
    }

    /// Returns the row of a kind.
    pub(crate) fn row(&self, id: &str) -> Option<&Kind> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// Returns the names that a kind matches.
    pub(crate) fn words(&self, id: &str) -> &[String] {
        self.row(id).map_or(&[], |row| row.words.as_slice())
    }

    /// Whether one of the names of a kind is `name`, in lower case.
    pub(crate) fn has_word(&self, id: &str, name: &str) -> bool {
        self.words(id).iter().any(|word| word == name)
    }

    /// Returns all rows.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> &[Kind] {
        &self.rows
    }
}
