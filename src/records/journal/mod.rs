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
mod disk_name;
mod enclosed;
mod entry;
mod list;
mod lock;
mod name;
mod open;
mod origin;
mod prune;
mod recover;
mod restore;
mod run_prefix;
#[cfg(test)]
mod tests;
mod undo;
mod vault_folder;

use std::path::Path;
use std::sync::Arc;

use vault_engine::{Vault, Witness};

pub use self::entry::{Entry, TouchedPath};
pub use self::list::{Listed, Listing, Standing};
pub use self::lock::{CutOff, VaultLock};
use self::name::EntryName;
pub use self::open::{Ended, NewEntry, OpenEntry, Planned};
pub use self::origin::{Origin, Owner};
pub use self::recover::{Outcome, Recovered};
pub use self::restore::Restoration;
pub use self::run_prefix::{NoRunPrefix, RunPrefix};
pub use self::undo::Undoing;
use self::vault_folder::VaultFolder;
use crate::code::Code;
use crate::failure::Failure;
use crate::records::state_folder::StateFolder;
use crate::settings::JournalSettings;
use crate::settings::private_file::Unsafe;

/// The journal of one vault. Cheap to open: nothing is read or made before it is needed.
#[derive(Clone)]
pub struct Journal {
    /// Entries of runs that have ended, contents, and the lock.
    folder: StateFolder,
    /// Entries of runs that have not ended, and nothing else: one listing of this folder tells
    /// whether a run is under way or was cut off (`faults.md` H11).
    open: StateFolder,
    /// The name of `folder`, which its entries bear.
    key: String,
    vault_folder: VaultFolder,
    limits: JournalSettings,
}

impl Journal {
    /// The journal below the state folder `state` that belongs to the folder of this vault, also where
    /// that folder was moved since the last change.
    ///
    /// A state folder inside of the vault is refused: what undoes a change must not be a part of
    /// what is changed (`design.md` §7).
    pub fn open(
        state: &Path,
        vault: &Vault,
        limits: JournalSettings,
        witness: Option<Arc<dyn Witness>>,
    ) -> Result<Self, Failure> {
        let vault_folder = VaultFolder::new(state, vault, witness.clone());
        let journals = StateFolder::new(state.to_owned(), &["journal"], witness);
        journals.ensure_outside(vault.root())?;
        let key = vault_folder.journal(&journals);
        let folder = journals.below(&key);
        Ok(Self {
            open: folder.below(OPEN),
            folder,
            key,
            vault_folder,
            limits,
        })
    }

    /// The folder that holds the entry of this name.
    fn place_of(&self, name: EntryName) -> &StateFolder {
        if name.is_ended() {
            &self.folder
        } else {
            &self.open
        }
    }
}

/// The folder of entries whose runs have not ended.
const OPEN: &str = "open";

/// Largest file that is read, in bytes: an entry of a hundred thousand paths, or a content.
const MAX_BYTES: u64 = 2 << 30;

/// The journal cannot be written: nothing may be changed then.
fn unwritable(reason: &Unsafe) -> Failure {
    Failure::new(
        Code::IoError,
        format!(
            "The journal, without which nothing is changed, cannot be written: {}. Check the space on the disk and the permissions of the state folder.",
            why(reason)
        ),
    )
    .with("reason", "journal")
}

/// The journal cannot be read.
fn unreadable(reason: &Unsafe) -> Failure {
    Failure::new(
        Code::IoError,
        format!(
            "The journal cannot be read: {}. Check the permissions of the state folder.",
            why(reason)
        ),
    )
    .with("reason", "journal")
}

/// A folder of the journal that somebody else could change.
fn unsafe_folder(reason: Unsafe) -> Failure {
    match reason {
        Unsafe::Io(_) => unwritable(&reason),
        other => Failure::new(
            Code::ConfigInvalid,
            format!(
                "The state folder {other}, so the journal in it cannot be trusted. Make it your own, with `chmod go-w` and `chown`."
            ),
        )
        .with("reason", "journal"),
    }
}

/// What is wrong, without the path of a file.
fn why(reason: &Unsafe) -> String {
    match reason {
        Unsafe::Io(error) => error.kind().to_string(),
        other => format!("a file of it {other}"),
    }
}
