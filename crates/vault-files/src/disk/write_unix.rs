//! Changes in a folder. Each is one system call relative to the open folder, and never follows a
//! symlink.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;

use rustix::fs::{
    Access, AtFlags, Mode, OFlags, RawMode, accessat, fchmod, fchown, fsync, linkat, mkdirat,
    openat, renameat, unlinkat,
};
#[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};

use super::system::Folder;

impl Folder {
    /// Creates the file `name`, accessible to its owner only, and opens it for writing. Fails if the name is taken.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn create_file(&self, name: &OsStr) -> io::Result<File> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?;
        Ok(File::from(file))
    }

    /// Fails if this process may not write to the file `name`. Permission to change the folder would suffice to replace
    /// the file, but its owner has marked it as not to be changed.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        match accessat(&self.0, name, Access::WRITE_OK, AtFlags::empty()) {
            Err(error @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Err(error.into()),
            // Any other fault shows up in the write itself.
            _ => Ok(()),
        }
    }

    /// Creates the folder `name`, accessible to its owner only. Fails if the name is taken.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(mkdirat(&self.0, name, Mode::RWXU)?)
    }

    /// Renames a file, atomically failing if the new name is taken. `Unsupported` if the file system has no such
    /// rename.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn rename_to_free(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        #[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
        return renameat_with(&self.0, name, &to.0, as_name, RenameFlags::NOREPLACE)
            .map_err(unsupported);
        #[cfg(not(any(target_vendor = "apple", target_os = "linux", target_os = "android")))]
        return Err(io::ErrorKind::Unsupported.into());
    }

    /// Renames a file, replacing a file that has the new name.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn rename_over(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, name, &to.0, as_name)?)
    }

    /// Atomically exchanges the names of two files. `Unsupported` if the file system cannot.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn exchange(&self, name: &OsStr, other: &OsStr) -> io::Result<()> {
        #[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
        return renameat_with(&self.0, name, &self.0, other, RenameFlags::EXCHANGE)
            .map_err(unsupported);
        #[cfg(not(any(target_vendor = "apple", target_os = "linux", target_os = "android")))]
        return Err(io::ErrorKind::Unsupported.into());
    }

    /// Creates a hard link, failing if the new name is taken. `Unsupported` if the file system has no hard links.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn link_to_free(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        linkat(&self.0, name, &to.0, as_name, AtFlags::empty()).map_err(|error| match error {
            // Linux reports these if the file system has no hard links.
            Errno::PERM | Errno::MLINK => io::ErrorKind::Unsupported.into(),
            other => unsupported(other),
        })
    }

    /// Does nothing on this system: a file can be removed while other programs have it open.
    ///
    /// # Errors
    ///
    /// Only on other systems.
    pub fn hold_for_removal(&self, _name: &OsStr) -> io::Result<OpenFile> {
        Ok(OpenFile)
    }

    /// Removes the file `name`.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes the empty folder `name`.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Flushes the folder's entries to the disk (`fsync`). A file system that has nothing to flush
    /// reports `INVAL` or `NOTSUP`, which counts as success.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        match to_the_disk(&self.0) {
            Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the permission bits of this folder.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn mode(&self) -> io::Result<u32> {
        Ok(self.0.metadata()?.mode() & 0o7777)
    }

    /// Sets the permission bits of this folder.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(fchmod(&self.0, raw_mode(mode))?)
    }
}

/// Does nothing on this system; on Windows it keeps a file removable.
pub struct OpenFile;

/// Always false: here no program can keep others from opening or removing a file.
pub(crate) fn is_in_use(_error: &io::Error) -> bool {
    false
}

/// Flushes content and metadata of a file to the disk.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn sync_file(file: &File) -> io::Result<()> {
    Ok(to_the_disk(file)?)
}

/// Syncs with `fsync`. On macOS uses the call that also empties the drive's own cache if the file
/// system has it; network shares do not, and the standard library fails there.
fn to_the_disk(file: impl AsFd) -> rustix::io::Result<()> {
    #[cfg(target_vendor = "apple")]
    match rustix::fs::fcntl_fullfsync(&file) {
        Err(Errno::NOTSUP | Errno::INVAL | Errno::NOTTY | Errno::NODEV) => {}
        done => return done,
    }
    fsync(&file)
}

/// Sets the permission bits of an open file.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(fchmod(file, raw_mode(mode))?)
}

/// Whether both files belong to the same owner and group.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn have_one_owner(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.uid(), one.gid()) == (other.uid(), other.gid()))
}

/// Gives a file the owner and group of `model`, or only the group if the owner may not be changed. Returns whether at
/// least the group is now the same.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn give_to_owner_of(file: &File, model: &File) -> io::Result<bool> {
    let model = model.metadata()?;
    let owner = Some(Uid::from_raw(model.uid()));
    let group = Some(Gid::from_raw(model.gid()));
    if fchown(file, owner, group).is_ok() {
        return Ok(true);
    }
    match fchown(file, None, group) {
        Ok(()) => Ok(true),
        Err(Errno::PERM) => Ok(file.metadata()?.gid() == model.gid()),
        Err(error) => Err(error.into()),
    }
}

fn raw_mode(mode: u32) -> Mode {
    Mode::from_raw_mode(RawMode::try_from(mode & 0o7777).unwrap_or_default())
}

fn unsupported(error: Errno) -> io::Error {
    // NOTSUP and OPNOTSUPP are one number on Linux and two elsewhere, so they cannot be match arms.
    let is_unsupported = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    if is_unsupported.contains(&error) {
        io::ErrorKind::Unsupported.into()
    } else {
        error.into()
    }
}
