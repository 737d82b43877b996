//! The folder of a vault's journal.

use std::path::Path;
use std::sync::Arc;

use vault_engine::{Failpoints, Vault};

use super::name::EntryName;
use super::vault_folder::VaultFolder;
use crate::error::Collection;
use crate::state_folder::StateFolder;
use protocol::Failure;
use settings::JournalSettings;

/// The folder of entries whose runs have not ended.
pub(super) const OPEN: &str = "open";
/// The folder of the drafts of agents.
const DRAFTS: &str = "drafts";
/// The folder of the labels of notes and agents.
pub const LABELS: &str = "labels";

/// The journal of one vault. Cheap to open: files are read and created only when needed.
#[derive(Clone)]
pub struct Journal {
    /// The folder of all journals.
    pub(super) journals: StateFolder,
    /// Entries of runs that have ended, contents, and the lock.
    pub(super) folder: StateFolder,
    /// The folder that contains only entries of runs that have not ended: one listing of it shows whether a run is in
    /// progress or was interrupted (`threats.toml` H11).
    pub(super) open: StateFolder,
    /// The name of `folder`, which every entry in it states.
    pub(super) key: String,
    pub(super) vault_folder: VaultFolder,
    pub(super) limits: JournalSettings,
}

impl Journal {
    /// Returns the journal of this vault's folder, below the state folder `state`. It is found even if the vault's
    /// folder was moved since the last change.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if the state folder is inside the vault: a change of the vault must not be
    /// able to change the journal that undoes it (`design/settings.md`).
    pub fn open(
        state: &Path,
        vault: &Vault,
        limits: JournalSettings,
        failpoints: Option<Arc<dyn Failpoints>>,
    ) -> Result<Self, Failure> {
        let vault_folder = VaultFolder::new(state, vault, failpoints.clone());
        let journals = StateFolder::new(
            Collection::Journal,
            state.to_owned(),
            &["journal"],
            failpoints,
        );
        journals.ensure_outside(vault.root())?;
        let key = vault_folder.journal(&journals);
        let journal = Self {
            open: journals.clone(),
            folder: journals.clone(),
            journals,
            key: String::new(),
            vault_folder,
            limits,
        };
        Ok(journal.with_key(key))
    }

    /// The journal of this name.
    pub(super) fn with_key(&self, key: String) -> Self {
        let folder = self.journals.below(&key);
        Self {
            open: folder.below(OPEN),
            folder,
            key,
            ..self.clone()
        }
    }

    /// Returns the folder of the drafts of this vault. It is in the journal's folder, so that it is found after the
    /// vault's folder was moved.
    pub fn drafts_folder(&self) -> StateFolder {
        self.folder.below(DRAFTS).of(Collection::Drafts)
    }

    /// Returns the folder of the labels of this vault, for the same reason.
    pub fn labels_folder(&self) -> StateFolder {
        self.folder.below(LABELS).of(Collection::Labels)
    }

    /// The folder that contains the entry of this name.
    pub(super) fn place_of(&self, name: EntryName) -> &StateFolder {
        if name.is_ended() {
            &self.folder
        } else {
            &self.open
        }
    }
}
