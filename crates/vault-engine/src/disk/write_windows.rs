//! What changes a folder: each one system call on a path below the folder.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;

use super::system::Folder;

impl Folder {
    /// Makes the file `name` and opens it for writing. Nothing may bear the name yet.
    pub(crate) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.0.join(name))
    }

    /// An error where the file `name` is marked as one that is only read.
    pub(crate) fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        match std::fs::symlink_metadata(self.0.join(name)) {
            Ok(found) if found.permissions().readonly() => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            // What else is wrong shows when it is changed.
            _ => Ok(()),
        }
    }

    /// Makes the folder `name`. Nothing may bear the name yet.
    pub(crate) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        std::fs::create_dir(self.0.join(name))
    }

    /// The system renames over what is there; only a second name is refused where one is.
    pub(crate) fn rename_to_free(
        &self,
        _name: &OsStr,
        _to: &Self,
        _as_name: &OsStr,
    ) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Gives a file of this folder another place, over the file that may be there.
    pub(crate) fn rename_over(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        fs_err::rename(self.0.join(name), to.0.join(as_name)).map_err(without_path)
    }

    /// The system cannot let two files change their names at once.
    pub(crate) fn exchange(&self, _name: &OsStr, _other: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Gives a file of this folder a second place, where nothing may be. `Unsupported` where the
    /// file system has no second names.
    pub(crate) fn link_to_free(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        // ERROR_INVALID_FUNCTION is what a file system without hard links says.
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

    /// The system keeps names by itself; a folder cannot be waited for.
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

/// Files have no permission bits here.
pub(crate) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// New files belong to the one who makes them, and their folder says who may use them.
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
