//! Maps a vault folder to its journal, so that the history follows a folder that is moved or renamed
//! (`design/writes.md`).
//!
//! A journal has the name of the path at which its vault was first changed. Two small files contain the rest, both
//! written under the journal's lock before its first entry:
//!
//! - `journal/<name>/folder.json` identifies the folder that the journal belongs to, by device,
//!   inode and birth time. Another birth time at the same path means another folder, with its own
//!   history.
//! - `folders/<identity>.json` names the journal of a folder, and the path where that folder was
//!   last. It is used if nothing, or another folder, is at that path now. A copy has another
//!   identity.
//!
//! A move replaces the second file in one step; the journal itself stays where it is. If the birth
//! time is unknown, an inode number may belong to a new folder, so a journal belongs to its path
//! alone.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vault_engine::{Failpoints, FolderIdentity, Vault};

use super::journal_folder::Journal;
use crate::error::{Collection, StoreError};
use crate::state_folder::{PATIENCE, StateFolder};
use protocol::{
    Deadline, Failure, Issue,
    digest::{from_hexadecimal, sha256},
    for_person, message,
};

/// Records the folder of a journal.
pub(super) const RECORD: &str = "folder.json";
/// Maximum bytes of the file that describes a vault's folder; it contains a path and some numbers.
const MAX_BYTES: u64 = 64 << 10;
/// The lock for writing in `folders`: the temporary name is not unique.
const LOCK: &str = "lock";

/// The folder of a vault, by which its journal is found.
#[derive(Clone)]
pub(super) struct VaultFolder {
    /// The canonical path of the vault.
    path: PathBuf,
    /// The identity of the folder; `None` if the system reports no identity or no birth time.
    identity: Option<VaultIdentity>,
    /// The map from folders to journals.
    folders: StateFolder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct VaultIdentity {
    device: u64,
    inode: u64,
    born: i64,
}

/// The content of `folder.json`: the identity of the folder that owns the journal.
#[derive(Debug, Serialize, Deserialize)]
struct FolderRecord {
    folder: Option<VaultIdentity>,
}

/// The content of `folders/<identity>.json`: the name of the folder's journal.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Whereabouts {
    journal: String,
    /// The path at which the folder was last seen.
    path: OsString,
}

impl VaultIdentity {
    fn from_folder(folder: FolderIdentity) -> Option<Self> {
        Some(Self {
            device: folder.device,
            inode: folder.inode,
            born: folder.born?,
        })
    }

    /// Returns the file name of this folder's entry in the map.
    fn file(self) -> String {
        format!("{:x}-{:x}-{:x}.json", self.device, self.inode, self.born)
    }

    /// Returns the folder with this file name in the map.
    fn of_file(name: &str) -> Option<Self> {
        let mut numbers = name.strip_suffix(".json")?.split('-');
        let mut number = || u64::from_str_radix(numbers.next()?, 16).ok();
        Some(Self {
            device: number()?,
            inode: number()?,
            born: number()?.cast_signed(),
        })
    }
}

impl VaultFolder {
    /// The folder of this vault, with the map below the state folder `state`.
    pub(super) fn new(
        state: &Path,
        vault: &Vault,
        failpoints: Option<Arc<dyn Failpoints>>,
    ) -> Self {
        Self {
            path: vault.root().to_owned(),
            identity: vault.identity().and_then(VaultIdentity::from_folder),
            folders: StateFolder::new(
                Collection::Journal,
                state.to_owned(),
                &["folders"],
                failpoints,
            ),
        }
    }

    /// Returns the name of the journal that belongs to this folder, which need not exist yet. `journals` is the folder
    /// of all journals.
    pub(super) fn journal(&self, journals: &StateFolder) -> String {
        let by_path = sha256(self.path.as_os_str().as_encoded_bytes());
        let Some(identity) = self.identity else {
            return by_path;
        };
        let record: Option<FolderRecord> = journals.below(&by_path).read_json(RECORD, MAX_BYTES);
        let owner = record.and_then(|record| record.folder);
        if owner.is_some_and(|owner| owner.born == identity.born) {
            return by_path;
        }
        let moved = self.whereabouts(identity).filter(|moved| {
            // No other path is opened.
            from_hexadecimal(&moved.journal).is_some()
                && journals.below(&moved.journal).exists()
                && self.is_gone_from(Path::new(&moved.path))
        });
        match moved {
            Some(moved) => moved.journal,
            // The journal at this path belongs to another folder that was there before.
            None if owner.is_some() => sha256(format!("{by_path} {}", identity.file()).as_bytes()),
            None => by_path,
        }
    }

    /// Returns the location of the journal of the folder with this identity; `None` if the file cannot be read.
    fn whereabouts(&self, identity: VaultIdentity) -> Option<Whereabouts> {
        self.folders.read_json(&identity.file(), MAX_BYTES)
    }

    /// Returns the other folders that were last seen at the path of this folder, with the names of their journals.
    fn earlier(&self, own: &str) -> Result<Vec<(VaultIdentity, String)>, StoreError> {
        let mut earlier = Vec::new();
        for file in self.folders.names()? {
            let place: Option<Whereabouts> = VaultIdentity::of_file(&file)
                .and_then(|_| self.folders.read_json(&file, MAX_BYTES));
            if let (Some(identity), Some(place)) = (VaultIdentity::of_file(&file), place)
                && Path::new(&place.path) == self.path
                && place.journal != own
                && from_hexadecimal(&place.journal).is_some()
            {
                earlier.push((identity, place.journal));
            }
        }
        Ok(earlier)
    }

    /// Whether this folder is no longer at `path`. If unsure, it still is: with a bind mount one
    /// folder has two paths.
    fn is_gone_from(&self, path: &Path) -> bool {
        match fs_err::canonicalize(path) {
            Ok(found) if found == self.path => true,
            Ok(found) => match FolderIdentity::read(&found) {
                Ok(Some(found)) => self
                    .identity
                    .is_some_and(|own| (own.device, own.inode) != (found.device, found.inode)),
                Ok(None) => false,
                Err(error) => is_absence(&error),
            },
            Err(error) => is_absence(&error),
        }
    }

    /// Records that `journal`, called `name`, belongs to this folder at its present path. The caller must have the
    /// lock of the journal. If that is already recorded, it only reads two small files.
    pub(super) fn claim(&self, journal: &StateFolder, name: &str) -> Result<(), StoreError> {
        let known: Option<FolderRecord> = journal.read_json(RECORD, MAX_BYTES);
        if let Some(identity) = self.identity {
            let whereabouts = Whereabouts {
                journal: name.to_owned(),
                path: self.path.clone().into_os_string(),
            };
            let is_ours = match self.whereabouts(identity) {
                Some(known) if known == whereabouts => false,
                // With a bind mount the folder has two journals.
                Some(known) => known.journal == name || self.is_gone_from(Path::new(&known.path)),
                None => true,
            };
            if is_ours {
                self.folders.create()?;
                let _lock = self.folders.lock(LOCK, PATIENCE)?;
                self.folders.replace_json(&identity.file(), &whereabouts)?;
            }
        }
        let folder = self.identity;
        let recorded = known.as_ref().and_then(|record| record.folder);
        if known.is_none() || (folder.is_some() && recorded != folder) {
            journal.replace_json(RECORD, &FolderRecord { folder })?;
        }
        Ok(())
    }
}

impl Journal {
    /// Returns the warning that another folder was at the path of the vault before, and that its journal is not used.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the journals cannot be read.
    pub fn earlier_issue(&self) -> Result<Option<Issue>, Failure> {
        let earlier = self.earlier()?;
        Ok(earlier.map(|(_, journal)| {
            let message = message!(
                "This vault replaced another folder at the same path. The drafts and the undo history of the earlier folder are kept, but not used.{}",
                for_person(format!(
                    " They are in {}. To use them for this folder, run `vault-gw undo --adopt`.",
                    journal.folder.path_to("").display()
                ))
            );
            Issue::new("EARLIER_FOLDER", message)
        }))
    }

    /// Returns the last changed of the folders that were at the path of the vault before and whose journals have drafts
    /// or runs.
    fn earlier(&self) -> Result<Option<(VaultIdentity, Self)>, Failure> {
        let mut newest = None;
        for (folder, key) in self.vault_folder.earlier(&self.key)? {
            let journal = self.with_key(key);
            let last_run = journal.entry_names()?.first().map(|name| name.order);
            if (last_run.is_some() || !journal.drafts()?.is_empty())
                && newest.as_ref().is_none_or(|(newest, _)| last_run > *newest)
            {
                newest = Some((last_run, (folder, journal)));
            }
        }
        Ok(newest.map(|(_, earlier)| earlier))
    }

    /// Uses the journal of an earlier folder for this folder. The journal so far becomes that of the earlier folder, so
    /// a second call undoes the first.
    ///
    /// # Errors
    ///
    /// As [`Self::lock`]; `USAGE_ERROR` if there is no such journal.
    pub fn adopt_earlier(&self, deadline: Deadline) -> Result<(), Failure> {
        let _own = self.lock(deadline)?;
        let Some((folder, journal)) = self.earlier()? else {
            return Err(Failure::nothing_left(
                "There is nothing to adopt. If another folder was at the path of this vault before, it left no drafts and no undo history.",
            ));
        };
        // The lock records that the journal belongs to this folder.
        let _lock = journal.lock(deadline)?;
        let folders = &self.vault_folder.folders;
        let _map = folders.lock(LOCK, PATIENCE)?;
        let place = Whereabouts {
            journal: self.key.clone(),
            path: self.vault_folder.path.clone().into_os_string(),
        };
        folders.replace_json(&folder.file(), &place)?;
        let folder = Some(folder);
        Ok(self.folder.replace_json(RECORD, &FolderRecord { folder })?)
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
