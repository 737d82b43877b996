//! Lists and reads the entries of a journal.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::blobs::MAX_BYTES;
use super::entry::{JournalEntry, NoEntry, RunKind, SCHEMA_VERSION};
use super::journal_folder::Journal;
use super::name::{EntryName, Stage};
use crate::error::StoreError;
use protocol::{Code, Failure, Issue, Part, message};

/// The content of a journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalListing {
    /// The entries, newest first.
    pub entries: Vec<ListedRun>,
    /// The warnings about foreign or damaged files, one for each; these files are skipped.
    pub warnings: Vec<Issue>,
}

/// An entry and the state of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedRun {
    /// The entry, without its inline contents.
    pub entry: JournalEntry,
    /// Whether the run has ended, and whether it was undone.
    pub standing: RunStanding,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStanding {
    /// The run is in progress, or was interrupted.
    Unfinished,
    /// The run has ended and is in effect.
    Done,
    /// The run was interrupted. The state that recovery found counts as its result.
    Interrupted,
    /// The run has ended and was undone later.
    Undone {
        /// The run that undid it.
        by: Uuid,
    },
}

impl RunStanding {
    /// Returns the name in answers. It never changes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unfinished => "unfinished",
            Self::Done => "done",
            Self::Interrupted => "interrupted",
            Self::Undone { .. } => "undone",
        }
    }
}

/// The later runs that undid or redid the same change.
struct LaterRuns {
    /// The first of these runs.
    next: Uuid,
    /// The last of these runs, and what it did.
    newest: (Uuid, RunKind),
}

/// Returns the state of a run. A change that was undone and redone counts as done.
fn standing(entry: &JournalEntry, later: Option<&LaterRuns>) -> RunStanding {
    if entry.finished_at.is_none() {
        return RunStanding::Unfinished;
    }
    let by = later.and_then(|later| match (entry.kind(), later.newest) {
        (RunKind::Change, (by, RunKind::Undo)) => Some(by),
        (RunKind::Change, _) => None,
        (RunKind::Undo | RunKind::Redo, _) => Some(later.next),
    });
    match by {
        Some(by) => RunStanding::Undone { by },
        None if entry.interrupted => RunStanding::Interrupted,
        None => RunStanding::Done,
    }
}

impl Journal {
    /// Lists every entry, newest first. Needs no lock.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the journal cannot be read.
    pub fn entries(&self) -> Result<JournalListing, Failure> {
        let mut listing = JournalListing::default();
        let mut later = BTreeMap::new();
        for name in self.entry_names()? {
            let entry = match self.read_head(name) {
                Ok(entry) => entry,
                Err(Unreadable::Gone | Unreadable::CutOff) => continue,
                Err(Unreadable::Damaged(warning)) => {
                    listing.warnings.push(*warning);
                    continue;
                }
            };
            let standing = standing(&entry, later.get(&entry.change()));
            if entry.took_effect() {
                let run = (entry.run_id, entry.kind());
                later
                    .entry(entry.change())
                    .and_modify(|later: &mut LaterRuns| later.next = run.0)
                    .or_insert(LaterRuns {
                        next: run.0,
                        newest: run,
                    });
            }
            listing.entries.push(ListedRun { entry, standing });
        }
        Ok(listing)
    }

    /// Returns the ids of runs that are in progress or interrupted. Needs no lock.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the journal cannot be read.
    pub fn unfinished(&self) -> Result<Vec<Uuid>, Failure> {
        let open = self.open_entries()?;
        Ok(open.into_iter().map(|name| name.run).collect())
    }

    /// Returns the names of all entries, newest first.
    pub(super) fn entry_names(&self) -> Result<Vec<EntryName>, Failure> {
        // A race with a run that ends: with the open folder listed first, its entry is found twice
        // rather than missed.
        let open = self.open_entries()?;
        let mut entries = entries_among(&self.names()?, &open);
        entries.dedup_by_key(|name| name.run);
        Ok(entries)
    }

    /// Returns the names of open entries, newest first. Costs one listing of a folder that is normally empty or
    /// missing.
    pub(super) fn open_entries(&self) -> Result<Vec<EntryName>, Failure> {
        let mut open: Vec<EntryName> = self
            .open
            .names()?
            .iter()
            .filter_map(|name| EntryName::parse(name))
            .filter(|name| !name.is_ended())
            .collect();
        open.sort_unstable_by(|one, other| other.cmp(one));
        Ok(open)
    }

    /// Returns the names of all files except open entries.
    pub(super) fn names(&self) -> Result<Vec<String>, Failure> {
        Ok(self.folder.names()?)
    }

    /// Reads one entry, and checks that it is what its name says and belongs to this vault.
    pub(super) fn read_entry(&self, name: EntryName) -> Result<JournalEntry, Unreadable> {
        self.read_entry_as(name, JournalEntry::from_bytes)
    }

    /// Like [`Self::read_entry`], with another reader of its bytes.
    pub(super) fn read_entry_as(
        &self,
        name: EntryName,
        read: impl Fn(&[u8]) -> Result<JournalEntry, NoEntry>,
    ) -> Result<JournalEntry, Unreadable> {
        let file = self.place_of(name).read(&name.to_string(), MAX_BYTES);
        self.checked(name, file, read)
    }

    /// Like [`Self::read_entry`], without the inline contents.
    pub(super) fn read_head(&self, name: EntryName) -> Result<JournalEntry, Unreadable> {
        let line = self.place_of(name).read_line(&name.to_string(), MAX_BYTES);
        self.checked(name, line, JournalEntry::from_line)
    }

    fn checked(
        &self,
        name: EntryName,
        bytes: Result<Option<Vec<u8>>, StoreError>,
        read: impl Fn(&[u8]) -> Result<JournalEntry, NoEntry>,
    ) -> Result<JournalEntry, Unreadable> {
        let damaged = |why: &str| Unreadable::damaged(name, why);
        let bytes = bytes.map_err(|reason| damaged(&reason.file_is()))?;
        // Another process has just finished or forgotten it.
        let bytes = bytes.ok_or(Unreadable::Gone)?;
        let mut entry = read(&bytes).map_err(|reason| match reason {
            NoEntry::CutOff | NoEntry::Foreign if name.stage == Stage::New => Unreadable::CutOff,
            NoEntry::CutOff => damaged("it is truncated"),
            NoEntry::Foreign => damaged("it is not a valid entry"),
            NoEntry::Altered => damaged("it was changed after it was written"),
        })?;
        if entry.schema_version != SCHEMA_VERSION {
            return Err(damaged("it is from another version of vault-gw"));
        }
        if entry.run_id != name.run || entry.vault != self.key {
            return Err(damaged("it belongs to another run or vault"));
        }
        if name.is_ended() && entry.finished_at.is_none() {
            entry.finished_at = Some(entry.started_at.clone());
        }
        Ok(entry)
    }
}

/// Returns the ended entries among these file names and the open ones, newest first.
pub(super) fn entries_among(names: &[String], open: &[EntryName]) -> Vec<EntryName> {
    let ended = names
        .iter()
        .filter_map(|name| EntryName::parse(name))
        .filter(|name| name.is_ended());
    let mut entries: Vec<EntryName> = ended.chain(open.iter().copied()).collect();
    entries.sort_unstable_by(|one, other| other.cmp(one));
    entries
}

/// Reason why an entry cannot be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// The file no longer exists.
    Gone,
    /// The entry is being written, or its process was killed while writing. Its run has not begun.
    CutOff,
    /// The file is not an entry of this vault.
    Damaged(Box<Issue>),
}

impl Unreadable {
    fn damaged(name: EntryName, why: &str) -> Self {
        let message = message!(
            "The entry of run {} in the undo history cannot be used: {}.",
            Part::RunId(name.run),
            why
        );
        let state = if name.is_ended() {
            "done"
        } else {
            "unfinished"
        };
        let issue = Issue::new("JOURNAL_ENTRY_SKIPPED", message)
            .with("runId", name.run.to_string())
            .with("state", state);
        Self::Damaged(Box::new(issue))
    }

    /// Returns the failure of a call that needs this entry.
    pub(super) fn into_failure(self, run: Uuid) -> Failure {
        let message = match self {
            Self::Gone | Self::CutOff => {
                message!("Run {} is no longer in the undo history.", Part::RunId(run))
            }
            Self::Damaged(issue) => issue.message,
        };
        Code::IoError
            .failure(message)
            .with("runId", run.to_string())
    }
}
