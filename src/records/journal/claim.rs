//! Records which vault folder a journal belongs to, and moves open entries of older builds to the
//! folder where they are looked for now.

use super::failure::{unsafe_folder, unwritable};
use super::journal_folder::Journal;
use super::list;
use super::name::EntryName;
use super::vault_folder::RECORD;
use crate::failure::Failure;

impl Journal {
    /// Writes down whose journal this is, and puts open entries of older builds in their place.
    /// Needs the lock.
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

    /// Whether this is a journal in which entries of older builds were never looked for.
    pub(super) fn is_unclaimed(&self) -> bool {
        self.folder.exists() && self.folder.state_of(RECORD).is_none()
    }

    /// Entries of runs that have not ended, which builds before the folder `open` kept beside those
    /// that have. Costs a listing of all entries.
    pub(super) fn older_open_entries(&self) -> Result<Vec<EntryName>, Failure> {
        let names = list::names_in(&self.folder)?;
        let entries = names.iter().filter_map(|name| EntryName::parse(name));
        Ok(entries.filter(|name| !name.is_ended()).collect())
    }
}
