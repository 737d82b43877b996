//! Files for their owner alone, whatever the process's mask is.

use std::fs::File;
use std::io;
use std::path::Path;

use fs_err::os::unix::fs::OpenOptionsExt as _;
use rustix::fs::OFlags;

/// Opens a file for reading; a link is not followed.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let file = fs_err::OpenOptions::new()
        .read(true)
        .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
        .open(path)?
        .into_file();
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// Makes a file, or empties the one that is there.
pub(super) fn create(path: &Path) -> io::Result<File> {
    Ok(fs_err::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .custom_flags(flags(OFlags::NOFOLLOW))
        .open(path)?
        .into_file())
}

/// Opens the file of a lock, making it where it is missing.
pub(super) fn open_to_lock(path: &Path) -> io::Result<File> {
    Ok(fs_err::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags(OFlags::NOFOLLOW))
        .open(path)?
        .into_file())
}

/// Waits until the names in a folder are on the disk.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    fs_err::File::open(folder)?.sync_all()
}

fn flags(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}
