//! The journal: what stood at each path before a change, so that nothing is lost (`design.md` §10).
//!
//! One file a run, kept outside of the vault, with the contents that would otherwise be gone:
//! small ones in it, each large one once in a file of its own. A run is written down before it changes anything; when the program is killed in
//! between, the next one puts the vault back ([`VaultLock::recover`]). What is finished can be
//! undone ([`VaultLock::undo`]).
//!
//! An entry tells states of paths, not steps, so that it serves both backends: how the app does a
//! change is not known here, what stands there afterwards is.

mod blobs;
mod claim;
mod disk_name;
mod enclosed;
mod entry;
mod failure;
mod hash_text;
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
pub(crate) use self::entry::check_entry_round_trip;
pub use self::entry::{JournalEntry, TouchedPath};
pub use self::journal_folder::Journal;
pub use self::list::{JournalListing, ListedRun, RunStanding};
pub use self::lock::{CutOff, VaultLock};
pub use self::open::{NewEntry, OpenEntry, PlannedRun, RunEnd};
pub use self::origin::{Owner, RunOrigin};
pub use self::recover::{Outcome, Recovered};
pub use self::restore::Restoration;
pub use self::run_prefix::{NoRunPrefix, RunPrefix};
pub use self::undo::Undoing;
