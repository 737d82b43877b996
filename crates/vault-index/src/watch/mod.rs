//! The changes in a vault's folder since the last query.
//!
//! Only a source that cannot miss an edit is used: an edit that was complete before the query must be in the result. On
//! Linux that is the kernel's event queue (inotify), which each query drains. On other systems, and if the queue would
//! be incomplete, the result is "anything may have changed", and the whole vault is walked.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod system;

use obsidian_note::VaultPath;
pub use system::Watch;
use vault_files::Vault;

/// The possible changes since the last query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Only these files and folders, and what is below them.
    At(Vec<VaultPath>),
    /// Any path may have changed.
    Anywhere,
}

/// Watches the folder of a vault for changes, without a word on which.
pub struct FolderWatch(Watch);

impl FolderWatch {
    /// Watches all folders of this vault from now on.
    pub fn start(vault: &Vault) -> Self {
        Self(Watch::start(vault.disk()))
    }

    /// Whether something changed since the last call. `None` if the folder cannot be watched, as on a network
    /// file system: anything may have changed.
    pub fn has_changed(&mut self, vault: &Vault) -> Option<bool> {
        match self.0.changes(vault.disk()) {
            Changes::At(paths) => Some(!paths.is_empty()),
            Changes::Anywhere => None,
        }
    }
}
