//! Opens state files without following links and without blocking on a pipe.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::{FileType, OFlags};

use super::Unsafe;
use super::system::{Ownership, user};

/// Opens an existing file for reading and optionally appending.
///
/// # Errors
///
/// If it is missing, a link, or cannot be opened.
pub fn open(path: &Path, append: bool) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .append(append)
        .custom_flags(flags())
        .open(path)
}

/// Opens a file for random writes; creates it with mode 0600 if it is missing.
///
/// # Errors
///
/// If it is a link or cannot be opened.
pub fn open_to_overwrite(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags())
        .open(path)
}

/// Creates a file with mode 0600 for reading and appending.
///
/// # Errors
///
/// If it exists or cannot be created.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(flags())
        .open(path)
}

fn flags() -> i32 {
    (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY)
        .bits()
        .cast_signed()
}

/// Converts the error of opening an existing file.
pub fn refused(error: io::Error) -> Unsafe {
    match rustix::io::Errno::from_io_error(&error) {
        Some(rustix::io::Errno::LOOP) => Unsafe::Symlink,
        Some(rustix::io::Errno::ISDIR | rustix::io::Errno::NXIO) => Unsafe::NotAFile,
        _ => Unsafe::Io(error),
    }
}

/// Rejects anything but a regular file of this user that only this user can write.
///
/// # Errors
///
/// The reason why it is unsafe.
pub fn judge(file: &File) -> Result<(), Unsafe> {
    let stat = rustix::fs::fstat(file).map_err(|error| Unsafe::Io(error.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Unsafe::NotAFile);
    }
    Ownership::from_stat(&stat).judge_state_file(user())
}

/// Syncs a folder, so that new names in it survive a crash.
///
/// # Errors
///
/// If the folder cannot be opened or synced.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
