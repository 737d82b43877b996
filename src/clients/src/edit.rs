//! Sets or removes one entry in the text of a client's configuration.

mod json;
mod toml;

use serde::Serialize;
use serde_json::{Map, Value};

use super::client::{ConfigFormat, McpClient, ServerEntry};

const BYTE_ORDER_MARK: char = '\u{feff}';

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
pub enum EntryAction {
    /// The entry was added.
    Added,
    /// The entry existed with other values.
    Updated,
    /// The entry existed with the same values.
    Unchanged,
    /// The entry existed and is removed.
    Removed,
    /// The entry existed and was replaced by the entry that was there before this program wrote it.
    Restored,
    /// The entry did not exist, so there was nothing to remove.
    Absent,
    /// The entry is not one that this program wrote, so it stays.
    Kept,
}

impl EntryAction {
    /// Whether the action changes the file.
    pub const fn changes(self) -> bool {
        matches!(
            self,
            Self::Added | Self::Updated | Self::Removed | Self::Restored
        )
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
    #[error("was not changed, because the edit would also change other parts of the file")]
    Entangled,
}

/// A parsed configuration.
#[derive(PartialEq)]
struct Config {
    /// The values outside the table of servers.
    others: Map<String, Value>,
    /// The values in the table of servers. A duplicate name is listed twice.
    servers: Vec<(String, Value)>,
}

impl Config {
    fn parse(client: McpClient, text: &str) -> Result<Self, UnusableConfig> {
        match client.format() {
            ConfigFormat::Json => json::parse(text, client.key(), false),
            ConfigFormat::JsonWithComments => json::parse(text, client.key(), true),
            ConfigFormat::Toml => toml::parse(text, client.key()),
        }
    }

    /// Removes the entry `name`, and returns its value; `None` if it does not exist.
    fn take(&mut self, name: &str) -> Result<Option<Value>, UnusableConfig> {
        let mut named = self.servers.extract_if(.., |(found, _)| found == name);
        match (named.next(), named.next()) {
            (first, None) => Ok(first.map(|(_, value)| value)),
            _ => Err(UnusableConfig::Twice {
                key: name.to_owned(),
            }),
        }
    }
}

/// The keys that contain the address of a remote server in an entry.
const ADDRESSES: [&str; 3] = ["url", "serverUrl", "httpUrl"];

/// Returns the byte order mark and the rest.
fn split_mark(text: &str) -> (&str, &str) {
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    text.split_at(text.len() - body.len())
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
    let config = Config::parse(client, split_mark(text).1)?;
    let entries = config.servers.into_iter();
    let entries = entries.filter_map(|(name, value)| match value {
        Value::Object(keys) => Some((name, keys)),
        _ => None,
    });
    Ok(entries.collect())
}

/// Sets the entry `name` to these keys, or removes it if they are `None`.
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
    let (mark, body) = split_mark(text);
    let mut before = Config::parse(client, body)?;
    let old = before.take(name)?;
    let wanted = entry.map(|entry| {
        let keys = old.as_ref().and_then(Value::as_object).cloned();
        let mut keys = keys.unwrap_or_default();
        let new = entry.iter().cloned();
        keys.extend(new.map(|(key, value)| (key.to_owned(), value)));
        Value::Object(keys)
    });
    if let (Some(old), Some(_)) = (&old, entry)
        && let Some(key) = ADDRESSES.into_iter().find(|key| old.get(key).is_some())
    {
        let name = name.to_owned();
        return Err(UnusableConfig::OtherKind { name, key });
    }
    let action = match (&old, &wanted) {
        (None, None) => EntryAction::Absent,
        (None, Some(_)) => EntryAction::Added,
        (Some(_), None) => EntryAction::Removed,
        (Some(old), Some(new)) if old == new => EntryAction::Unchanged,
        (Some(_), Some(_)) => EntryAction::Updated,
    };
    if !action.changes() {
        let text = text.to_owned();
        return Ok(Edited { action, text });
    }
    let new = match client.format() {
        ConfigFormat::Json => json::edited(body, client.key(), name, entry, false),
        ConfigFormat::JsonWithComments => json::edited(body, client.key(), name, entry, true),
        ConfigFormat::Toml => toml::edited(body, client.key(), name, entry),
    }?;
    // Parse the result to be sure that only the entry changed.
    let after = Config::parse(client, &new);
    let mut after = after.map_err(|_| UnusableConfig::Entangled)?;
    if after.take(name)? != wanted || after != before {
        return Err(UnusableConfig::Entangled);
    }
    let text = format!("{mark}{new}");
    Ok(Edited { action, text })
}

/// The file before an entry was added to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileBefore {
    /// There was no file.
    Missing,
    /// The file had this text.
    Text(String),
}

/// Returns the file as it was before the entry was written to it, if that is certain: writing the entry again gives the
/// present text. That is one of the `backups`, newest first, or no file for a file with nothing but the entry. An earlier
/// entry of this name is part of that file, unless it `is_ours` too.
pub(super) fn before_entry(
    client: McpClient,
    text: &str,
    name: &str,
    backups: &[String],
    is_ours: &dyn Fn(&Map<String, Value>) -> bool,
) -> Option<FileBefore> {
    let keys = existing(client, text, name).ok()??;
    // Not every parser keeps the order in which an entry is written.
    let written = client.entry(&ServerEntry::default(), None);
    let place = |key: &str| written.iter().position(|(known, _)| *known == key);
    let is_before = |before: &str| {
        let earlier = existing(client, before, name).ok().flatten();
        let earlier = earlier.unwrap_or_default();
        // Keys of the user that stayed as they were have not been written.
        let entry = keys
            .iter()
            .filter(|(key, value)| place(key).is_some() || earlier.get(*key) != Some(*value));
        let entry = entry.map(|(key, value)| (key.as_str(), value.clone()));
        let mut entry: Vec<(&str, Value)> = entry.collect();
        entry.sort_by_key(|(key, _)| place(key));
        let again = edited(client, before, name, Some(&entry));
        again.is_ok_and(|again| again.action.changes() && again.text == text)
    };
    let Some(at) = backups.iter().position(|backup| is_before(backup)) else {
        return is_before("").then_some(FileBefore::Missing);
    };
    let (backup, older) = (&backups[at], &backups[at + 1..]);
    match existing(client, backup, name) {
        Ok(Some(earlier)) if is_ours(&earlier) => {
            before_entry(client, backup, name, older, is_ours)
        }
        _ => Some(FileBefore::Text(backup.clone())),
    }
}

/// Returns the text with the entry that was there before this program wrote it, by the `backups`, newest first, as it is
/// written there; `None` if there was none, or it cannot be written again.
pub(super) fn with_earlier(
    client: McpClient,
    text: &str,
    name: &str,
    backups: &[String],
    is_ours: &dyn Fn(&Map<String, Value>) -> bool,
) -> Option<String> {
    let mut entries = backups.iter().filter_map(|backup| {
        let entry = existing(client, backup, name).ok()?;
        (!entry.as_ref().is_some_and(is_ours)).then_some((backup, entry))
    });
    let (backup, entry) = entries.next()?;
    let entry = entry?;
    let ((mark, body), from) = (split_mark(text), split_mark(backup).1);
    let new = match client.format() {
        ConfigFormat::Toml => Some(toml::with_entry_of(from, body, client.key(), name)),
        _ => json::with_entry_of(from, body, client.key(), name),
    };
    let mut wanted = Config::parse(client, body).ok()?;
    wanted.take(name).ok()?;
    let is_wanted = |new: &String| {
        Config::parse(client, new).is_ok_and(|mut after| {
            let restored = after.take(name).ok().flatten();
            restored.as_ref().and_then(Value::as_object) == Some(&entry) && after == wanted
        })
    };
    if let Some(new) = new.filter(is_wanted) {
        return Some(format!("{mark}{new}"));
    }
    let without = edited(client, text, name, None).ok()?.text;
    let keys: Vec<_> = entry
        .iter()
        .map(|(key, value)| (key.as_str(), value.clone()))
        .collect();
    Some(edited(client, &without, name, Some(&keys)).ok()?.text)
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
