//! The journal: a write-ahead log of changes to a vault, for recovery and undo (`design/writes.md`).
//!
//! Each run has one file outside the vault, with the contents that the run would destroy: small ones
//! inline, each large one once in a file of its own. The entry is on the disk before the run changes
//! anything. If the process is killed, the next call rolls the run back ([`VaultLock::recover`]).
//! Finished runs can be undone ([`VaultLock::undo`]).
//!
//! Entries of runs that have not ended are in a folder of their own, so a read only has to list that folder, which is
//! normally empty. An entry is called `.new` until all of it is on the disk, then `.open`. So an open entry that is
//! incomplete was damaged, and its run never counts as one that changed nothing: it stays, with a warning, until
//! `vault-gw undo --forget`.
//!
//! An entry records the state of each path before and after, not steps, so it works for both backends:
//! the steps of the app are unknown, the states before and after can be read.

mod blobs;
mod disk_name;
mod enclosed;
mod entry;
pub(crate) mod hash_text;
mod history;
mod journal_folder;
mod list;
mod lock;
mod name;
mod open;
mod origin;
mod packed;
mod prune;
mod recover;
mod restore;
mod run_prefix;
mod state_form;
#[cfg(test)]
mod tests;
mod undo;
mod vault_folder;

#[cfg(any(test, fuzzing))]
pub use self::entry::check_entry_round_trip;
pub use self::entry::{JournalEntry, RunKind, TouchedPath};
pub use self::history::Direction;
pub use self::journal_folder::Journal;
pub use self::journal_folder::LABELS;
pub use self::list::{JournalListing, ListedRun, RunStanding};
pub use self::lock::{CutOff, VaultLock};
pub(crate) use self::open::too_large;
pub use self::open::{NewEntry, OpenEntry, PlannedRun, RunEnd};
pub use self::origin::{Owner, RunOrigin};
pub use self::prune::JournalUse;
pub use self::recover::{Outcome, Recovered};
pub use self::restore::{Restoration, folder_kept, kept_folders, temporary_file_left};
pub use self::run_prefix::{NoRunPrefix, RunPrefix, short_id};
pub use self::undo::{EditedSince, Reversible, Undoing};
