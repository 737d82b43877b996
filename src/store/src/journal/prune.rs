//! Prunes old entries, so that the journal stays within its limits and no caller can evict the entries
//! that protect against it (`threats.toml` H17).
//!
//! - A run that removed bytes is kept until its age limit, even if many others follow. The age is measured at a time
//!   that the clock showed a day or more before: a clock that is wrong for less than a day makes no run old.
//! - One agent may use half of the journal. All agents together may use the part that people leave,
//!   and people the part that agents leave. Each of the two groups can rely on half.
//! - The contents that one agent removed may take a quarter of the journal, the contents that all
//!   agents removed a half.
//! - A run of an agent that cannot be kept under these rules is refused. A person's is not: it may
//!   push out older runs of that person, and those that removed bytes once people use their half.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::entry::JournalEntry;
use super::journal_folder::Journal;
use super::list::entries_among;
use super::lock::VaultLock;
use super::name::{self, EntryName};
use super::origin::{Owner, RunOrigin};
use crate::state_folder::StateFolder;
use protocol::{Code, Failure};

/// Sizes are summed only once per this many entries, and less often as the journal grows, because that
/// costs a `stat` of each file.
const WEIGH_EVERY: usize = 16;
/// The sizes are summed again after this fraction (one in eight) of the number of entries was
/// added.
const PART: usize = 8;
const DAY: u64 = 24 * 60 * 60 * 1000;
/// The file with two times of the clock in milliseconds: the latest one, and one that it showed a day or more before.
const CLOCK: &str = "clock";
/// The maximum number of bytes of [`CLOCK`].
const MOST_CLOCK: u64 = 64;
/// Minimum number of bytes of disk space that a file uses.
const BLOCK: u64 = 4096;

/// A run that is about to be recorded.
#[derive(Clone, Debug)]
pub(super) struct Incoming<'a> {
    pub(super) origin: &'a RunOrigin,
    /// Upper bound of the bytes that it will store.
    pub(super) bytes: u64,
}

impl Incoming<'_> {
    fn is_removal_by_agent(&self) -> bool {
        self.origin.loses_content && !self.origin.owner.is_person()
    }
}

impl VaultLock {
    /// Removes entries over the age limit and, to make room for `incoming`, entries over the size
    /// limit; then contents that no entry needs, and temporary files of killed processes. Interrupted
    /// runs are kept at any age, because they still have to be recovered.
    ///
    /// # Errors
    ///
    /// `JOURNAL_FULL` if an agent's run does not fit, `TOO_LARGE_TO_UNDO` if it never could.
    pub(super) fn prune(
        &self,
        names: &[String],
        open: &[EntryName],
        now: Timestamp,
        incoming: &Incoming<'_>,
    ) -> Result<(), Failure> {
        self.journal.folder.sweep(names)?;
        let mut oldest_first = entries_among(names, open);
        oldest_first.reverse();
        let age = self.journal.limits.max_age_days.saturating_mul(DAY);
        let now = self.sure_time(u64::try_from(now.as_millisecond()).unwrap_or_default())?;
        let too_old: Vec<EntryName> = oldest_first
            .iter()
            .filter(|entry| entry.is_ended())
            .take_while(|entry| entry.order.saturating_add(age) < now)
            .copied()
            .collect();
        let is_weighed = self.is_weighed(oldest_first.len(), incoming)
            || incoming.is_removal_by_agent() && self.may_be_at_the_limit(names, incoming);
        if too_old.is_empty() && !is_weighed {
            return Ok(());
        }
        let mut weight = Weight::measure(&self.journal, names, &oldest_first);
        for entry in &too_old {
            weight.forget(*entry);
        }
        let room = weight.make_room(self.journal.limits.max_bytes, incoming);
        // Entries first: after a crash in between, a content without an entry is only waste, but an
        // entry without its contents could not be undone.
        for entry in &weight.forgotten {
            self.journal.folder.remove(&entry.to_string())?;
        }
        for blob in &weight.unused {
            self.journal.folder.remove(&name::blob(blob))?;
        }
        room
    }

    /// Returns a time that has passed, even if the clock has been wrong for less than a day.
    fn sure_time(&self, now: u64) -> Result<u64, Failure> {
        let folder = &self.journal.folder;
        let known: Option<[u64; 2]> = folder.read_json(CLOCK, MOST_CLOCK);
        let times = match known {
            Some([_, latest]) if latest.saturating_add(DAY) <= now => [latest, now],
            Some([sure, latest]) if latest <= now => [sure, latest],
            // The clock was wrong, or is wrong now.
            Some([sure, _]) => [sure.min(now), now],
            None => [0, now],
        };
        if known != Some(times) {
            folder.replace_json(CLOCK, &times)?;
        }
        Ok(times[0])
    }

    /// Whether to sum the sizes now: once per so many entries, and for each large run, so that the
    /// limit is exceeded by at most an eighth.
    fn is_weighed(&self, count: usize, incoming: &Incoming<'_>) -> bool {
        let step = WEIGH_EVERY.max((count / PART).next_power_of_two());
        let large = self.journal.limits.max_bytes / (8 * step as u64);
        count.is_multiple_of(step) || incoming.bytes > large
    }

    /// Whether the journal is so large that an agent may have reached its limit of removed bytes.
    /// Only then are the sizes summed for each run of an agent that removes bytes.
    fn may_be_at_the_limit(&self, names: &[String], incoming: &Incoming<'_>) -> bool {
        let sizes = names.iter().map(|name| size_in(&self.journal.folder, name));
        sizes.sum::<u64>() + incoming.bytes > limit_of_one_agent(self.journal.limits.max_bytes)
    }
}

/// The size of a vault's journal, in bytes on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalUse {
    /// Bytes of the whole journal, with the runs of all owners.
    pub bytes: u64,
    /// Most bytes for the whole journal.
    pub limit: u64,
    /// Bytes that agents' runs removed from the vault, kept until their age limit.
    pub removed_by_agents: u64,
    /// Most bytes for `removed_by_agents`.
    pub limit_of_agents: u64,
    /// Bytes removed by the agent that removed the most.
    pub removed_by_one_agent: u64,
    /// Most bytes for `removed_by_one_agent`.
    pub limit_of_one_agent: u64,
}

impl Journal {
    /// Sums how much of the journal and of the agents' quotas is used. Needs no lock.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the journal cannot be read.
    pub fn used(&self) -> Result<JournalUse, Failure> {
        let (names, open) = (self.names()?, self.open_entries()?);
        let weight = Weight::measure(self, &names, &entries_among(&names, &open));
        let agents = weight.owners.keys().filter(|owner| !owner.is_person());
        let largest = agents.map(|agent| weight.removed_by(|owner| owner == agent));
        let limit = self.limits.max_bytes;
        Ok(JournalUse {
            bytes: weight.total,
            limit,
            removed_by_agents: weight.removed_by(|owner| !owner.is_person()),
            limit_of_agents: limit_of_agents(limit),
            removed_by_one_agent: largest.max().unwrap_or_default(),
            limit_of_one_agent: limit_of_one_agent(limit),
        })
    }
}

/// Returns the number of bytes that a file uses on the disk; 0 if another process has removed the file.
fn size_in(folder: &StateFolder, name: &str) -> u64 {
    let size = folder.state_of(name).map_or(0, |(size, _)| size);
    size.next_multiple_of(BLOCK)
}

/// Returns the most bytes removed by all agents together that the journal keeps.
const fn limit_of_agents(most: u64) -> u64 {
    most / 2
}

/// Most bytes that one agent may have removed. Other agents can rely on the rest.
const fn limit_of_one_agent(most: u64) -> u64 {
    most / 4
}

/// The size of the journal in bytes on the disk, and which entries need which content.
#[derive(Default)]
struct Weight {
    total: u64,
    /// Bytes of each owner's entries with their contents. A content that several entries need
    /// counts for each of them.
    owners: BTreeMap<Owner, u64>,
    entries: BTreeMap<EntryName, Weighed>,
    contents: BTreeMap<[u8; 32], StoredContent>,
    /// Contents that no entry needs; they do not count.
    unused: BTreeSet<[u8; 32]>,
    forgotten: Vec<EntryName>,
}

struct Weighed {
    size: u64,
    /// Bytes of the entry with its contents.
    charged: u64,
    needs: BTreeSet<[u8; 32]>,
    owner: Owner,
    /// Whether it removed bytes, so that other owners cannot push it out.
    is_pinned: bool,
}

struct StoredContent {
    size: u64,
    needed_by: usize,
}

impl Weight {
    fn measure(journal: &Journal, names: &[String], entries: &[EntryName]) -> Self {
        let folder = &journal.folder;
        let size = |name: &str| size_in(folder, name);
        let mut weight = Self::default();
        let mut is_any_unknown = false;
        for name in names {
            if let Some(hash) = name::blob_hash(name) {
                weight.add_content(hash, size(name));
            }
        }
        for name in entries {
            let size = size_in(journal.place_of(*name), &name.to_string());
            let entry = journal.read_head(*name).ok();
            is_any_unknown |= entry.is_none() && !name.is_ended();
            weight.add(*name, size, entry.as_ref());
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
            .insert(hash, StoredContent { size, needed_by: 0 });
    }

    /// Adds an entry; `None` if it cannot be read, which counts as a person's.
    fn add(&mut self, name: EntryName, size: u64, entry: Option<&JournalEntry>) {
        let needs: BTreeSet<[u8; 32]> = entry.map(lost_in_files).unwrap_or_default();
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
            owner: entry.map_or(Owner::Person, |entry| entry.origin.owner.clone()),
            is_pinned: entry.is_some_and(|entry| entry.origin.loses_content),
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
        if incoming.is_removal_by_agent() {
            self.check_removals(most, incoming)?;
        }
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
                // A change by a person is never refused because the journal is full. Nor does it
                // take the agents' half: what people removed beyond their own half is dropped by
                // the next change of a person.
                None if owner.is_person() || self.agents_fit(half, incoming) => return Ok(()),
                None => return Err(no_room(incoming, half)),
            }
        }
    }

    fn agents_fit(&self, half: u64, incoming: &Incoming<'_>) -> bool {
        self.used_by(|owner| !owner.is_person()) + incoming.bytes <= half
    }

    /// Refuses an agent's run that removes bytes if the agent, or all of them, would then have
    /// removed more than may be kept.
    fn check_removals(&self, most: u64, incoming: &Incoming<'_>) -> Result<(), Failure> {
        let owner = &incoming.origin.owner;
        let removed = self.removed_by(|other| other == owner) + incoming.bytes;
        if removed > limit_of_one_agent(most) {
            return Err(no_room(incoming, limit_of_one_agent(most)));
        }
        let removed = self.removed_by(|other| !other.is_person()) + incoming.bytes;
        if removed > limit_of_agents(most) {
            return Err(no_room(incoming, limit_of_agents(most)));
        }
        Ok(())
    }

    /// Returns the next entry to remove if the total is too large: one of the group that uses more than its half. An
    /// agent's run never pushes out entries of people within their half, nor entries of runs that removed bytes. So
    /// agents that fill the journal never cost a person the contents that the person removed.
    fn victim(&self, half: u64, incoming: &Incoming<'_>) -> Option<EntryName> {
        let by_person = incoming.origin.owner.is_person();
        let (for_person, for_agents) = if by_person {
            (incoming.bytes, 0)
        } else {
            (0, incoming.bytes)
        };
        let is_agent = |owner: &Owner| !owner.is_person();
        let agents_are_over = self.used_by(is_agent) + for_agents > half;
        let people_are_over = self.used_by(Owner::is_person) + for_person > half;
        let of_people = |pinned_too| {
            let oldest = || self.oldest(Owner::is_person, pinned_too);
            people_are_over.then(oldest).flatten()
        };
        let of_agents = agents_are_over.then(|| self.oldest_of_largest_agent());
        let victim = of_agents
            .flatten()
            .or_else(|| of_people(false))
            .or_else(|| self.oldest(|owner| owner.is_person() == by_person, false));
        if victim.is_some() || !by_person {
            return victim;
        }
        self.oldest(|_| true, false).or_else(|| of_people(true))
    }

    fn used_by(&self, is_meant: impl Fn(&Owner) -> bool) -> u64 {
        let owners = self.owners.iter();
        owners
            .filter(|(owner, _)| is_meant(owner))
            .map(|(_, used)| used)
            .sum()
    }

    /// Bytes of the entries of these owners that removed bytes, with their contents.
    fn removed_by(&self, is_meant: impl Fn(&Owner) -> bool) -> u64 {
        let entries = self.entries.values();
        let removing: Vec<&Weighed> = entries
            .filter(|entry| entry.is_pinned && is_meant(&entry.owner))
            .collect();
        // A content that several entries need is stored once, so it counts once.
        let needs = removing.iter().flat_map(|entry| &entry.needs);
        let needs: BTreeSet<&[u8; 32]> = needs.collect();
        let contents = needs.into_iter().filter_map(|hash| self.contents.get(hash));
        let entries: u64 = removing.iter().map(|entry| entry.size).sum();
        entries + contents.map(|content| content.size).sum::<u64>()
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

/// Returns the hashes of the contents that the entry needs in files of their own.
fn lost_in_files(entry: &JournalEntry) -> BTreeSet<[u8; 32]> {
    let lost = entry.files.iter().filter_map(|file| file.before.version());
    lost.map(|version| version.sha256)
        .filter(|hash| !entry.enclosed.holds(hash))
        .collect()
}

/// Returns the failure of an agent's change that could not be undone, because what it replaces does not fit into
/// `limit`.
fn no_room(incoming: &Incoming<'_>, limit: u64) -> Failure {
    let failure = if incoming.bytes > limit {
        Code::TooLargeToUndo
            .failure(
                "Nothing was changed. The earlier content of the files is more than the undo \
                history keeps for an agent, so the change could not be undone.",
            )
            .hint(
                "Change fewer or smaller files in one call. The owner of the vault can raise `journal.max_bytes`.",
            )
    } else if incoming.origin.loses_content {
        Code::JournalFull.failure(
            "Nothing was changed, because the undo history has no room for the content that this change removes.",
        )
    } else {
        Code::JournalFull.failure(
            "Nothing was changed, because the undo history has no room for the earlier content of the files.",
        )
    };
    failure.with("bytes", incoming.bytes).with("limit", limit)
}

#[cfg(test)]
#[path = "prune_tests.rs"]
mod tests;
