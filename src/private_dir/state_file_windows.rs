//! State files by paths. The user's profile is closed to other users by default there, so that only
//! kinds are judged.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::Unsafe;

/// Opens what is there, to read it and, where asked, to append to it.
pub(crate) fn open(path: &Path, append: bool) -> io::Result<File> {
    if fs_err::symlink_metadata(path)?.is_symlink() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    OpenOptions::new().read(true).append(append).open(path)
}

/// Opens a file to write anywhere in it, making it where it is missing.
pub(crate) fn open_to_overwrite(path: &Path) -> io::Result<File> {
    if fs_err::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

/// Makes a new file, to read and append to.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .open(path)
}

/// Why something that is there could not be opened.
pub(crate) fn refused(error: io::Error) -> Unsafe {
    match error.kind() {
        io::ErrorKind::InvalidInput => Unsafe::Symlink,
        io::ErrorKind::IsADirectory => Unsafe::NotAFile,
        _ => Unsafe::Io(error),
    }
}

/// Refuses what is no regular file.
pub(crate) fn judge(file: &File) -> Result<(), Unsafe> {
    if file.metadata().map_err(Unsafe::Io)?.is_file() {
        Ok(())
    } else {
        Err(Unsafe::NotAFile)
    }
}

/// Folders cannot be synced there; the file system keeps their order itself.
pub(crate) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
