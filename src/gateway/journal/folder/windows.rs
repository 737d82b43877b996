//! Files in the user's profile, which is closed to other users by default there.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file for reading; a link is refused.
pub(super) fn open(path: &Path) -> io::Result<File> {
    if fs_err::symlink_metadata(path)?.is_file() {
        Ok(fs_err::File::open(path)?.into_file())
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// Makes a file, or empties the one that is there.
pub(super) fn create(path: &Path) -> io::Result<File> {
    Ok(fs_err::File::create(path)?.into_file())
}

/// Opens the file of a lock, making it where it is missing.
pub(super) fn open_to_lock(path: &Path) -> io::Result<File> {
    Ok(fs_err::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?
        .into_file())
}

/// Names are on the disk when they are made there.
pub(super) fn sync(_folder: &Path) -> io::Result<()> {
    Ok(())
}
