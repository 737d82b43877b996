//! Where a file or folder stands, or will.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;

use crate::disk::{Blocked, Folder, Obstacle, Stamp, file_in, list, name_on_disk};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::vault::Vault;

/// Where a file or folder stands, or will: the open folder that holds it, and its name there.
pub(super) struct Place {
    pub(super) path: VaultPath,
    pub(super) folder: Folder,
    /// The name on disk, which can be another spelling of the path's.
    pub(super) name: OsString,
}

impl Vault {
    /// The place of this path, whose folder must be there.
    pub(super) fn place(&self, path: &VaultPath) -> Result<Place, EngineError> {
        let parent = path.parent();
        let folder = self
            .disk()
            .folder(&parent)
            .map_err(|blocked| unusable(&parent, blocked))?;
        let name = name_on_disk(&folder, path.name()).map_err(|source| EngineError::Write {
            path: path.clone(),
            source,
        })?;
        Ok(Place {
            path: path.clone(),
            folder,
            name,
        })
    }
}

impl Place {
    /// The place called `name` in the same folder. It is one that nothing else is called.
    pub(super) fn beside(&self, name: &str) -> Result<Self, EngineError> {
        let parent = self.path.parent();
        let path = parent
            .join(name)
            .map_err(|reason| EngineError::path(name, reason))?;
        let folder = self.folder.again().map_err(|source| EngineError::Write {
            path: parent,
            source,
        })?;
        Ok(Self {
            path,
            folder,
            name: OsString::from(name),
        })
    }

    /// Opens the file that stands here; that there is none means that something has changed.
    pub(super) fn open(&self) -> Result<File, EngineError> {
        file_in(&self.folder, self.path.name()).map_err(|obstacle| match obstacle {
            Obstacle::Missing | Obstacle::NotAFolder | Obstacle::IsFolder => self.changed(),
            obstacle @ (Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_)) => {
                let at = self.path.clone();
                EngineError::of_file(self.path.as_str(), Blocked { at, obstacle })
            }
        })
    }

    /// Whether exactly these bytes stand here.
    pub(super) fn holds(&self, bytes: &[u8]) -> Result<bool, EngineError> {
        let mut found = Vec::with_capacity(bytes.len() + 1);
        // One byte more tells a longer file.
        let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.open()?
            .take(most.saturating_add(1))
            .read_to_end(&mut found)
            .map_err(|source| self.unreadable(source))?;
        Ok(found == bytes)
    }

    /// What tells the file that stands here from others; none where nothing does.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.folder.stamp(&self.name).ok()
    }

    /// Whether both are one entry of one folder, spelled differently: on a file system that does
    /// not tell the spellings apart (`faults.md` D07).
    pub(super) fn is_other_spelling_of(&self, other: &Self) -> bool {
        let are_one_file = self.path.parent() == other.path.parent()
            && self
                .stamp()
                .is_some_and(|stamp| Some(stamp) == other.stamp());
        are_one_file
            && list(&self.folder)
                .is_ok_and(|entries| entries.iter().all(|entry| entry.name != self.name))
    }

    pub(super) fn changed(&self) -> EngineError {
        EngineError::Changed {
            path: self.path.clone(),
        }
    }

    pub(super) fn unreadable(&self, source: std::io::Error) -> EngineError {
        EngineError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

/// The folder of something that is to be written cannot be opened.
fn unusable(folder: &VaultPath, blocked: Blocked) -> EngineError {
    match blocked.obstacle {
        Obstacle::Missing | Obstacle::NotAFolder => EngineError::Changed { path: blocked.at },
        _ => EngineError::of_folder(folder.as_str(), folder, blocked),
    }
}
