//! Folders as paths. Every component is checked before use, and the handle of a file is checked
//! again after opening. The remaining risk is that a folder is replaced with a link in between.

#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "these have the forms that other systems need"
)]

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions, symlink_metadata};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{EntryKind, FileIdentity, FileStamp, FolderEntry, FolderIdentity, Obstacle};

/// Whether names that differ only in case are usually one file on this system.
pub(super) const IGNORES_CASE: bool = true;

/// Files have no permission bits here.
pub(crate) const MODE_BITS: u32 = 0;

/// Opens a link itself, not what it leads to (`FILE_FLAG_OPEN_REPARSE_POINT`).
pub(super) const OPEN_LINK_ITSELF: u32 = 0x0020_0000;

/// A path that was a folder when it was checked.
pub struct Folder(pub(super) PathBuf);

impl Folder {
    /// Always `None`: no single call shows that a path is canonical here.
    pub(super) fn open_canonical(_path: &Path) -> Option<Self> {
        None
    }

    /// Checks the folder at a path of the machine, which must not be a symlink itself.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if symlink_metadata(path)?.is_dir() {
            Ok(Self(path.to_owned()))
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Opens another handle to the same folder.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.clone()))
    }

    /// Always `None`: there is no safe call for a number that stays the same.
    #[expect(clippy::unnecessary_wraps, reason = "as on other systems")]
    pub(super) fn identity(&self) -> io::Result<Option<FolderIdentity>> {
        Ok(None)
    }

    /// Checks the folder `name` in this one.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, a symlink, or of another type, or if the system refuses.
    pub fn folder(&self, name: &OsStr) -> Result<Self, Obstacle> {
        match self.kind(name).map_err(obstacle)? {
            EntryKind::Folder => Ok(Self(self.0.join(name))),
            EntryKind::File | EntryKind::Special => Err(Obstacle::NotAFolder),
            EntryKind::Symlink => Err(Obstacle::Symlink),
        }
    }

    /// Opens the regular file `name` in this folder for reading.
    pub(crate) fn file(&self, name: &OsStr) -> Result<(File, FileStamp), Obstacle> {
        match self.kind(name).map_err(obstacle)? {
            EntryKind::File => {}
            EntryKind::Folder => return Err(Obstacle::IsFolder),
            EntryKind::Symlink => return Err(Obstacle::Symlink),
            EntryKind::Special => return Err(Obstacle::Special),
        }
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(OPEN_LINK_ITSELF)
            .open(self.0.join(name))
            .map_err(obstacle)?;
        let metadata = file.metadata().map_err(obstacle)?;
        match kind_of(metadata.file_type()) {
            EntryKind::File => {
                let stamp = stamp(&metadata).map_err(obstacle)?;
                Ok((file, stamp))
            }
            EntryKind::Folder => Err(Obstacle::IsFolder),
            EntryKind::Symlink => Err(Obstacle::Symlink),
            EntryKind::Special => Err(Obstacle::Special),
        }
    }

    /// Returns the entries of the folder, unsorted.
    pub(super) fn entries(&self) -> io::Result<Vec<FolderEntry>> {
        fs_err::read_dir(&self.0)
            .map_err(without_path)?
            .map(|entry| {
                let entry = entry.map_err(without_path)?;
                let kind = kind_of(entry.file_type().map_err(without_path)?);
                Ok(FolderEntry {
                    name: entry.file_name(),
                    kind,
                })
            })
            .collect()
    }

    /// Size in bytes of the file `name` in this folder.
    pub(crate) fn size(&self, name: &OsStr) -> io::Result<u64> {
        Ok(symlink_metadata(self.0.join(name))?.len())
    }

    /// Returns the stamp of the file `name` in this folder.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn stamp(&self, name: &OsStr) -> io::Result<FileStamp> {
        stamp(&symlink_metadata(self.0.join(name))?)
    }

    /// The system accepts `OBSIDI~1` for `.obsidian` and `a.md.` for `a.md`. Here a name must be
    /// one that the folder lists, in any case (`threats.toml` D07).
    fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
        let path = self.0.join(name);
        let kind = kind_of(symlink_metadata(&path)?.file_type());
        if matches!(kind, EntryKind::File | EntryKind::Folder) {
            let lower = |name: &OsStr| name.to_string_lossy().to_lowercase();
            let is_listed = match std::fs::canonicalize(&path) {
                Ok(listed) => listed.file_name().map(lower) == Some(lower(name)),
                // Some drivers do not report the final path of a file, and Wine does not for a long path.
                Err(_ignored) => self
                    .entries()?
                    .iter()
                    .any(|entry| lower(&entry.name) == lower(name)),
            };
            if !is_listed {
                return Err(io::ErrorKind::NotFound.into());
            }
        }
        Ok(kind)
    }
}

/// Files have no permission bits here.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn mode_of(_file: &File) -> io::Result<u32> {
    Ok(0)
}

/// Returns the same identity for all files, because the system's identity is not available here. A file that another
/// program has open cannot be replaced, unless that program allows it.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn identity_of(_file: &File) -> io::Result<FileIdentity> {
    Ok(FileIdentity::default())
}

/// When the file was created, in nanoseconds since 1970; `None` if that is not known.
pub fn born(file: &File) -> Option<i64> {
    let time = file.metadata().ok()?.created().ok()?;
    let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since_1970.as_nanos()).ok()
}

/// Returns the stamp of an open file.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn stamp_of(file: &File) -> io::Result<FileStamp> {
    stamp(&file.metadata()?)
}

fn stamp(metadata: &Metadata) -> io::Result<FileStamp> {
    let nanoseconds = |time: SystemTime| {
        let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH);
        since_1970.map_or(0, |time| i64::try_from(time.as_nanos()).unwrap_or_default())
    };
    Ok(FileStamp {
        size: metadata.len(),
        modified: nanoseconds(metadata.modified()?),
        // The standard library gives neither the file's number nor its change time. The creation
        // time distinguishes the file from one that replaces it.
        changed: metadata.created().map_or(0, nanoseconds),
        inode: 0,
        has_other_names: false,
    })
}

/// Creates a folder with its parents. Folders below the user's own inherit that they are private.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

/// Creates a file, which must not exist yet.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Opens a file, for adding to its end. Creates it if it is missing.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn append_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

/// Always `None`, because creation times are known here and need no substitute.
pub(crate) fn changed_time(_metadata: &Metadata) -> Option<SystemTime> {
    None
}

/// Opens a file anywhere on the machine, following symlinks.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn open_any_place(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// Whether the folder is at this canonical path, without a symlink that has come into the path.
pub(super) fn is_still_at(folder: &Folder, place: &Path) -> bool {
    folder.0 == place && std::fs::canonicalize(place).is_ok_and(|now| now == place)
}

/// Returns a canonical path as people write it: `C:\Notes` for `\\?\C:\Notes`, if both name the
/// same folder.
pub(super) fn for_people(path: PathBuf) -> PathBuf {
    dunce::simplified(&path).to_owned()
}

fn obstacle(error: io::Error) -> Obstacle {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename => Obstacle::Missing,
        io::ErrorKind::NotADirectory => Obstacle::NotAFolder,
        _ => Obstacle::Io(error),
    }
}

/// Returns the error without the absolute path in its message, because callers name the vault path.
fn without_path(error: io::Error) -> io::Error {
    error.kind().into()
}

fn kind_of(file_type: FileType) -> EntryKind {
    // Junctions count as symlinks.
    if file_type.is_symlink() {
        EntryKind::Symlink
    } else if file_type.is_dir() {
        EntryKind::Folder
    } else if file_type.is_file() {
        EntryKind::File
    } else {
        EntryKind::Special
    }
}
