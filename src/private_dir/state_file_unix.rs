//! State files without following links and without waiting for the other end of a pipe.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::{FileType, OFlags};

use super::Unsafe;
use super::system::{Ownership, user};

/// Opens what is there, to read it and, where asked, to append to it.
pub(crate) fn open(path: &Path, append: bool) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .append(append)
        .custom_flags(flags())
        .open(path)
}

/// Opens a file to write anywhere in it, making it for its owner alone where it is missing.
pub(crate) fn open_to_overwrite(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags())
        .open(path)
}

/// Makes a new file for its owner alone, to read and append to.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
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

/// Why something that is there could not be opened.
pub(crate) fn refused(error: io::Error) -> Unsafe {
    match rustix::io::Errno::from_io_error(&error) {
        Some(rustix::io::Errno::LOOP) => Unsafe::Symlink,
        Some(rustix::io::Errno::ISDIR | rustix::io::Errno::NXIO) => Unsafe::NotAFile,
        _ => Unsafe::Io(error),
    }
}

/// Refuses what is no regular file of the user, or what others could have written.
pub(crate) fn judge(file: &File) -> Result<(), Unsafe> {
    let stat = rustix::fs::fstat(file).map_err(|error| Unsafe::Io(error.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Unsafe::NotAFile);
    }
    Ownership::from_stat(&stat).judge_state_file(user())
}

/// Waits until the names in a folder are on the disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
