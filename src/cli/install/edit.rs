//! Sets or removes one entry in the text of a client's configuration.

mod json;
mod json_text;
mod toml;

use serde::Serialize;
use serde_json::{Map, Value};

use super::client::{ConfigFormat, McpClient};

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The action on the entry.
    pub(super) action: EntryAction,
    /// The new text of the whole file.
    pub(super) text: String,
}

/// The action of an edit on the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EntryAction {
    /// The entry was added.
    Added,
    /// The entry existed with other values.
    Updated,
    /// The entry existed with the same values.
    Unchanged,
    /// The entry existed and is removed.
    Removed,
    /// The entry did not exist, so there was nothing to remove.
    Absent,
}

impl EntryAction {
    /// Whether the action changes the file.
    pub(super) const fn changes(self) -> bool {
        matches!(self, Self::Added | Self::Updated | Self::Removed)
    }
}

/// The reason why a text cannot be edited. Displays as the rest of a sentence that begins with the
/// file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnusableConfig {
    /// The text has a syntax error.
    #[error("is not valid {format}: {reason}")]
    Syntax {
        /// The name of the format.
        format: &'static str,
        /// The error and its position.
        reason: String,
    },
    /// The text is not an object.
    #[error("does not contain a JSON object")]
    NotAnObject,
    /// The value that should contain the entries is not a table.
    #[error("has a value at `{key}` that is not a table of servers")]
    NotATable {
        /// The key of the table.
        key: String,
    },
    /// A duplicate key: clients disagree about which one counts.
    #[error("has the key `{key}` twice")]
    Twice {
        /// The key that occurs twice.
        key: String,
    },
    /// The entry names a server by its address, which an entry with a program would lose.
    #[error("already has an entry `{name}` that connects to a server by `{key}`")]
    OtherKind {
        /// The name of the entry.
        name: String,
        /// The key with the address.
        key: &'static str,
    },
    /// The edit would change other parts of the file too.
    #[error("cannot be changed without changing other parts of the file")]
    Entangled,
}

/// Returns the line break of the text: CRLF if all of its lines end with that, otherwise LF.
fn line_break(text: &str) -> &'static str {
    let breaks = text.matches('\n').count();
    if breaks > 0 && text.matches("\r\n").count() == breaks {
        "\r\n"
    } else {
        "\n"
    }
}

/// The keys that contain the address of a remote server in an entry.
const ADDRESSES: [&str; 3] = ["url", "serverUrl", "httpUrl"];

/// Returns the key of the entry that contains an address; `None` if the entry starts a program.
fn address(has_key: impl Fn(&str) -> bool) -> Option<&'static str> {
    ADDRESSES.into_iter().find(|key| has_key(key))
}

/// Returns the present keys of the entry `name`; `None` if it does not exist.
///
/// # Errors
///
/// If the text cannot be parsed.
pub(super) fn existing(
    client: McpClient,
    text: &str,
    name: &str,
) -> Result<Option<Map<String, Value>>, UnusableConfig> {
    let mut servers = servers(client, text)?.into_iter();
    Ok(servers
        .find(|(found, _)| found == name)
        .map(|(_, keys)| keys))
}

/// The name of an entry, with its keys.
type NamedEntry = (String, Map<String, Value>);

/// Returns every entry with its keys. A duplicate name is listed twice.
///
/// # Errors
///
/// If the text cannot be parsed.
pub(super) fn servers(client: McpClient, text: &str) -> Result<Vec<NamedEntry>, UnusableConfig> {
    let servers = match client.format() {
        ConfigFormat::Json => json::servers(text, client.key(), false),
        ConfigFormat::JsonWithComments => json::servers(text, client.key(), true),
        ConfigFormat::Toml => toml::all_servers(text, client.key()),
    }?;
    let entries = servers.into_iter().filter_map(|(name, value)| match value {
        Value::Object(keys) => Some((name, keys)),
        _ => None,
    });
    Ok(entries.collect())
}

/// Sets the entry `name` to these keys, or removes it if they are empty.
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
    entry: Option<&[(&str, Value)]>,
) -> Result<Edited, UnusableConfig> {
    match client.format() {
        ConfigFormat::Json => json::edited(text, client.key(), name, entry, false),
        ConfigFormat::JsonWithComments => json::edited(text, client.key(), name, entry, true),
        ConfigFormat::Toml => toml::edited(text, client.key(), name, entry),
    }
}

/// Returns the text of a file with only this entry.
///
/// # Errors
///
/// If the entry cannot be written in the client's format.
pub(super) fn alone(
    client: McpClient,
    name: &str,
    entry: &[(&str, Value)],
) -> Result<String, UnusableConfig> {
    edited(client, "", name, Some(entry)).map(|edited| edited.text)
}
