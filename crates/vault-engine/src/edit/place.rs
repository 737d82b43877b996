//! Where a file or folder stands, or will.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};

use crate::disk::{Blocked, Disk, FileStamp, Folder, Obstacle, file_in, list, name_on_disk};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::vault::Vault;

/// Where a file or folder stands, or will. Its folder is not kept open: an edit of many folders
/// would else need more open files than a process may have.
pub(super) struct FilePlace<'vault> {
    disk: &'vault Disk,
    pub(super) path: VaultPath,
    /// The name on disk, which can be another spelling of the path's.
    pub(super) name: OsString,
    /// The path whose content stands here for a while; none where this is its place.
    stands_for: Option<VaultPath>,
}

impl Vault {
    /// The place of this path, whose folder must be there.
    pub(super) fn place(&self, path: &VaultPath) -> Result<FilePlace<'_>, EngineError> {
        self.place_and_folder(path).map(|(place, _)| place)
    }

    /// The same with that folder, for several calls in a row.
    pub(super) fn place_and_folder(
        &self,
        path: &VaultPath,
    ) -> Result<(FilePlace<'_>, Folder), EngineError> {
        let mut place = FilePlace {
            disk: self.disk(),
            path: path.clone(),
            name: OsString::new(),
            stands_for: None,
        };
        let folder = place.folder()?;
        place.name =
            name_on_disk(&folder, path.name()).map_err(|source| place.unreadable(source))?;
        Ok((place, folder))
    }
}

impl Vault {
    /// The name on the disk of what stands at a path, where it is spelled otherwise than the path: in
    /// another Unicode normalization, with other spaces, or in bytes that are not Unicode.
    pub fn name_at(&self, path: &VaultPath) -> Result<Option<OsString>, EngineError> {
        let name = self.place(path)?.name;
        Ok((name != path.name()).then_some(name))
    }
}

impl FilePlace<'_> {
    /// The place called `name` in the same folder. It is one that nothing else is called.
    pub(super) fn beside(&self, name: &str) -> Result<Self, EngineError> {
        let path = self.path.parent().join(name);
        Ok(Self {
            disk: self.disk,
            path: path.map_err(|reason| EngineError::path(name, reason))?,
            name: OsString::from(name),
            stands_for: Some(self.path.clone()),
        })
    }

    /// The path that a caller is told of: nobody asked for a temporary file.
    pub(super) fn told(&self) -> &VaultPath {
        self.stands_for.as_ref().unwrap_or(&self.path)
    }

    /// Opens the folder; `Changed` where it is gone.
    pub(super) fn folder(&self) -> Result<Folder, EngineError> {
        let path = self.path.parent();
        self.disk
            .folder(&path)
            .map_err(|blocked| match blocked.obstacle {
                Obstacle::Missing | Obstacle::NotAFolder => {
                    EngineError::Changed { path: blocked.at }
                }
                _ => EngineError::from_blocked_folder(path.as_str(), &path, blocked),
            })
    }

    /// Opens the file that stands here; `Changed` where there is none.
    pub(super) fn open(&self) -> Result<File, EngineError> {
        self.open_in(&self.folder()?)
    }

    /// As [`Self::open`], with its folder at hand.
    pub(super) fn open_in(&self, folder: &Folder) -> Result<File, EngineError> {
        file_in(folder, self.path.name()).map_err(|obstacle| match obstacle {
            Obstacle::Missing | Obstacle::NotAFolder | Obstacle::IsFolder => self.changed(),
            obstacle @ (Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_)) => {
                let at = self.path.clone();
                EngineError::from_blocked_file(self.path.as_str(), Blocked { at, obstacle })
            }
        })
    }

    /// Whether exactly these bytes stand here.
    pub(super) fn holds(&self, bytes: &[u8]) -> Result<bool, EngineError> {
        self.is_in(self.open()?, bytes)
    }

    /// All bytes of the file here.
    pub(super) fn read(&self) -> Result<Vec<u8>, EngineError> {
        let mut bytes = Vec::new();
        self.open()?
            .read_to_end(&mut bytes)
            .map_err(|source| self.unreadable(source))?;
        Ok(bytes)
    }

    /// Whether the file here begins with these bytes. True where there are none.
    pub(super) fn begins_with(&self, bytes: &[u8]) -> Result<bool, EngineError> {
        let mut found = Vec::with_capacity(bytes.len());
        let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.open()?
            .take(most)
            .read_to_end(&mut found)
            .map_err(|source| self.unreadable(source))?;
        Ok(found == bytes)
    }

    /// Whether exactly these bytes are in the file that was opened here.
    pub(super) fn is_in(&self, file: File, bytes: &[u8]) -> Result<bool, EngineError> {
        let mut found = Vec::with_capacity(bytes.len() + 1);
        // One byte more tells a longer file.
        let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        file.take(most.saturating_add(1))
            .read_to_end(&mut found)
            .map_err(|source| self.unreadable(source))?;
        Ok(found == bytes)
    }

    /// What tells the file that stands here from others; none where nothing does.
    pub(super) fn stamp(&self) -> Result<Option<FileStamp>, EngineError> {
        match self.folder()?.stamp(&self.name) {
            Ok(stamp) => Ok(Some(stamp)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.unreadable(source)),
        }
    }

    /// Whether both are one entry of one folder, spelled differently: on a file system that does
    /// not tell the spellings apart (`faults.md` D07).
    pub(super) fn is_other_spelling_of(&self, other: &Self) -> Result<bool, EngineError> {
        let stamp = self.stamp()?;
        if self.path.parent() != other.path.parent() || stamp.is_none() || stamp != other.stamp()? {
            return Ok(false);
        }
        let entries = list(&self.folder()?).map_err(|source| self.unreadable(source))?;
        Ok(entries.iter().all(|entry| entry.name != self.name))
    }

    pub(super) fn changed(&self) -> EngineError {
        EngineError::Changed {
            path: self.path.clone(),
        }
    }

    pub(super) fn unreadable(&self, source: io::Error) -> EngineError {
        EngineError::Io {
            path: self.path.clone(),
            source,
        }
    }
}
