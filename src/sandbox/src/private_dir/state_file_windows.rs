//! State files by path. Windows closes the user's profile to other users by default, so only the
//! file type is checked.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::Unsafe;

/// Opens an existing file for reading and optionally appending.
///
/// # Errors
///
/// If it cannot be opened.
pub fn open(path: &Path, append: bool) -> io::Result<File> {
    if fs_err::symlink_metadata(path)?.is_symlink() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    OpenOptions::new().read(true).append(append).open(path)
}

/// Opens a file for random writes; creates it if it is missing.
///
/// # Errors
///
/// If it cannot be opened.
pub fn open_to_overwrite(path: &Path) -> io::Result<File> {
    if fs_err::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

/// Creates a file for reading and appending.
///
/// # Errors
///
/// If it exists or cannot be created.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .open(path)
}

/// Converts the error of opening an existing file.
pub fn refused(error: io::Error) -> Unsafe {
    match error.kind() {
        io::ErrorKind::InvalidInput => Unsafe::Symlink,
        io::ErrorKind::IsADirectory => Unsafe::NotAFile,
        _ => Unsafe::Io(error),
    }
}

/// Rejects anything but a regular file.
///
/// # Errors
///
/// If it is not a regular file.
pub fn judge(file: &File) -> Result<(), Unsafe> {
    if file.metadata().map_err(Unsafe::Io)?.is_file() {
        Ok(())
    } else {
        Err(Unsafe::NotAFile)
    }
}

/// Does nothing: Windows cannot sync folders, and the file system orders these updates itself.
///
/// # Errors
///
/// Never fails.
pub fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
