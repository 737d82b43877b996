//! Forgetting old runs.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::list::entries_among;
use super::name::{self, EntryName};
use super::{VaultLock, blobs, unwritable};
use crate::failure::Failure;
use crate::gateway::state_folder::{StateFolder, is_temporary};

/// Sizes are added up at every so many entries only, and the more seldom the more there are: that
/// looks at each file of the journal.
const WEIGH_EVERY: usize = 16;
/// What part of the entries may come before the sizes are added up again.
const PART: usize = 8;
const DAY: u64 = 24 * 60 * 60 * 1000;

impl VaultLock {
    /// Forgets what is too old and, at every sixteenth entry, what is too much: the oldest
    /// finished runs first, and then the contents that no entry tells of. What a killed process
    /// left half written goes too. Unfinished runs stay, whatever their age.
    pub(super) fn prune(
        &self,
        names: &[String],
        open: &[EntryName],
        now: Timestamp,
    ) -> Result<(), Failure> {
        for name in names.iter().filter(|name| is_temporary(name)) {
            self.remove(name)?;
        }
        let mut oldest_first = entries_among(names, open);
        oldest_first.reverse();
        let count = oldest_first.len();
        let is_weighed = count.is_multiple_of(WEIGH_EVERY.max((count / PART).next_power_of_two()));
        let ended = oldest_first.iter().filter(|entry| entry.ended);

        let age = self.journal.limits.max_age_days.saturating_mul(DAY);
        let now = u64::try_from(now.as_millisecond()).unwrap_or_default();
        let mut forgotten: BTreeSet<EntryName> = ended
            .clone()
            .take_while(|entry| entry.order.saturating_add(age) < now)
            .copied()
            .collect();
        if forgotten.is_empty() && !is_weighed {
            return Ok(());
        }
        let mut weight = Weight::of(self, names, &oldest_first);
        for entry in &forgotten {
            weight.forget(*entry);
        }
        for entry in ended {
            if weight.total <= self.journal.limits.max_bytes {
                break;
            }
            if forgotten.insert(*entry) {
                weight.forget(*entry);
            }
        }
        // Entries go first: one without its contents would promise too much.
        for entry in &forgotten {
            self.remove(&entry.to_string())?;
        }
        for blob in &weight.unused {
            self.remove(&name::blob(blob))?;
        }
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), Failure> {
        self.journal
            .folder
            .remove(name)
            .map_err(|error| unwritable(&error))
    }
}

/// What the journal weighs, in bytes on the disk, and who needs which content.
struct Weight {
    total: u64,
    entries: BTreeMap<EntryName, Weighed>,
    contents: BTreeMap<[u8; 32], Content>,
    /// Contents that no entry needs; they weigh nothing any more.
    unused: BTreeSet<[u8; 32]>,
}

struct Weighed {
    size: u64,
    needs: BTreeSet<[u8; 32]>,
}

struct Content {
    size: u64,
    needed_by: usize,
}

impl Weight {
    fn of(lock: &VaultLock, names: &[String], entries: &[EntryName]) -> Self {
        let folder = &lock.journal.folder;
        // One that is gone by now weighs nothing.
        let size_in =
            |folder: &StateFolder, name: &str| folder.state_of(name).map_or(0, |(size, _)| size);
        let size = |name: &str| size_in(folder, name);
        let mut weight = Self {
            total: 0,
            entries: BTreeMap::new(),
            contents: BTreeMap::new(),
            unused: BTreeSet::new(),
        };
        for name in names {
            if let Some(hash) = name::blob_hash(name) {
                let size = size(name);
                weight.total += size;
                weight.contents.insert(hash, Content { size, needed_by: 0 });
            }
        }
        for name in entries {
            let size = size_in(lock.journal.place_of(*name), &name.to_string());
            // Nothing can be undone by an entry that cannot be read.
            let needs: BTreeSet<[u8; 32]> = match lock.journal.read_head(*name) {
                Ok(entry) => {
                    let files = entry.files.iter();
                    let lost = files.filter_map(|file| blobs::hash(&file.before));
                    lost.filter(|hash| !entry.enclosed.holds(hash)).collect()
                }
                Err(_) => BTreeSet::new(),
            };
            for hash in &needs {
                if let Some(content) = weight.contents.get_mut(hash) {
                    content.needed_by += 1;
                }
            }
            weight.total += size;
            weight.entries.insert(*name, Weighed { size, needs });
        }
        let unused: Vec<[u8; 32]> = weight
            .contents
            .iter()
            .filter(|(_, content)| content.needed_by == 0)
            .map(|(hash, _)| *hash)
            .collect();
        for hash in unused {
            weight.drop_content(hash);
        }
        weight
    }

    fn forget(&mut self, name: EntryName) {
        let Some(entry) = self.entries.remove(&name) else {
            return;
        };
        self.total -= entry.size;
        for hash in entry.needs {
            if let Some(content) = self.contents.get_mut(&hash) {
                content.needed_by -= 1;
                if content.needed_by == 0 {
                    self.drop_content(hash);
                }
            }
        }
    }

    fn drop_content(&mut self, hash: [u8; 32]) {
        if let Some(content) = self.contents.remove(&hash) {
            self.total -= content.size;
            self.unused.insert(hash);
        }
    }
}
