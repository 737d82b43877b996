//! Prunes old entries, so that the journal stays within its limits and no caller can evict the entries
//! that protect against it (`faults.md` H17).
//!
//! - A run that lost content is kept until its age limit, however many others come after it.
//! - One agent may use half of the journal, all agents together what people leave, and people
//!   likewise: each of the two groups can rely on half.
//! - A run of an agent that cannot be kept under these rules is refused. A person's is not: it may
//!   push out older runs of that person, and in the end those that lost content too.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::blobs;
use super::entry::JournalEntry;
use super::failure::unwritable;
use super::list::entries_among;
use super::lock::VaultLock;
use super::name::{self, EntryName};
use super::origin::{Owner, RunOrigin};
use crate::code::Code;
use crate::failure::Failure;
use crate::records::state_folder::{StateFolder, is_temporary};

/// Sizes are summed only once per this many entries, and less often as the journal grows, because that
/// costs a `stat` of each file.
const WEIGH_EVERY: usize = 16;
/// What part of the entries may come before the sizes are added up again.
const PART: usize = 8;
const DAY: u64 = 24 * 60 * 60 * 1000;
/// Minimum bytes that a file takes on the disk.
const BLOCK: u64 = 4096;

/// A run that is about to be recorded.
#[derive(Clone, Debug)]
pub(super) struct Incoming<'a> {
    pub(super) origin: &'a RunOrigin,
    /// Upper bound of the bytes that it will store.
    pub(super) bytes: u64,
}

impl VaultLock {
    /// Removes entries over the age limit and, to make room for `incoming`, entries over the size
    /// limit; then contents that no entry needs, and temporary files of killed processes. Interrupted
    /// runs are kept at any age, because they still have to be recovered.
    ///
    /// # Errors
    ///
    /// `TOO_LARGE_TO_UNDO` if an agent's run does not fit.
    pub(super) fn prune(
        &self,
        names: &[String],
        open: &[EntryName],
        now: Timestamp,
        incoming: &Incoming<'_>,
    ) -> Result<(), Failure> {
        for name in names.iter().filter(|name| is_temporary(name)) {
            self.remove(name)?;
        }
        let mut oldest_first = entries_among(names, open);
        oldest_first.reverse();
        let age = self.journal.limits.max_age_days.saturating_mul(DAY);
        let now = u64::try_from(now.as_millisecond()).unwrap_or_default();
        let too_old: Vec<EntryName> = oldest_first
            .iter()
            .filter(|entry| entry.is_ended())
            .take_while(|entry| entry.order.saturating_add(age) < now)
            .copied()
            .collect();
        if too_old.is_empty() && !self.is_weighed(oldest_first.len(), incoming) {
            return Ok(());
        }
        let mut weight = Weight::measure(self, names, &oldest_first);
        for entry in &too_old {
            weight.forget(*entry);
        }
        let room = weight.make_room(self.journal.limits.max_bytes, incoming);
        // Entries first: after a crash in between, a content without an entry is only waste, but an
        // entry without its contents could not be undone.
        for entry in &weight.forgotten {
            self.remove(&entry.to_string())?;
        }
        for blob in &weight.unused {
            self.remove(&name::blob(blob))?;
        }
        room
    }

    /// Whether to sum the sizes now: once per so many entries, and for each large run, so that the
    /// limit is exceeded by at most an eighth.
    fn is_weighed(&self, count: usize, incoming: &Incoming<'_>) -> bool {
        let step = WEIGH_EVERY.max((count / PART).next_power_of_two());
        let large = self.journal.limits.max_bytes / (8 * step as u64);
        count.is_multiple_of(step) || incoming.bytes > large || incoming.origin.loses_content
    }

    fn remove(&self, name: &str) -> Result<(), Failure> {
        self.journal
            .folder
            .remove(name)
            .map_err(|error| unwritable(&error))
    }
}

/// The size of the journal in bytes on the disk, and which entries need which content.
#[derive(Default)]
struct Weight {
    total: u64,
    /// What each owner's entries weigh with their contents. A content that several need counts for
    /// each.
    owners: BTreeMap<Owner, u64>,
    entries: BTreeMap<EntryName, Weighed>,
    contents: BTreeMap<[u8; 32], KeptContent>,
    /// Contents that no entry needs; they do not count.
    unused: BTreeSet<[u8; 32]>,
    forgotten: Vec<EntryName>,
}

struct Weighed {
    size: u64,
    /// With its contents.
    charged: u64,
    needs: BTreeSet<[u8; 32]>,
    owner: Owner,
    /// Whether it lost content.
    is_pinned: bool,
}

struct KeptContent {
    size: u64,
    needed_by: usize,
}

impl Weight {
    fn measure(lock: &VaultLock, names: &[String], entries: &[EntryName]) -> Self {
        let folder = &lock.journal.folder;
        // A file that another process has removed meanwhile does not count.
        let size_in = |folder: &StateFolder, name: &str| {
            let size = folder.state_of(name).map_or(0, |(size, _)| size);
            size.next_multiple_of(BLOCK)
        };
        let size = |name: &str| size_in(folder, name);
        let mut weight = Self::default();
        let mut is_any_unknown = false;
        for name in names {
            if let Some(hash) = name::blob_hash(name) {
                weight.add_content(hash, size(name));
            }
        }
        for name in entries {
            let size = size_in(lock.journal.place_of(*name), &name.to_string());
            if let Ok(entry) = lock.journal.read_head(*name) {
                weight.add(*name, size, &entry);
            } else {
                // An unreadable entry cannot be undone, so it may go like any other.
                weight.add_unreadable(*name, size);
                is_any_unknown |= !name.is_ended();
            }
        }
        // It is unknown which contents a damaged open entry needs, so all contents are kept.
        if !is_any_unknown {
            weight.drop_what_nobody_needs();
        }
        weight
    }

    fn add_content(&mut self, hash: [u8; 32], size: u64) {
        self.total += size;
        self.contents
            .insert(hash, KeptContent { size, needed_by: 0 });
    }

    fn add(&mut self, name: EntryName, size: u64, entry: &JournalEntry) {
        let files = entry.files.iter();
        let lost = files.filter_map(|file| blobs::hash(&file.before));
        let needs: BTreeSet<[u8; 32]> = lost.filter(|hash| !entry.enclosed.holds(hash)).collect();
        let mut charged = size;
        for hash in &needs {
            if let Some(content) = self.contents.get_mut(hash) {
                content.needed_by += 1;
                charged += content.size;
            }
        }
        let weighed = Weighed {
            size,
            charged,
            needs,
            owner: entry.origin.owner.clone(),
            is_pinned: entry.origin.loses_content || entry.removed_content(),
        };
        self.insert(name, weighed);
    }

    fn add_unreadable(&mut self, name: EntryName, size: u64) {
        let weighed = Weighed {
            size,
            charged: size,
            needs: BTreeSet::new(),
            owner: Owner::Person,
            is_pinned: false,
        };
        self.insert(name, weighed);
    }

    fn insert(&mut self, name: EntryName, weighed: Weighed) {
        self.total += weighed.size;
        *self.owners.entry(weighed.owner.clone()).or_default() += weighed.charged;
        self.entries.insert(name, weighed);
    }

    fn drop_what_nobody_needs(&mut self) {
        let unused: Vec<[u8; 32]> = self
            .contents
            .iter()
            .filter(|(_, content)| content.needed_by == 0)
            .map(|(hash, _)| *hash)
            .collect();
        for hash in unused {
            self.drop_content(hash);
        }
    }

    fn forget(&mut self, name: EntryName) {
        let Some(entry) = self.entries.remove(&name) else {
            return;
        };
        self.forgotten.push(name);
        self.total -= entry.size;
        if let Some(used) = self.owners.get_mut(&entry.owner) {
            *used -= entry.charged;
        }
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

    /// Removes entries until the incoming one fits into `most` bytes and into its owner's half.
    fn make_room(&mut self, most: u64, incoming: &Incoming<'_>) -> Result<(), Failure> {
        let owner = &incoming.origin.owner;
        let half = most / 2;
        loop {
            let own = self.used_by(|other| other == owner) + incoming.bytes;
            let victim = if !owner.is_person() && own > half {
                self.oldest(|other| other == owner, false)
            } else if self.total + incoming.bytes > most {
                self.victim(half, incoming)
            } else {
                return Ok(());
            };
            match victim {
                Some(victim) => self.forget(victim),
                // A change by a person is never refused because the journal is full.
                None if owner.is_person() => return Ok(()),
                None => return Err(no_room(incoming, most)),
            }
        }
    }

    /// The next entry to remove if the total is too large: one of the group that uses more than its
    /// half. Entries of people, and entries that destroyed content, are never removed for an agent.
    fn victim(&self, half: u64, incoming: &Incoming<'_>) -> Option<EntryName> {
        let by_person = incoming.origin.owner.is_person();
        let (for_person, for_agents) = if by_person {
            (incoming.bytes, 0)
        } else {
            (0, incoming.bytes)
        };
        let is_agent = |owner: &Owner| !owner.is_person();
        let of_agents = if self.used_by(is_agent) + for_agents > half {
            self.oldest_of_largest_agent()
        } else {
            None
        };
        let of_people = || {
            let is_over = self.used_by(Owner::is_person) + for_person > half;
            is_over
                .then(|| self.oldest(Owner::is_person, false))
                .flatten()
        };
        let of_own_group = || self.oldest(|owner| owner.is_person() == by_person, false);
        let for_a_person = || {
            by_person
                .then(|| {
                    self.oldest(|_| true, false)
                        .or_else(|| self.oldest(Owner::is_person, true))
                })
                .flatten()
        };
        of_agents
            .or_else(of_people)
            .or_else(of_own_group)
            .or_else(for_a_person)
    }

    fn used_by(&self, is_meant: impl Fn(&Owner) -> bool) -> u64 {
        let owners = self.owners.iter();
        owners
            .filter(|(owner, _)| is_meant(owner))
            .map(|(_, used)| used)
            .sum()
    }

    /// The oldest entry of these owners that may be removed.
    fn oldest(&self, is_meant: impl Fn(&Owner) -> bool, pinned_too: bool) -> Option<EntryName> {
        let mut entries = self.entries.iter();
        let found = entries.find(|(name, entry)| {
            name.is_ended() && is_meant(&entry.owner) && (pinned_too || !entry.is_pinned)
        });
        found.map(|(name, _)| *name)
    }

    fn oldest_of_largest_agent(&self) -> Option<EntryName> {
        let mut agents: Vec<(&Owner, &u64)> = self
            .owners
            .iter()
            .filter(|(owner, _)| !owner.is_person())
            .collect();
        agents.sort_by(|one, other| other.1.cmp(one.1));
        agents
            .into_iter()
            .find_map(|(agent, _)| self.oldest(|owner| owner == agent, false))
    }
}

/// A change of an agent that could not be taken back, since what it replaces cannot be kept.
fn no_room(incoming: &Incoming<'_>, most: u64) -> Failure {
    Failure::new(
        Code::TooLargeToUndo,
        "The journal has no room left to keep what this change replaces, so it could not be undone. \
         Nothing was changed. Change less at once; the owner of the vault can raise \
         `journal.max_bytes`.",
    )
    .with("reason", "journal-full")
    .with("bytes", incoming.bytes)
    .with("limit", most / 2)
}

#[cfg(test)]
#[path = "prune_tests.rs"]
mod tests;
