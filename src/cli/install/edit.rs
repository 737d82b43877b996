//! One entry in a client's configuration, set or removed in its text.

mod json;
mod toml;

use serde_json::Value;

use super::client::{ConfigFormat, McpClient};

/// What a text became, or is to become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// What happened to the entry.
    pub(super) action: EntryAction,
    /// The whole new text.
    pub(super) text: String,
}

/// What happens to the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryAction {
    /// It was not there.
    Added,
    /// It was there and said something else.
    Updated,
    /// It was there as it is to be.
    Unchanged,
    /// It was there and is no more.
    Removed,
    /// It was not there to be removed.
    Absent,
}

impl EntryAction {
    /// The word in JSON.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Absent => "absent",
        }
    }

    /// Whether the file is another one afterwards.
    pub(super) const fn changes(self) -> bool {
        matches!(self, Self::Added | Self::Updated | Self::Removed)
    }
}

/// Why a text is left as it is: the rest of a sentence that begins with the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnusableConfig {
    /// It cannot be read.
    #[error("is not valid {format}: {reason}")]
    Syntax {
        /// The format.
        format: &'static str,
        /// What is wrong, and where.
        reason: String,
    },
    /// It is not an object.
    #[error("does not hold a JSON object")]
    NotAnObject,
    /// A value that should hold entries is something else.
    #[error("has something else than a table of servers at `{key}`")]
    NotATable {
        /// The key.
        key: String,
    },
    /// A key stands there twice, and clients do not agree on which one counts.
    #[error("has the key `{key}` twice")]
    Twice {
        /// The key.
        key: String,
    },
    /// The change cannot be made without another one.
    #[error("cannot be changed without touching something else in it")]
    Entangled,
}

/// The text with the entry `name`: with these keys, or, where there are none, without it.
///
/// Other keys of an entry that is there already stay as they are, since they may be the user's own.
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

/// The entry alone, in a file of its own.
pub(super) fn alone(
    client: McpClient,
    name: &str,
    entry: &[(&'static str, Value)],
) -> Result<String, UnusableConfig> {
    edited(client, "", name, Some(entry)).map(|edited| edited.text)
}
