//! Changes of a folder. Each is one system call on a path below the folder.

#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "these have the forms that other systems need"
)]

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;

use super::system::Folder;

impl Folder {
    /// Creates the file `name` and opens it for writing. Fails where the name is taken.
    pub(crate) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.0.join(name))
    }

    /// Fails where the file `name` has the read-only attribute.
    pub(crate) fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        match std::fs::symlink_metadata(self.0.join(name)) {
            Ok(found) if found.permissions().readonly() => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            // Any other fault shows up in the write itself.
            _ => Ok(()),
        }
    }

    /// Creates the folder `name`. Fails where the name is taken.
    pub(crate) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        std::fs::create_dir(self.0.join(name))
    }

    /// Not supported: a rename here replaces what has the new name. Only a hard link fails instead.
    pub(crate) fn rename_to_free(
        &self,
        _name: &OsStr,
        _to: &Self,
        _as_name: &OsStr,
    ) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Renames a file, replacing what has the new name.
    pub(crate) fn rename_over(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        fs_err::rename(self.0.join(name), to.0.join(as_name)).map_err(without_path)
    }

    /// Not supported: the system has no atomic exchange of names.
    pub(crate) fn exchange(&self, _name: &OsStr, _other: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Creates a hard link, failing where the new name is taken. `Unsupported` where the file
    /// system has no hard links.
    pub(crate) fn link_to_free(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        // ERROR_INVALID_FUNCTION: what a file system without hard links reports.
        const INVALID_FUNCTION: i32 = 1;
        std::fs::hard_link(self.0.join(name), to.0.join(as_name)).map_err(|error| {
            if error.raw_os_error() == Some(INVALID_FUNCTION) {
                io::ErrorKind::Unsupported.into()
            } else {
                error
            }
        })
    }

    /// Removes the file `name`.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs_err::remove_file(self.0.join(name)).map_err(without_path)
    }

    /// Removes the empty folder `name`.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_dir(self.0.join(name))
    }

    /// Does nothing: the system has no way to flush a folder.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Folders have no permission bits here.
    pub(crate) fn mode(&self) -> io::Result<u32> {
        Ok(0)
    }

    /// Folders have no permission bits here.
    pub(crate) fn set_mode(&self, _mode: u32) -> io::Result<()> {
        Ok(())
    }
}

/// Flushes content and metadata of a file to the disk.
pub(crate) fn sync_file(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Files have no permission bits here.
pub(crate) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Owners are not compared: new files belong to who creates them, and access rules come from the
/// folder.
pub(crate) fn have_one_owner(_one: &File, _other: &File) -> io::Result<bool> {
    Ok(true)
}

/// As [`have_one_owner`].
pub(crate) fn give_to_owner_of(_file: &File, _model: &File) -> io::Result<bool> {
    Ok(true)
}

/// The error without the absolute path that it names: callers name the vault path.
fn without_path(error: io::Error) -> io::Error {
    error
        .raw_os_error()
        .map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}
