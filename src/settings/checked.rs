//! Validates single values during deserialisation.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize as _, Deserializer, Error as _};

use super::lists::ListName;
use crate::release::Release;

/// Maximum `timeout_ms`: one hour.
pub const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// Valid `timeout_ms`: up to one hour. Zero would end every call before it starts (`faults.md`
/// E16).
pub(super) const TIMEOUT_MS: RangeInclusive<i64> = 1..=MAX_TIMEOUT_MS.cast_signed();
/// Valid `max_output_bytes`: up to 1 GiB, because both streams are kept in memory.
pub(super) const OUTPUT_BYTES: RangeInclusive<i64> = 1..=1 << 30;
/// Valid `journal.max_bytes`: 1 MiB to 1 TiB. A smaller journal could not keep useful undo data.
pub(super) const JOURNAL_BYTES: RangeInclusive<i64> = 1 << 20..=1 << 40;
/// Valid `journal.max_age_days`: up to ten years.
pub(super) const JOURNAL_DAYS: RangeInclusive<i64> = 1..=3650;
/// Valid `journal.max_file_bytes`: up to 1 GiB, because undo keeps the restored file in memory.
pub(super) const JOURNAL_FILE_BYTES: RangeInclusive<i64> = 1..=1 << 30;

pub(super) fn timeout<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    within(value, &TIMEOUT_MS)
}

pub(super) fn output_bytes<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    within(value, &OUTPUT_BYTES)
}

pub(super) fn journal_bytes<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    within(value, &JOURNAL_BYTES)
}

pub(super) fn journal_days<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    within(value, &JOURNAL_DAYS)
}

pub(super) fn journal_file_bytes<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    within(value, &JOURNAL_FILE_BYTES)
}

fn within<'de, D: Deserializer<'de>>(
    value: D,
    range: &RangeInclusive<i64>,
) -> Result<u64, D::Error> {
    let number = i64::deserialize(value)?;
    u64::try_from(number).ok().filter(|_| range.contains(&number)).ok_or_else(|| {
        D::Error::custom(format!("{number} is not from {} to {}", range.start(), range.end()))
    })
}

/// Valid `audit.max_bytes`: 64 KiB to 1 GiB. A smaller log would rotate every few calls.
pub(super) const LOG_BYTES: RangeInclusive<i64> = 1 << 16..=1 << 30;
/// Valid `audit.max_files`: 1 to 1000 rotated files, besides the current one.
pub(super) const LOG_FILES: RangeInclusive<i64> = 1..=1000;

pub(super) fn log_bytes<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    within(value, &LOG_BYTES)
}

/// Valid `taint.keep_hours`: up to a year.
pub(super) const TAINT_HOURS: RangeInclusive<i64> = 1..=8760;

pub(super) fn taint_hours<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    within(value, &TAINT_HOURS)
}

pub(super) fn log_files<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    within(value, &LOG_FILES)
}

/// Returns a bare name or an absolute path. A relative path would run any program of that name in
/// the working directory (`faults.md` C08).
pub(super) fn program<'de, D: Deserializer<'de>>(value: D) -> Result<PathBuf, D::Error> {
    let text = String::deserialize(value)?;
    if is_name_or_absolute(&text) && text != "." && text != ".." {
        Ok(PathBuf::from(text))
    } else {
        Err(D::Error::custom("neither a name nor an absolute path"))
    }
}

/// Parses a version of three numbers; `None` for an empty string.
pub(super) fn version<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Release>, D::Error> {
    let text = String::deserialize(value)?;
    if text.is_empty() {
        return Ok(None);
    }
    Release::parse(&text)
        .map(Some)
        .ok_or_else(|| D::Error::custom("not a version of three numbers"))
}

/// Parses a name or an absolute path of a vault; `None` for an empty string.
pub(super) fn vault<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(value)?;
    if text.is_empty() {
        Ok(None)
    } else if is_name_or_absolute(&text) {
        Ok(Some(text))
    } else {
        Err(D::Error::custom("neither a name nor an absolute path"))
    }
}

/// Parses an absolute path; `None` for an empty string.
pub(super) fn folder<'de, D: Deserializer<'de>>(value: D) -> Result<Option<PathBuf>, D::Error> {
    let text = String::deserialize(value)?;
    if text.is_empty() {
        Ok(None)
    } else if Path::new(&text).is_absolute() && !text.chars().any(char::is_control) {
        Ok(Some(PathBuf::from(text)))
    } else {
        Err(D::Error::custom("not an absolute path"))
    }
}

/// Parses the name of a list; `None` for an empty string.
pub(super) fn list<'de, D: Deserializer<'de>>(value: D) -> Result<Option<ListName>, D::Error> {
    let text = String::deserialize(value)?;
    let name = (!text.is_empty()).then(|| ListName::try_from(text));
    name.transpose().map_err(D::Error::custom)
}

fn is_name_or_absolute(text: &str) -> bool {
    let is_name = !text.is_empty() && !text.starts_with('~') && !text.contains(['/', '\\']);
    (is_name || Path::new(text).is_absolute()) && !text.chars().any(char::is_control)
}
