//! Files of the configuration folder that an edit changes.

use obsidian_note::VaultPath;
use obsidian_note::byte_order_mark;
use serde_json::Value;
use vault_files::{EngineError, Obstacle, Vault};

use super::{Change, json_text};

/// A JSON file of the configuration folder in its current state.
pub(super) struct ConfigText {
    pub(super) path: VaultPath,
    bytes: Option<Vec<u8>>,
}

impl ConfigText {
    pub(super) fn read(vault: &Vault, name: &str) -> Result<Self, EngineError> {
        let (path, bytes) = vault.config(name)?;
        let doubt = vault.doubt_about(name, bytes.as_deref());
        vault.ensure_settings_usable(doubt.as_slice())?;
        Ok(Self { path, bytes })
    }

    pub(super) fn is_there(&self) -> bool {
        self.bytes.is_some()
    }

    /// Its text without a byte order mark; `None` if it is missing or not UTF-8.
    pub(super) fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(self.bytes.as_deref()?).ok()?;
        Some(byte_order_mark::strip(text))
    }

    /// Returns the steps that give the existing file this text, after its byte order mark.
    pub(super) fn modified(self, text: &str) -> Vec<Change> {
        let before = self.bytes.unwrap_or_default();
        let mark = before
            .get(..byte_order_mark::length(&before))
            .unwrap_or_default();
        let after = [mark, text.as_bytes()].concat();
        Change::modified(self.path, before, after)
    }

    /// Returns the steps that create the missing file, and its folder if that is missing too.
    pub(super) fn created(self, vault: &Vault, value: &Value) -> Result<Vec<Change>, EngineError> {
        let folder = self.path.parent();
        let mut changes = Vec::new();
        match vault.disk().folder(&folder) {
            _ if vault.plans_folder(&folder) => {}
            Ok(_) => {}
            Err(blocked) if matches!(blocked.obstacle, Obstacle::Missing) => {
                changes.push(Change::MakeFolder { path: folder });
            }
            Err(blocked) => return Err(EngineError::from_blocked_path(&folder, blocked)),
        }
        changes.push(Change::Create {
            path: self.path,
            after: json_text::pretty(value, "", "  ", "\n").into_bytes(),
        });
        Ok(changes)
    }
}
