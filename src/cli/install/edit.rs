//! Sets or removes one entry in the text of a client's configuration.

mod json;
mod toml;

use serde_json::Value;

use super::client::{ConfigFormat, McpClient};

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// What the edit does to the entry.
    pub(super) action: EntryAction,
    /// The new text of the whole file.
    pub(super) text: String,
}

/// What an edit does to the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryAction {
    /// It is added.
    Added,
    /// It existed with other values.
    Updated,
    /// It existed with the same values.
    Unchanged,
    /// It is removed.
    Removed,
    /// It did not exist, so there is nothing to remove.
    Absent,
}

impl EntryAction {
    /// The name in JSON.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Absent => "absent",
        }
    }

    /// Whether the file changes.
    pub(super) const fn changes(self) -> bool {
        matches!(self, Self::Added | Self::Updated | Self::Removed)
    }
}

/// Why a text cannot be edited. Displays as the rest of a sentence that begins with the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnusableConfig {
    /// It has a syntax error.
    #[error("is not valid {format}: {reason}")]
    Syntax {
        /// The name of the format.
        format: &'static str,
        /// The error and its position.
        reason: String,
    },
    /// It is not an object.
    #[error("does not hold a JSON object")]
    NotAnObject,
    /// The value that should hold the entries is not a table.
    #[error("has something else than a table of servers at `{key}`")]
    NotATable {
        /// The key.
        key: String,
    },
    /// A duplicate key: clients disagree about which one counts.
    #[error("has the key `{key}` twice")]
    Twice {
        /// The key.
        key: String,
    },
    /// The edit would change something else too.
    #[error("cannot be changed without touching something else in it")]
    Entangled,
}

/// Sets the entry `name` to these keys, or removes it if there are none.
///
/// Keeps other keys of an existing entry, since they may be the user's own.
///
/// # Errors
///
/// If the text cannot be parsed, or cannot be edited without changing something else.
pub(super) fn edited(
    client: McpClient,
    text: &str,
    name: &str,
    entry: Option<&[(&'static str, Value)]>,
) -> Result<Edited, UnusableConfig> {
    match client.format() {
        ConfigFormat::Json => json::edited(text, client.key(), name, entry, false),
        ConfigFormat::JsonWithComments => json::edited(text, client.key(), name, entry, true),
        ConfigFormat::Toml => toml::edited(text, client.key(), name, entry),
    }
}

/// The text of a file with only this entry.
///
/// # Errors
///
/// If the entry cannot be written in the client's format.
pub(super) fn alone(
    client: McpClient,
    name: &str,
    entry: &[(&'static str, Value)],
) -> Result<String, UnusableConfig> {
    edited(client, "", name, Some(entry)).map(|edited| edited.text)
}
