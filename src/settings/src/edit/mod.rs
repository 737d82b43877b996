//! Sets one key in the settings file, keeping comments and order.

mod agents;
mod document;

use std::path::{Path, PathBuf};

pub use self::agents::{AgentEdit, edit_agent};
pub(super) use self::agents::{LONGEST, check_agent_name};
pub use self::document::lines_of;
use self::document::{SettingsDocument, statement};
pub use super::keys::names;
use super::keys::{self, Key, SettingKind};
use super::load::{MAX_FILE_BYTES, display_name, read_text};
use super::model::Settings;
use super::parse::parse;
use super::{DEFAULT_FILE, EVERY_AGENT};
use crate::error::Error;
use protocol::{Failure, Message, did_you_mean_or, for_person};
use sandbox::{PrivateFolder, Unsafe, private_dir};
use vault_engine::shown::row;

/// The result of [`set`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// The dotted key, such as `paths.deny`.
    pub key: String,
    /// The previous value as TOML, if the file set the key.
    pub before: Option<String>,
    /// The new value as TOML.
    pub after: String,
    /// Whether the file was written. False if it already had this value.
    pub written: bool,
}

/// Sets one key in a settings file. Creates the file from the commented defaults if it is missing.
///
/// `key` is dotted (`paths.deny`, `agents.helper.tier`). `value` is what one would type: `true`,
/// `500`, `v1`, `["a/**"]`. The folder is locked, and the new text is validated as a whole before
/// it atomically replaces the old one.
///
/// # Errors
///
/// - `USAGE_ERROR`: an unknown key or an invalid value.
/// - `CONFIG_INVALID`: the file is unsafe or invalid, or cannot be edited without changing other
///   settings.
/// - `IO_ERROR`: the file cannot be read or written.
pub fn set(path: &Path, key: &str, value: &str) -> Result<SettingChange, Failure> {
    let wanted = WantedSetting::parse(key, value)?;
    rewrite(path, |old, name| {
        let (mut change, new) = wanted.applied_to(old, name)?;
        change.written = new.is_some();
        if let Some(new) = &new {
            Settings::with_lists(path, new.as_bytes())?;
        }
        Ok((change, new))
    })
}

/// Returns the bytes of a settings file; `None` if it does not exist.
fn stored(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match private_dir::read(path, MAX_FILE_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Unsafe::Missing) => Ok(None),
        Err(reason) => Err(reason.into_failure(&display_name(path))),
    }
}

/// Replaces the text of a settings file by the text that `change` returns and has checked; leaves the file unchanged if
/// that is `None`.
fn rewrite<T>(
    path: &Path,
    change: impl FnOnce(Vec<u8>, &str) -> Result<(T, Option<String>), Failure>,
) -> Result<T, Failure> {
    let name = display_name(path);
    let unusable = |reason: Unsafe| reason.into_failure(&name);
    let (folder, file) = private_dir::split(path).map_err(unusable)?;
    let folder = PrivateFolder::create(folder).map_err(unusable)?;
    // Lock before reading, so that two concurrent calls cannot overwrite each other's change.
    folder.lock().map_err(unusable)?;
    folder.remove_leftovers(file).map_err(unusable)?;
    let old = match folder.read(file, MAX_FILE_BYTES) {
        Err(Unsafe::Missing) => DEFAULT_FILE.as_bytes().to_vec(),
        read => read.map_err(unusable)?,
    };
    let (done, new) = change(old, &name)?;
    if let Some(new) = new {
        refuse_read_only(path)?;
        folder.replace(file, new.as_bytes()).map_err(unusable)?;
    }
    Ok(done)
}

/// Refuses a file that is read-only: replacing it would ignore that its owner protects it.
fn refuse_read_only(path: &Path) -> Result<(), Failure> {
    let is_protected = path
        .metadata()
        .is_ok_and(|found| found.permissions().readonly());
    if is_protected {
        return Err(Error::ReadOnly(display_name(path)).into());
    }
    Ok(())
}

/// Returns the changes that [`set`] would make for these keys and values, and the settings after them; writes nothing.
///
/// # Errors
///
/// As [`set`].
pub fn plan(
    path: &Path,
    wanted: &[(String, String)],
) -> Result<(Vec<SettingChange>, Settings), Failure> {
    let name = display_name(path);
    let mut planned = text(path)?;
    let mut changes = Vec::new();
    for (key, value) in wanted {
        let setting = WantedSetting::parse(key, value)?;
        let (change, new) = setting.applied_to(planned.clone().into_bytes(), &name)?;
        planned = new.unwrap_or(planned);
        changes.push(change);
    }
    let mut settings = Settings::with_lists(path, planned.as_bytes())?;
    // A file that does not exist yet is in no folder that could be checked.
    settings.file = settings.file.filter(|file| file.exists());
    Ok((changes, settings))
}

/// A key and its new value.
struct WantedSetting {
    path: Vec<String>,
    value: toml::Value,
}

impl WantedSetting {
    fn parse(key: &str, value: &str) -> Result<Self, Failure> {
        let (path, key) = find_key(key)?;
        let value = read_value(&path, key, value)?;
        Ok(Self { path, value })
    }

    /// Applies the change to the text of the file `name`. Returns the new text too, unless the file
    /// has this value already.
    fn applied_to(
        &self,
        old: Vec<u8>,
        name: &str,
    ) -> Result<(SettingChange, Option<String>), Failure> {
        let Self { path, value } = self;
        let invalid = |bytes: &[u8]| {
            read_text(bytes, name)
                .err()
                .unwrap_or_else(|| cannot_edit(name, path))
        };
        let old = String::from_utf8(old).map_err(|error| invalid(error.as_bytes()))?;
        let document = SettingsDocument::parse(&old).ok_or_else(|| invalid(old.as_bytes()))?;
        let before = document.get(path);
        let change = SettingChange {
            key: path
                .iter()
                .map(|part| document::key_text(part))
                .collect::<Vec<_>>()
                .join("."),
            before: before.as_ref().map(ToString::to_string),
            after: value.to_string(),
            written: false,
        };
        if before.as_ref() == Some(value) {
            read_text(old.as_bytes(), name)?;
            return Ok((change, None));
        }
        let new = document
            .with(path, value)
            .ok_or_else(|| cannot_edit(name, path))?;
        read_text(new.as_bytes(), name)?;
        Ok((change, Some(new)))
    }
}

/// Returns the value of a key in the file; its `value` is `None` if the file does not set it.
///
/// # Errors
///
/// - `USAGE_ERROR`: an unknown key.
/// - `CONFIG_INVALID`, `IO_ERROR`: the file is unsafe or cannot be read.
pub fn get(path: &Path, key: &str) -> Result<StoredSetting, Failure> {
    let (key_path, _) = find_key(key)?;
    let bytes = stored(path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let document = SettingsDocument::parse(&text);
    let value = document.and_then(|document| document.get(&key_path));
    Ok(StoredSetting {
        path: key_path,
        value,
    })
}

/// A key and its value in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSetting {
    /// The parts of the dotted key.
    pub path: Vec<String>,
    /// The value, if the file sets it.
    pub value: Option<toml::Value>,
}

/// A value that [`unset`] removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedSetting {
    /// The value as TOML.
    pub before: String,
    /// The file with the settings before, if a table was removed: its lines have comments too.
    pub earlier: Option<PathBuf>,
}

/// Removes one key, or the table of an agent, from a settings file, so that its default applies again. Returns the
/// removed value; `None` if it was not set. An unknown key can be removed too if the file contains it, because it makes
/// the file invalid.
///
/// # Errors
///
/// As [`set`].
pub fn unset(path: &Path, key: &str) -> Result<Option<RemovedSetting>, Failure> {
    let key_path = parts(key)?;
    let is_table = keys::is_table(&key_path);
    let is_of_agent = is_table && key_path.len() > 1;
    let known = if is_of_agent {
        Ok(())
    } else {
        find_key(key).map(drop)
    };
    // Another table has the comments about its keys, and a missing file sets no key.
    if is_table && !is_of_agent || stored(path)?.is_none() {
        return known.map(|()| None);
    }
    rewrite(path, |old, name| {
        let cannot = || cannot_edit(name, &key_path);
        let old = String::from_utf8(old).map_err(|_| cannot())?;
        let document = SettingsDocument::parse(&old).ok_or_else(cannot)?;
        let Some(before) = document.get(&key_path) else {
            return known.map(|()| (None, None));
        };
        let new = without_empty_table(document.without(&key_path).ok_or_else(cannot)?);
        // If the file has several mistakes, they are corrected one by one, so the new text need not be
        // valid.
        if read_text(old.as_bytes(), name).is_ok() {
            read_text(new.as_bytes(), name)?;
        }
        let removed = RemovedSetting {
            before: before.to_string(),
            earlier: before
                .is_table()
                .then(|| keep_earlier(path, &old))
                .transpose()?,
        };
        Ok((Some(removed), Some(new)))
    })
}

/// Returns the text without the table of all agents if that table is empty. The table of one agent stays even if it is
/// empty, because it shows that the agent exists.
fn without_empty_table(text: String) -> String {
    let table = ["agents".to_owned(), EVERY_AGENT.to_owned()];
    let shorter = SettingsDocument::parse(&text).and_then(|document| {
        let left = document.get(&table)?;
        let is_empty = left.as_table().is_some_and(toml::Table::is_empty);
        is_empty.then(|| document.without(&table)).flatten()
    });
    shorter.unwrap_or(text)
}

/// Returns the text of a settings file for an editor: the commented defaults if the file does not exist.
///
/// # Errors
///
/// `CONFIG_INVALID`, `IO_ERROR`: the file is unsafe or cannot be read.
pub fn text(path: &Path) -> Result<String, Failure> {
    let bytes = stored(path)?.unwrap_or_else(|| DEFAULT_FILE.as_bytes().to_vec());
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Replaces the text of a settings file by the text that a person has edited, and keeps the earlier text: an editor can
/// leave out lines, and what is left is valid. Returns the file with the earlier text; `None` if the text is the same. It
/// is checked even then: the file may have been invalid before.
///
/// # Errors
///
/// `CONFIG_INVALID` if `new` is not a valid settings file, or the file is no longer `old`: nothing
/// is replaced. `IO_ERROR` if it cannot be written.
pub fn replace_text(path: &Path, old: &str, new: &str) -> Result<Option<PathBuf>, Failure> {
    if new == old && text(path)? == old {
        let bytes = stored(path)?.unwrap_or_default();
        return Settings::with_lists(path, &bytes).map(|_| None);
    }
    rewrite(path, |now, name| {
        if String::from_utf8_lossy(&now) != old {
            return Err(Error::FileChanged(name.to_owned()).into());
        }
        Settings::with_lists(path, new.as_bytes())?;
        Ok((Some(keep_earlier(path, old)?), Some(new.to_owned())))
    })
}

/// Writes the text of a settings file into a file next to it, and returns that. An earlier text may be in no other file,
/// so it is never overwritten.
fn keep_earlier(path: &Path, text: &str) -> Result<PathBuf, Failure> {
    refuse_read_only(path)?;
    let unusable = |reason: Unsafe| reason.into_failure(&display_name(path));
    let (folder, file) = private_dir::split(path).map_err(unusable)?;
    let place = PrivateFolder::create(folder).map_err(unusable)?;
    let mut number = 1;
    loop {
        let mut name = file.to_owned();
        name.push(match number {
            1 => ".bak".to_owned(),
            _ => format!(".{number}.bak"),
        });
        match place.read(&name, MAX_FILE_BYTES) {
            Ok(kept) if kept == text.as_bytes() => return Ok(folder.join(name)),
            Err(Unsafe::Missing) => {
                place.replace(&name, text.as_bytes()).map_err(unusable)?;
                return Ok(folder.join(name));
            }
            _ => number += 1,
        }
    }
}

/// Returns the words that a setting accepts, for completion; empty if it accepts any text or
/// number.
pub fn words(key: &str) -> Vec<String> {
    find_key(key).map_or_else(|_| Vec::new(), |(_, key)| key.kind.words())
}

/// Whether this dotted key is a setting.
pub fn is_setting(key: &str) -> bool {
    find_key(key).is_ok()
}

/// Returns the parts of a dotted key.
fn parts(text: &str) -> Result<Vec<String>, Failure> {
    let keys = toml_edit::Key::parse(text).map_err(|_| invalid_key(text))?;
    Ok(keys.iter().map(|key| key.get().to_owned()).collect())
}

/// Returns the failure of a text that is not a key: it has a dot too many, or characters that need quotes.
fn invalid_key(text: &str) -> Error {
    let name = text.to_owned();
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || "-_*".contains(letter)));
    let words = words.filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_owned).collect();
    if keys::is_table(&words) {
        return Error::Table(name, keys::of_table(&words).join("`, `"));
    }
    if words.first().is_some_and(|first| first == "agents") {
        let hint = "If a name has other characters than letters, digits, `-` and `_`, put it in \
            quotes, as in `agents.\"two words\".tier`.";
        return Error::InvalidKey(name, hint.into());
    }
    let near = match keys::find(&words) {
        Some(_) => Some(words.join(".")),
        None => keys::nearest(&words),
    };
    Error::InvalidKey(name, did_you_mean_or(&Vec::from_iter(near), all_settings))
}

/// Returns the hint for a key that is not like any setting.
fn all_settings() -> Message {
    for_person("`vault-gw settings` lists all settings.").into()
}

fn find_key(text: &str) -> Result<(Vec<String>, Key), Failure> {
    let name = || text.to_owned();
    let path = parts(text)?;
    if let Some(key) = keys::find(&path) {
        return Ok((path, key));
    }
    Err(if keys::is_for_everyone_only(&path) {
        Error::NotForOneAgent(name())
    } else if keys::is_table(&path) {
        Error::Table(name(), keys::of_table(&path).join("`, `"))
    } else {
        let near = Vec::from_iter(keys::nearest(&path));
        Error::UnknownKey(name(), did_you_mean_or(&near, all_settings))
    }
    .into())
}

/// Parses a value for a key and validates it like a value in the file.
fn read_value(path: &[String], key: Key, text: &str) -> Result<toml::Value, Failure> {
    let dotted = path.join(".");
    let unfit = |reason: String| {
        let value = row(text).into_owned();
        Failure::from(Error::InvalidValue(
            dotted.clone(),
            value,
            reason,
            key.kind.takes(),
        ))
    };
    let takes = || unfit(String::new());
    let is_typed = match key.kind {
        SettingKind::Switch | SettingKind::Number(..) => true,
        kind if kind.is_list() => text.trim_start().starts_with('['),
        _ => text.starts_with(['"', '\'']),
    };
    let value = if is_typed {
        text.parse::<toml::Value>().map_err(|_| takes())?
    } else if !key.kind.is_list() {
        toml::Value::from(text)
    } else if text.len() > 1 && text.starts_with('\'') && text.ends_with('\'') {
        // The command prompt of Windows passes single quotes on, and such a rule would match nothing.
        return Err(unfit(
            ": the single quotes are part of the value; use double quotes around the value"
                .to_owned(),
        ));
    } else {
        toml::Value::Array(vec![text.into()])
    };
    let elements = value
        .as_array()
        .filter(|_| key.kind.explains_elements())
        .into_iter()
        .flatten();
    for text in elements.filter_map(toml::Value::as_str) {
        if let Some(error) = key.kind.element_error(text) {
            let error = error.trim_end_matches('.');
            let is_alone = value.as_array().is_some_and(|all| all.len() == 1);
            let which = if is_alone {
                String::new()
            } else {
                format!(" `{}`:", row(text))
            };
            return Err(unfit(format!(":{which} {error}")));
        }
    }
    match parse(&statement(path, &value)) {
        Ok(_) => Ok(value),
        Err(mistake) if mistake.key.as_deref() == Some(dotted.as_str()) => Err(takes()),
        Err(mistake) => Err(Error::Conflict(dotted, mistake.what, mistake.hint).into()),
    }
}

fn cannot_edit(name: &str, path: &[String]) -> Failure {
    Error::NotByEdit(name.to_owned(), path.join(".")).into()
}

#[cfg(test)]
mod tests;
