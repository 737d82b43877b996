//! A file's name on the disk, in a journal entry.

use std::ffi::{OsStr, OsString};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use protocol::digest::hexadecimal;

/// A name in the bytes of the file system, written as hexadecimal digits: it may not be UTF-8, and
/// another program that reads the entry must not normalize it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DiskName(pub(super) OsString);

impl Serialize for DiskName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hexadecimal(bytes_of(&self.0)))
    }
}

impl<'de> Deserialize<'de> for DiskName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let pairs = digits.as_bytes().chunks(2);
        let bytes: Option<Vec<u8>> = pairs
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let bytes = bytes.filter(|_| digits.len().is_multiple_of(2));
        let name = bytes.map(name_of).map(Self);
        // A single component, so that a forged entry cannot name a file in another folder.
        name.filter(|Self(name)| {
            let bytes = bytes_of(name);
            let is_one = !bytes.is_empty() && !bytes.iter().any(|byte| ENDS_A_NAME.contains(byte));
            is_one && bytes != b"." && bytes != b".."
        })
        .ok_or_else(|| D::Error::custom("no name of a file"))
    }
}

/// Bytes that a name cannot contain: separators, and on Windows separators of drives and streams.
const ENDS_A_NAME: &[u8] = if cfg!(windows) { b"/\0\\:" } else { b"/\0" };

#[cfg(unix)]
fn bytes_of(name: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(name)
}

#[cfg(unix)]
fn name_of(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// A name that is not valid Unicode has no portable bytes here, and is not restored.
#[cfg(not(unix))]
fn bytes_of(name: &OsStr) -> &[u8] {
    name.to_str().unwrap_or_default().as_bytes()
}

#[cfg(not(unix))]
fn name_of(bytes: Vec<u8>) -> OsString {
    match String::from_utf8(bytes) {
        Ok(name) => name.into(),
        Err(error) => String::from_utf8_lossy(error.as_bytes())
            .into_owned()
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_component_in_any_bytes() {
        let name: DiskName = serde_json::from_str("\"6e6fcc8174652e6d64\"").unwrap();
        assert_eq!(name.0, "no\u{301}te.md");
        assert_eq!(
            serde_json::to_string(&name).unwrap(),
            "\"6e6fcc8174652e6d64\""
        );
        for wrong in ["", "2e", "2e2e", "612f62", "6100", "6", "zz", "é"] {
            let text = serde_json::to_string(wrong).unwrap();
            assert!(serde_json::from_str::<DiskName>(&text).is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn b10_a_name_that_is_no_unicode_is_kept() {
        let name = DiskName(name_of(vec![b'a', 0xff]));
        let text = serde_json::to_string(&name).unwrap();
        assert_eq!(serde_json::from_str::<DiskName>(&text).unwrap(), name);
    }
}
