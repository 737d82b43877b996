//! Settings: the JSON files of the configuration folder (`vault-semantics.md` §1.1).

use obsidian_note::byte_order_mark;
use obsidian_note::{VaultPath, Warning};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// One parsed settings file.
pub struct ConfigFile<T> {
    /// Its path, whether or not it exists.
    pub path: VaultPath,
    /// Its content; the defaults if it is missing or malformed.
    pub value: T,
    /// Warnings about the parts that could not be used.
    pub warnings: Vec<Warning>,
}

/// A settings file whose keys are read one at a time.
pub type ConfigKeys = ConfigFile<Map<String, Value>>;

impl<T: DeserializeOwned + Default> ConfigFile<T> {
    /// Parses the bytes of a file; `None` if it is missing.
    pub fn parse(path: VaultPath, bytes: Option<&[u8]>) -> Self {
        let mut file = Self {
            path,
            value: T::default(),
            warnings: Vec::new(),
        };
        if let Some(bytes) = bytes {
            match serde_json::from_slice(byte_order_mark::strip_bytes(bytes)) {
                Ok(value) => file.value = value,
                Err(error) => file.ignore(error.to_string()),
            }
        }
        file
    }
}

impl<T> ConfigFile<T> {
    /// Adds a warning that a part of the file is ignored.
    pub fn ignore(&mut self, reason: impl Into<String>) {
        self.warnings.push(Warning::ConfigIgnored {
            path: self.path.clone(),
            reason: reason.into(),
        });
    }
}

impl ConfigKeys {
    /// Removes a key and returns its value. A value that is not `wanted` is ignored with a warning.
    pub fn take<T: DeserializeOwned>(&mut self, key: &str, wanted: &str) -> Option<T> {
        let value = self.value.remove(key).filter(|value| !value.is_null())?;
        let taken = serde_json::from_value(value).ok();
        if taken.is_none() {
            self.ignore(format!("`{key}` is not {wanted}"));
        }
        taken
    }

    /// Removes a key and returns its text.
    pub(crate) fn take_text(&mut self, key: &str) -> Option<String> {
        self.take(key, "a text")
    }

    /// Returns the text of a key; empty for any other value, without a warning.
    pub fn text(&self, key: &str) -> &str {
        self.value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}
