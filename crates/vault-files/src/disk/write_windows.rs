//! Changes in a folder. Each is one system call on a path below the folder.

#![expect(
    clippy::needless_pass_by_value,
    reason = "these have the forms that other systems need"
)]

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;

use super::system::{Folder, OPEN_LINK_ITSELF};

/// Access rights for opening a file (`DELETE`, `FILE_READ_ATTRIBUTES`, `FILE_WRITE_ATTRIBUTES`).
const DELETE: u32 = 0x0001_0000;
const READ_ATTRIBUTES: u32 = 0x80;
const WRITE_ATTRIBUTES: u32 = 0x100;

/// The errors for a file, or a part of it, that another program has open without sharing it
/// (`ERROR_SHARING_VIOLATION`, `ERROR_LOCK_VIOLATION`).
const IN_USE: [i32; 2] = [32, 33];

/// An open file that can be removed. Its read-only attribute is restored on drop.
pub struct OpenFile {
    file: File,
    was_read_only: Option<Permissions>,
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if let Some(permissions) = self.was_read_only.take() {
            let _restored = self.file.set_permissions(permissions);
        }
    }
}

#[expect(
    clippy::permissions_set_readonly_false,
    reason = "on Windows it is one attribute, and opens the file to no other user"
)]
fn writable(mut permissions: Permissions) -> Permissions {
    permissions.set_readonly(false);
    permissions
}

/// Whether another program keeps the file from being opened or removed.
pub(crate) fn is_in_use(error: &io::Error) -> bool {
    error
        .raw_os_error()
        .is_some_and(|code| IN_USE.contains(&code))
}

impl Folder {
    /// Creates the file `name` and opens it for writing. Fails if the name is taken.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn create_file(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.0.join(name))
    }

    /// Fails if the file `name` has the read-only attribute.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        match std::fs::symlink_metadata(self.0.join(name)) {
            Ok(found) if found.permissions().readonly() => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            // Any other fault shows up in the write itself.
            _ => Ok(()),
        }
    }

    /// Creates the folder `name`. Fails if the name is taken.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        std::fs::create_dir(self.0.join(name))
    }

    /// Not supported: a rename here replaces an existing file. Only a hard link fails instead.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn rename_to_free(&self, _name: &OsStr, _to: &Self, _as_name: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Renames a file, replacing a file that has the new name.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn rename_over(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
        let renamed = fs_err::rename(self.0.join(name), to.0.join(as_name));
        renamed.map_err(without_path).map_err(|error| {
            // The error of the rename itself does not show that the file to be replaced is in use.
            let opened = to.open_for_removal(as_name);
            let in_use = opened.err().filter(is_in_use);
            in_use
                .filter(|_| error.kind() == io::ErrorKind::PermissionDenied)
                .unwrap_or(error)
        })
    }

    /// Not supported: the system has no atomic exchange of names.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn exchange(&self, _name: &OsStr, _other: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Creates a hard link, failing if the new name is taken. `Unsupported` if the file system has no hard links.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn link_to_free(&self, name: &OsStr, to: &Self, as_name: &OsStr) -> io::Result<()> {
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

    /// Opens the file `name` and keeps it removable until this is dropped. Fails if another program has it open without
    /// sharing removal, and keeps others from opening it so. The read-only attribute, with which some file systems
    /// refuse to remove any name of the file, is off until then.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn hold_for_removal(&self, name: &OsStr) -> io::Result<OpenFile> {
        let file = self.open_for_removal(name)?;
        let permissions = file.metadata()?.permissions();
        let mut present = OpenFile {
            file,
            was_read_only: None,
        };
        if permissions.readonly() {
            present
                .file
                .set_permissions(writable(permissions.clone()))?;
            present.was_read_only = Some(permissions);
        }
        Ok(present)
    }

    /// Fails if another program has the file open without sharing its removal.
    fn open_for_removal(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new()
            .access_mode(DELETE | READ_ATTRIBUTES | WRITE_ATTRIBUTES)
            .custom_flags(OPEN_LINK_ITSELF)
            .open(self.0.join(name))
    }

    /// Removes the file `name` even if it has the read-only attribute, as other systems do.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        let path = self.0.join(name);
        let removed = fs_err::remove_file(&path).or_else(|error| {
            let found = std::fs::symlink_metadata(&path).map(|found| found.permissions());
            match found {
                Ok(permissions)
                    if permissions.readonly()
                        && error.kind() == io::ErrorKind::PermissionDenied =>
                {
                    std::fs::set_permissions(&path, writable(permissions.clone()))?;
                    fs_err::remove_file(&path).inspect_err(|_| {
                        let _restored = std::fs::set_permissions(&path, permissions);
                    })
                }
                _ => Err(error),
            }
        });
        removed.map_err(without_path)
    }

    /// Removes the empty folder `name`.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_dir(self.0.join(name))
    }

    /// Does nothing: the system has no way to flush a folder.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Folders have no permission bits here.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn mode(&self) -> io::Result<u32> {
        Ok(0)
    }

    /// Folders have no permission bits here.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn set_mode(&self, _mode: u32) -> io::Result<()> {
        Ok(())
    }
}

/// Flushes content and metadata of a file to the disk.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn sync_file(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Files have no permission bits here.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Always true. Owners are not compared here: a new file belongs to its creator, and its access
/// rules come from the folder.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn have_one_owner(_one: &File, _other: &File) -> io::Result<bool> {
    Ok(true)
}

/// Always reports success: a new file belongs to its creator here ([`have_one_owner`]).
///
/// # Errors
///
/// Fails if the system refuses.
pub fn give_to_owner_of(_file: &File, _model: &File) -> io::Result<bool> {
    Ok(true)
}

/// Returns the error without the absolute path in its message, because callers name the vault path.
fn without_path(error: io::Error) -> io::Error {
    error
        .raw_os_error()
        .map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}
