//! Records which vault folder a journal belongs to, and moves open entries of older builds to the
//! folder `open`.

use super::failure::{unsafe_folder, unwritable};
use super::journal_folder::Journal;
use super::list;
use super::name::EntryName;
use super::vault_folder::RECORD;
use protocol::failure::Failure;

impl Journal {
    /// Records the vault folder of this journal, and moves open entries of older builds to the folder
    /// `open`. The caller must have the lock.
    pub(super) fn claim(&self) -> Result<(), Failure> {
        if self.is_unclaimed() {
            for name in self.older_open_entries()? {
                let name = name.to_string();
                self.folder
                    .rename_into(&name, &self.open, &name)
                    .map_err(|error| unwritable(&error))?;
            }
        }
        let claimed = self.vault_folder.claim(&self.folder, &self.key);
        claimed.map_err(unsafe_folder)
    }

    /// Whether entries of older builds have not been migrated in this journal.
    pub(super) fn is_unclaimed(&self) -> bool {
        self.folder.state_of(RECORD).is_none() && self.folder.exists()
    }

    /// Open entries of older builds, which stored them next to the ended ones. Lists all entries.
    pub(super) fn older_open_entries(&self) -> Result<Vec<EntryName>, Failure> {
        let names = list::names_in(&self.folder)?;
        let entries = names.iter().filter_map(|name| EntryName::parse(name));
        Ok(entries.filter(|name| !name.is_ended()).collect())
    }
}
