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
mod enclosed;
mod entry;
mod folder;
mod list;
mod lock;
mod name;
mod open;
mod prune;
mod recover;
mod restore;
#[cfg(test)]
mod tests;
mod undo;

use std::io;
use std::path::Path;
use std::sync::Arc;

use vault_engine::Witness;

pub use self::entry::{Entry, TouchedPath};
use self::folder::Folder;
pub use self::list::{Listed, Listing, Standing};
pub use self::lock::VaultLock;
pub use self::open::{NewEntry, OpenEntry, Planned};
pub use self::recover::{Outcome, Recovered};
pub use self::restore::Restoration;
pub use self::undo::Undoing;
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::precondition::sha256;
use crate::settings::JournalSettings;
use crate::settings::private_file::Unsafe;

/// The journal of one vault. Cheap to open: nothing is read or made before it is needed.
#[derive(Clone)]
pub struct Journal {
    folder: Folder,
    key: String,
    limits: JournalSettings,
}

impl Journal {
    /// The journal below the state folder `state`, for the vault with the canonical folder `root`.
    ///
    /// A state folder inside of the vault is refused: what undoes a change must not be a part of
    /// what is changed (`design.md` §7).
    pub fn open(
        state: &Path,
        root: &Path,
        limits: JournalSettings,
        witness: Option<Arc<dyn Witness>>,
    ) -> Result<Self, Failure> {
        if lies_in(state, root) {
            return Err(Failure::new(
                Code::ConfigInvalid,
                "The folder for the journal lies inside the vault. Set `XDG_STATE_HOME` to a folder outside of it.",
            ));
        }
        let key = sha256(root.as_os_str().as_encoded_bytes());
        Ok(Self {
            folder: Folder::new(state, &key, witness),
            key,
            limits,
        })
    }
}

/// Whether `state`, or the place where it would be made, is below `root`.
fn lies_in(state: &Path, root: &Path) -> bool {
    state
        .ancestors()
        .find_map(|above| fs_err::canonicalize(above).ok())
        .is_some_and(|above| above.starts_with(root))
}

/// The journal cannot be written: nothing may be changed then.
fn unwritable(error: &io::Error) -> Failure {
    Failure::new(
        Code::IoError,
        format!(
            "The journal, without which nothing is changed, cannot be written: {}. Check the space on the disk and the permissions of the state folder.",
            error.kind()
        ),
    )
    .with("reason", "journal")
}

/// The journal cannot be read.
fn unreadable(error: &io::Error) -> Failure {
    Failure::new(
        Code::IoError,
        format!(
            "The journal cannot be read: {}. Check the permissions of the state folder.",
            error.kind()
        ),
    )
    .with("reason", "journal")
}

/// A folder of the journal that somebody else could change.
fn unsafe_folder(reason: Unsafe) -> Failure {
    match reason {
        Unsafe::Io(error) => unwritable(&error),
        other => Failure::new(
            Code::ConfigInvalid,
            format!(
                "The state folder {other}, so the journal in it cannot be trusted. Make it your own, with `chmod go-w` and `chown`."
            ),
        )
        .with("reason", "journal"),
    }
}
