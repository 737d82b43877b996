//! What changes a folder: each one system call, relative to the open folder, never through a
//! symlink.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
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
    /// Makes the file `name`, for its owner alone, and opens it for writing. Nothing may bear the
    /// name yet.
    pub(crate) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?;
        Ok(File::from(file))
    }

    /// An error where this process may not write to the file `name`. Whoever may change the folder
    /// could put another file in its place, but its owner has said that it is not to be changed.
    pub(crate) fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        match accessat(&self.0, name, Access::WRITE_OK, AtFlags::empty()) {
            Err(error @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Err(error.into()),
            // What else is wrong shows when it is changed.
            _ => Ok(()),
        }
    }

    /// Makes the folder `name`, for its owner alone. Nothing may bear the name yet.
    pub(crate) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(mkdirat(&self.0, name, Mode::RWXU)?)
    }

    /// Gives a file of this folder another place, where nothing may be. `Unsupported` where the
    /// file system cannot promise that.
    pub(crate) fn rename_to_free(
        &self,
        name: &OsStr,
        to: &Self,
        as_name: &OsStr,
    ) -> io::Result<()> {
        #[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
        return renameat_with(&self.0, name, &to.0, as_name, RenameFlags::NOREPLACE)
            .map_err(unsupported);
        #[cfg(not(any(target_vendor = "apple", target_os = "linux", target_os = "android")))]
        return Err(io::ErrorKind::Unsupported.into());
    }

    /// Gives a file of this folder another place, over the file that may be there.
    pub(crate) fn rename_over(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, name, &to.0, as_name)?)
    }

    /// Lets two files of this folder change their names at once. `Unsupported` where the file
    /// system cannot.
    pub(crate) fn exchange(&self, name: &OsStr, other: &OsStr) -> io::Result<()> {
        #[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
        return renameat_with(&self.0, name, &self.0, other, RenameFlags::EXCHANGE)
            .map_err(unsupported);
        #[cfg(not(any(target_vendor = "apple", target_os = "linux", target_os = "android")))]
        return Err(io::ErrorKind::Unsupported.into());
    }

    /// Gives a file of this folder a second place, where nothing may be. `Unsupported` where the
    /// file system has no second names.
    pub(crate) fn link_to_free(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        linkat(&self.0, name, &to.0, as_name, AtFlags::empty()).map_err(|error| match error {
            // What Linux says where a file system has no hard links.
            Errno::PERM | Errno::MLINK => io::ErrorKind::Unsupported.into(),
            other => unsupported(other),
        })
    }

    /// Removes the file `name`.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes the empty folder `name`.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Waits until the names in this folder are on the disk. Some file systems have nothing to
    /// wait for and say so.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match fsync(&self.0) {
            Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The permission bits of this folder.
    pub(crate) fn mode(&self) -> io::Result<u32> {
        Ok(File::from(self.0.try_clone()?).metadata()?.mode() & 0o7777)
    }

    /// Sets the permission bits of this folder.
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(fchmod(&self.0, raw_mode(mode))?)
    }
}

/// Sets the permission bits of an open file.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(fchmod(file, raw_mode(mode))?)
}

/// Whether both files belong to the same owner and group.
pub(crate) fn have_one_owner(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.uid(), one.gid()) == (other.uid(), other.gid()))
}

/// Gives a file the owner and group of another, or the group alone where only that is allowed.
/// Whether at least its group is now the same.
pub(crate) fn give_to_owner_of(file: &File, model: &File) -> io::Result<bool> {
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
    // Two names of one number on some systems, and not on others.
    let is_unsupported = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    if is_unsupported.contains(&error) {
        io::ErrorKind::Unsupported.into()
    } else {
        error.into()
    }
}
