//! Settings: the JSON files of the configuration folder (`vault-semantics.md` §1.1).

use serde::de::DeserializeOwned;

use crate::byte_order_mark;
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::vault::Vault;
use crate::warning::Warning;

/// One settings file.
pub(crate) struct ConfigFile<T> {
    /// Where it is, or would be.
    pub(crate) path: VaultPath,
    /// What it says; the defaults where there is no such file or it is malformed.
    pub(crate) value: T,
    /// What of it could not be used.
    pub(crate) warnings: Vec<Warning>,
}

impl<T: DeserializeOwned + Default> ConfigFile<T> {
    /// Reads a file below the configuration folder. One that is there and cannot be read is an
    /// error, one that is malformed a warning.
    pub(crate) fn read(vault: &Vault, name: &str) -> Result<Self, EngineError> {
        let (path, bytes) = vault.config(name)?;
        let mut file = Self {
            path,
            value: T::default(),
            warnings: Vec::new(),
        };
        if let Some(bytes) = bytes {
            let json = byte_order_mark::strip_bytes(&bytes);
            match serde_json::from_slice(json) {
                Ok(value) => file.value = value,
                Err(error) => file.ignore(error.to_string()),
            }
        }
        Ok(file)
    }

    /// As [`Self::read`], for a file that an answer can do without: an error is a warning too.
    pub(crate) fn read_if_possible(
        vault: &Vault,
        folder: &VaultPath,
        name: &str,
    ) -> Result<Self, Warning> {
        Self::read(vault, name).map_err(|error| Warning::ConfigIgnored {
            path: folder.clone(),
            reason: error.to_string(),
        })
    }
}

impl<T> ConfigFile<T> {
    /// Notes that a part of the file is not used.
    pub(crate) fn ignore(&mut self, reason: impl Into<String>) {
        self.warnings.push(Warning::ConfigIgnored {
            path: self.path.clone(),
            reason: reason.into(),
        });
    }
}
