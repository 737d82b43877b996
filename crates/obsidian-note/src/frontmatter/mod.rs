//! The properties of a note: the YAML block at its head (`vault-semantics.md` §3.2).

mod error;
mod links;
mod lists;
mod plain;
mod repaired;
mod split;
mod to_yaml;
mod yaml;

use serde_json::{Map, Value};

use crate::byte_order_mark;

pub use error::{FrontmatterError, YamlFault};
pub use links::FrontmatterLink;
pub use lists::is_space;
pub use repaired::repaired;
pub use split::body;
pub use split::{PropertiesBlock, split, split_unmarked};
pub use to_yaml::to_yaml;
pub use yaml::{is_not_finite, scalar_key};
pub use yaml_events::scalar::javascript_number;

/// The properties of one note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontmatter {
    /// Values by key, in the order of the note, except that keys that are whole numbers come first
    /// in ascending order, as in every JavaScript object.
    ///
    /// Numbers are JavaScript's: whole ones that are exact are integers, all others floats. Infinities and NaN are
    /// null, as in the app's JSON. Dates are texts.
    pub properties: Map<String, Value>,
}

/// Returns a property by its name, in its exact case or else in any, with the spelling in the note.
pub fn property<'all>(
    all: &'all Map<String, Value>,
    name: &str,
) -> Option<(&'all String, &'all Value)> {
    let folded = name.to_lowercase();
    all.get_key_value(name)
        .or_else(|| all.iter().find(|(key, _)| key.to_lowercase() == folded))
}

impl Frontmatter {
    /// Parses the YAML between the two `---` lines: YAML 1.2, core schema; aliases are expanded and
    /// `<<` is a key like any other. An empty text, or comments alone, give no properties.
    ///
    /// Lines in errors count from the first line of `yaml`. Never panics; time and memory are bounded for any text
    /// (`threats.toml` D14): at most 1 MiB of text, 64 levels, 100 000 values and 4 MiB of text with all aliases
    /// expanded.
    ///
    /// # Errors
    ///
    /// Fails if the text is not valid YAML, not a mapping, or exceeds a limit.
    pub fn parse(yaml: &str) -> Result<Self, FrontmatterError> {
        yaml::mapping(yaml).map(|properties| Self { properties })
    }

    /// Returns the properties of a whole file; empty if it has no block. Lines in errors count in the file.
    ///
    /// # Errors
    ///
    /// As [`Self::parse`].
    ///
    /// ```
    /// use obsidian_note::Frontmatter;
    ///
    /// let properties = Frontmatter::parse_note("---\ntags: [work, garden]\n---\n# Text\n").unwrap();
    /// assert_eq!(properties.tags(), ["#work", "#garden"]);
    /// ```
    pub fn parse_note(file: &str) -> Result<Self, FrontmatterError> {
        Self::parse_unmarked(byte_order_mark::strip(file))
    }

    /// As [`Self::parse_note`], for a text without a byte order mark.
    ///
    /// # Errors
    ///
    /// As [`Self::parse`].
    pub fn parse_unmarked(text: &str) -> Result<Self, FrontmatterError> {
        let Some(block) = split_unmarked(text) else {
            return Ok(Self::default());
        };
        let yaml = text.get(block.yaml).unwrap_or_default();
        Self::parse(yaml).map_err(FrontmatterError::below_first_line)
    }

    /// Returns the first property whose name equals `name`, ignoring ASCII case.
    fn in_any_case(&self, name: &str) -> Option<&Value> {
        self.properties
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests;
