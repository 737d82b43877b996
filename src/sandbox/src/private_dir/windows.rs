//! Private files on Windows, by path. The user's profile is closed to other users by default, so
//! only links, file types and sizes are checked.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{Unsafe, read_at_most};

/// A folder in the user's profile.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    /// The open lock file, while the folder is locked.
    lock: Mutex<Option<File>>,
}

/// The file that is locked in place of the folder, because Windows cannot lock folders.
const LOCK_FILE: &str = ".lock";

impl PrivateFolder {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// If it is missing or not a folder.
    pub fn open(path: &Path) -> Result<Self, Unsafe> {
        Self::check(path)?;
        Ok(Self {
            path: path.to_owned(),
            lock: Mutex::new(None),
        })
    }

    /// Checks that a folder can be opened.
    ///
    /// # Errors
    ///
    /// As for [`Self::open`].
    pub fn check(path: &Path) -> Result<(), Unsafe> {
        let metadata = fs_err::metadata(path).map_err(missing_or_io)?;
        if metadata.is_dir() {
            Ok(())
        } else {
            Err(Unsafe::Missing)
        }
    }

    /// Opens a folder. Creates it and its missing parents.
    ///
    /// # Errors
    ///
    /// If a folder cannot be created.
    pub fn create(path: &Path) -> Result<Self, Unsafe> {
        fs_err::create_dir_all(path).map_err(Unsafe::Io)?;
        Self::open(path)
    }

    /// Takes an exclusive lock on a file of the folder. Blocks until no other process holds it. The
    /// lock is released when `self` is dropped.
    ///
    /// # Errors
    ///
    /// If the file cannot be created or locked.
    pub fn lock(&self) -> Result<(), Unsafe> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if lock.is_none() {
            let path = self.path.join(LOCK_FILE);
            let file = super::state_file::open_to_overwrite(&path).map_err(Unsafe::Io)?;
            file.lock().map_err(Unsafe::Io)?;
            *lock = Some(file);
        }
        Ok(())
    }

    /// Removes the temporary files that a killed process left when it replaced `name`. The folder must be
    /// locked, as it is while such a file is written.
    ///
    /// # Errors
    ///
    /// If the folder cannot be listed, or a file not removed.
    pub fn remove_leftovers(&self, name: &OsStr) -> Result<(), Unsafe> {
        for entry in fs_err::read_dir(&self.path).map_err(Unsafe::Io)? {
            let entry = entry.map_err(Unsafe::Io)?;
            if super::is_leftover(&entry.file_name(), name) {
                fs_err::remove_file(entry.path()).map_err(Unsafe::Io)?;
            }
        }
        Ok(())
    }

    /// Reads a regular file of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// If the file is missing, not a regular file, too large or unreadable.
    pub fn read(&self, name: &OsStr, limit: u64) -> Result<Vec<u8>, Unsafe> {
        let path = self.path.join(name);
        judge(&path)?;
        read_at_most(fs_err::File::open(&path).map_err(Unsafe::Io)?, limit)
    }

    /// Atomically replaces a file.
    ///
    /// # Errors
    ///
    /// If the existing file is not a regular file, or on any I/O error.
    pub fn replace(&self, name: &OsStr, bytes: &[u8]) -> Result<(), Unsafe> {
        let path = self.path.join(name);
        match judge(&path) {
            Ok(()) | Err(Unsafe::Missing) => {}
            Err(reason) => return Err(reason),
        }
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-0.tmp", std::process::id()));
        let temporary = self.path.join(temporary);
        let written = fs_err::File::create(&temporary)
            .and_then(|mut file| {
                file.write_all(bytes)?;
                file.sync_all()
            })
            .and_then(|()| fs_err::rename(&temporary, &path));
        written.map_err(|error| {
            // Best effort: report the first error, not the error of the clean-up.
            let _gone_already = fs_err::remove_file(&temporary);
            Unsafe::Io(error)
        })
    }
}

/// Whether the file is in the folder or below it, by their canonical paths.
///
/// # Errors
///
/// If one of the paths cannot be read.
pub(super) fn lies_within(file: &Path, folder: &Path) -> io::Result<bool> {
    let folder = fs_err::canonicalize(folder)?;
    Ok(fs_err::canonicalize(file)?.starts_with(folder))
}

fn judge(path: &Path) -> Result<(), Unsafe> {
    let kind = fs_err::symlink_metadata(path)
        .map_err(missing_or_io)?
        .file_type();
    if kind.is_symlink() {
        Err(Unsafe::Symlink)
    } else if kind.is_file() {
        Ok(())
    } else {
        Err(Unsafe::NotAFile)
    }
}

fn missing_or_io(error: io::Error) -> Unsafe {
    if error.kind() == io::ErrorKind::NotFound {
        Unsafe::Missing
    } else {
        Unsafe::Io(error)
    }
}
