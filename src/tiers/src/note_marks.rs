//! The tags and properties that close notes, as the settings name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use protocol::checked_text;

/// A tag without its `#`, such as `private`. It covers the tags below it too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct TagName(#[schemars(with = "String")] String);

/// The name of a property, such as `confidential`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct PropertyName(#[schemars(with = "String")] String);

/// Reason why a text is not such a name, as the rest of a sentence that starts with "it".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it {0}")]
pub struct NameError(&'static str);

checked_text!(TagName, NameError);
checked_text!(PropertyName, NameError);

impl TagName {
    /// Parses a tag. One that no note can have would close nothing, so it is an error.
    ///
    /// # Errors
    ///
    /// If the app would not take the text for a tag.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let rule = if text.is_empty() {
            "is empty. Write a tag such as `private`"
        } else if text.starts_with('#') {
            "starts with `#`. Write the tag without `#`"
        } else if text.starts_with('/') || text.ends_with('/') || text.contains("//") {
            "has an empty part before or after `/`. Write `private` for this tag and all tags below it"
        } else if !vault_engine::is_tag(text) {
            "is not a tag. A tag can have letters, digits, `_`, `-` and `/`, but not only digits"
        } else {
            return Ok(Self(text.to_owned()));
        };
        Err(NameError(rule))
    }
}

impl PropertyName {
    /// Parses the name of a property.
    ///
    /// # Errors
    ///
    /// If it is empty, has space around it, or contains a control character.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let rule = if text.trim().is_empty() {
            "is empty. Write the name of a property such as `confidential`"
        } else if text.trim() != text {
            "has a space before or after it. Write only the name"
        } else if text.chars().any(char::is_control) {
            "contains a control character. Write the name as in the note"
        } else if text.ends_with(':') {
            "ends with `:`. Write only the name"
        } else {
            return Ok(Self(text.to_owned()));
        };
        Err(NameError(rule))
    }
}
