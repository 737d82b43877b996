//! Validates single values during deserialisation.

use std::path::{Path, PathBuf};

use serde::de::{Deserialize as _, Deserializer, Error as _};

use super::lists::ListName;
use protocol::Release;
use vault_engine::VaultPath;

/// Returns a bare name or an absolute path. A relative path would run any program of that name in
/// the working directory (`threats.toml` C08).
pub(super) fn program<'de, D: Deserializer<'de>>(value: D) -> Result<PathBuf, D::Error> {
    let text = String::deserialize(value)?;
    if is_name_or_absolute(&text) && text != "." && text != ".." {
        Ok(PathBuf::from(text))
    } else {
        Err(D::Error::custom("neither a name nor an absolute path"))
    }
}

/// Checks a text; `None` for an empty one.
fn optional<'de, D: Deserializer<'de>, T>(
    value: D,
    check: impl FnOnce(String) -> Result<T, &'static str>,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(value)?;
    let checked = (!text.is_empty()).then(|| check(text));
    checked.transpose().map_err(D::Error::custom)
}

/// Parses a version of three numbers; `None` for an empty string.
pub(super) fn version<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Release>, D::Error> {
    optional(value, |text| {
        Release::parse(&text).ok_or("not a version of three numbers")
    })
}

/// Parses a name or an absolute path of a vault; `None` for an empty string.
pub(super) fn vault<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    optional(value, |text| {
        let is_vault = is_name_or_absolute(&text);
        is_vault
            .then_some(text)
            .ok_or("neither a name nor an absolute path")
    })
}

/// Parses the name of a configuration folder; `None` for an empty string. As in the app it starts with a dot, so that
/// what closes hidden folders to agents closes it too (`threats.toml` D18).
pub(super) fn config_folder<'de, D: Deserializer<'de>>(
    value: D,
) -> Result<Option<String>, D::Error> {
    optional(value, |text| {
        let is_one_name = VaultPath::file(&text).is_ok_and(|path| {
            path.as_str() == text && path.is_hidden() && path.components().count() == 1
        });
        // The folded name is another folder on some systems, as `.git.` is `.git` on Windows.
        let is_other = [".git", ".trash"].contains(&tiers::folded(&text).as_str());
        let is_valid = is_one_name && !is_other && !text.chars().any(char::is_control);
        is_valid
            .then_some(text)
            .ok_or("not the name of a configuration folder")
    })
}

/// Parses an absolute path; `None` for an empty string.
pub(super) fn folder<'de, D: Deserializer<'de>>(value: D) -> Result<Option<PathBuf>, D::Error> {
    optional(value, |text| {
        let is_valid = Path::new(&text).is_absolute() && !text.chars().any(char::is_control);
        is_valid.then(|| text.into()).ok_or("not an absolute path")
    })
}

/// Parses the name of a list; `None` for an empty string.
pub(super) fn list<'de, D: Deserializer<'de>>(value: D) -> Result<Option<ListName>, D::Error> {
    optional(value, ListName::try_from)
}

fn is_name_or_absolute(text: &str) -> bool {
    let is_name = !text.is_empty() && !text.starts_with('~') && !text.contains(['/', '\\']);
    (is_name || Path::new(text).is_absolute()) && !text.chars().any(char::is_control)
}
