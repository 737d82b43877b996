//! The place of one file or folder: its path, and its name on disk.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};

use obsidian_note::VaultPath;
use vault_files::disk::{file_in, list, name_on_disk};
use vault_files::{Blocked, Disk, EngineError, FileStamp, Folder, Obstacle};

use crate::Editor;
use crate::temporary::part_name;

/// The place of a file or folder that exists or will be made. Its folder is not kept open:
/// otherwise an edit of many folders could need more file descriptors than a process may have.
#[derive(Clone)]
pub(super) struct FilePlace<'vault> {
    disk: &'vault Disk,
    pub(super) path: VaultPath,
    /// The name on disk, which can be another spelling of the path's name.
    pub(super) name: OsString,
    /// The path to which a temporary file belongs, for messages; `None` for other files.
    stands_for: Option<VaultPath>,
}

impl<'vault> Editor<'vault> {
    /// The place of this path. Its folder must exist.
    pub(super) fn place(&self, path: &VaultPath) -> Result<FilePlace<'vault>, EngineError> {
        self.place_and_folder(path).map(|(place, _)| place)
    }

    /// As [`Self::place`], and the open folder, for several calls in a row.
    pub(super) fn place_and_folder(
        &self,
        path: &VaultPath,
    ) -> Result<(FilePlace<'vault>, Folder), EngineError> {
        let mut place = FilePlace {
            disk: self.0.disk(),
            path: path.clone(),
            name: OsString::new(),
            stands_for: None,
        };
        let folder = place.folder()?;
        place.name =
            name_on_disk(&folder, path.name()).map_err(|source| place.unreadable(source))?;
        Ok((place, folder))
    }

    /// Returns the name on disk of the entry at a path, if its spelling differs from the path's: in Unicode
    /// normalization, in kinds of spaces, or in bytes that are not Unicode.
    ///
    /// # Errors
    ///
    /// [`EngineError::Changed`] if the folder does not exist any more, [`EngineError::Io`] if it
    /// cannot be listed.
    pub fn name_at(&self, path: &VaultPath) -> Result<Option<OsString>, EngineError> {
        let name = self.place(path)?.name;
        Ok((name != path.name()).then_some(name))
    }
}

impl FilePlace<'_> {
    /// The place of a temporary file called `name`, which must be unique, in the same folder: a
    /// rename from another folder could cross file systems, and would then not be atomic.
    pub(super) fn beside(&self, name: &str) -> Result<Self, EngineError> {
        let path = self.path.parent().join(name);
        Ok(Self {
            disk: self.disk,
            path: path.map_err(|reason| EngineError::path(name, reason))?,
            name: OsString::from(name),
            stands_for: Some(self.path.clone()),
        })
    }

    /// The place of this temporary file while it is written.
    pub(super) fn while_written(&self) -> Result<Self, EngineError> {
        let mut part = self.beside(&part_name(self.path.name()))?;
        part.stands_for.clone_from(&self.stands_for);
        Ok(part)
    }

    /// Whether this is the name of a temporary file, which no other program uses.
    pub(super) fn is_temporary(&self) -> bool {
        self.stands_for.is_some()
    }

    /// Returns the path for messages. The caller does not know the name of a temporary file.
    pub(super) fn path_for_messages(&self) -> &VaultPath {
        self.stands_for.as_ref().unwrap_or(&self.path)
    }

    /// Returns the error of a write at this place that the system failed.
    pub(super) fn unwritable(&self, source: io::Error) -> EngineError {
        EngineError::unwritable(self.path_for_messages(), source)
    }

    /// Opens the folder. [`EngineError::Changed`] if it does not exist any more.
    pub(super) fn folder(&self) -> Result<Folder, EngineError> {
        let path = self.path.parent();
        self.disk.folder(&path).map_err(|blocked| {
            if blocked.obstacle.is_absence() {
                EngineError::Changed { path: blocked.at }
            } else {
                EngineError::from_blocked_path(&path, blocked)
            }
        })
    }

    /// Opens the file. [`EngineError::Changed`] if there is none.
    pub(super) fn open(&self) -> Result<File, EngineError> {
        self.open_in(&self.folder()?)
    }

    /// As [`Self::open`], with its open folder.
    pub(super) fn open_in(&self, folder: &Folder) -> Result<File, EngineError> {
        file_in(folder, self.path.name()).map_err(|obstacle| match obstacle {
            Obstacle::Missing | Obstacle::NotAFolder | Obstacle::IsFolder => self.changed(),
            obstacle @ (Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_)) => {
                let at = self.path.clone();
                EngineError::from_blocked_file(self.path.as_str(), Blocked { at, obstacle })
            }
        })
    }

    /// Whether the file contains exactly these bytes.
    pub(super) fn holds(&self, bytes: &[u8]) -> Result<bool, EngineError> {
        self.is_in(self.open()?, bytes)
    }

    /// Returns all bytes of the file at this place.
    pub(super) fn read(&self) -> Result<Vec<u8>, EngineError> {
        let mut bytes = Vec::new();
        self.open()?
            .read_to_end(&mut bytes)
            .map_err(|source| self.unreadable(source))?;
        Ok(bytes)
    }

    /// Whether the file begins with these bytes; true if there are none.
    pub(super) fn begins_with(&self, bytes: &[u8]) -> Result<bool, EngineError> {
        let mut found = Vec::with_capacity(bytes.len());
        let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.open()?
            .take(most)
            .read_to_end(&mut found)
            .map_err(|source| self.unreadable(source))?;
        Ok(found == bytes)
    }

    /// Whether the file that was opened here contains exactly these bytes.
    pub(super) fn is_in(&self, file: File, bytes: &[u8]) -> Result<bool, EngineError> {
        let mut found = Vec::with_capacity(bytes.len() + 1);
        // Reading one byte more than expected shows whether the file is longer.
        let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        file.take(most.saturating_add(1))
            .read_to_end(&mut found)
            .map_err(|source| self.unreadable(source))?;
        Ok(found == bytes)
    }

    /// Returns the inode, size and times of the file; `None` if the file does not exist.
    pub(super) fn stamp(&self) -> Result<Option<FileStamp>, EngineError> {
        match self.folder()?.stamp(&self.name) {
            Ok(stamp) => Ok(Some(stamp)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.unreadable(source)),
        }
    }

    /// Whether the file has this stamp, so that it was not written to since. The stamp's `changed` is not compared,
    /// because a rename changes it.
    pub(super) fn is_still(&self, stamp: FileStamp) -> bool {
        self.stamp().ok().flatten().is_some_and(|found| {
            (found.inode, found.size, found.modified) == (stamp.inode, stamp.size, stamp.modified)
        })
    }

    /// Whether both are one entry of one folder, spelled differently, on a file system that does
    /// not distinguish the spellings (`threats.toml` D07).
    pub(super) fn is_other_spelling_of(&self, other: &Self) -> Result<bool, EngineError> {
        let stamp = self.stamp()?;
        if self.path.parent() != other.path.parent() || stamp.is_none() || stamp != other.stamp()? {
            return Ok(false);
        }
        Ok(!self.is_listed()?)
    }

    /// Whether the folder lists exactly this spelling.
    pub(super) fn is_listed(&self) -> Result<bool, EngineError> {
        let entries = list(&self.folder()?).map_err(|source| self.unreadable(source))?;
        Ok(entries.iter().any(|entry| entry.name == self.name))
    }

    pub(super) fn changed(&self) -> EngineError {
        EngineError::Changed {
            path: self.path.clone(),
        }
    }

    pub(super) fn unreadable(&self, source: io::Error) -> EngineError {
        EngineError::io(&self.path, source)
    }
}
