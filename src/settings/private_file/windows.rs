//! Private files by paths. The user's profile is closed to other users by default there, so that
//! only links, kinds and sizes are judged.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::Unsafe;

/// A folder of the user.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Opens a folder and judges it.
    pub fn open(path: &Path) -> Result<Self, Unsafe> {
        let metadata = fs_err::metadata(path).map_err(missing_or_io)?;
        if !metadata.is_dir() {
            return Err(Unsafe::Missing);
        }
        Ok(Self(path.to_owned()))
    }

    /// Opens a folder, making it and those above it where they are missing.
    pub fn create(path: &Path) -> Result<Self, Unsafe> {
        fs_err::create_dir_all(path).map_err(Unsafe::Io)?;
        Self::open(path)
    }

    /// Folders have no locks there; two changes at once keep the later one whole.
    pub fn lock(&self) -> Result<(), Unsafe> {
        Ok(())
    }

    /// Reads a regular file of at most `limit` bytes.
    pub fn read(&self, name: &OsStr, limit: u64) -> Result<Vec<u8>, Unsafe> {
        let path = self.0.join(name);
        judge(&path)?;
        let mut bytes = Vec::new();
        fs_err::File::open(&path)
            .map_err(Unsafe::Io)?
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(Unsafe::Io)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
            Ok(bytes)
        } else {
            Err(Unsafe::TooLarge { limit })
        }
    }

    /// Replaces a file as a whole or not at all.
    pub fn replace(&self, name: &OsStr, bytes: &[u8]) -> Result<(), Unsafe> {
        let path = self.0.join(name);
        match judge(&path) {
            Ok(()) | Err(Unsafe::Missing) => {}
            Err(reason) => return Err(reason),
        }
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = self.0.join(temporary);
        let written = fs_err::File::create(&temporary)
            .and_then(|mut file| {
                file.write_all(bytes)?;
                file.sync_all()
            })
            .and_then(|()| fs_err::rename(&temporary, &path));
        written.map_err(|error| {
            // Best effort: the first error is the one to tell.
            let _gone_already = fs_err::remove_file(&temporary);
            Unsafe::Io(error)
        })
    }
}

/// Whether the file lies in the folder or below it, by their canonical paths.
pub fn lies_within(file: &Path, folder: &Path) -> io::Result<bool> {
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
