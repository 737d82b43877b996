//! Folders as paths. Every component is looked at before it is used, and a file's own handle is
//! looked at again; a folder that is swapped for a link in between is the residual risk here.

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

/// Whether names that differ in case alone are usually one file here.
pub(super) const IGNORES_CASE: bool = true;

/// Files have no permission bits here.
pub(crate) const MODE_BITS: u32 = 0;

/// Opens a link itself, not what it leads to (`FILE_FLAG_OPEN_REPARSE_POINT`).
pub(super) const OPEN_LINK_ITSELF: u32 = 0x0020_0000;

/// A folder that was one when it was looked at.
pub(crate) struct Folder(pub(super) PathBuf);

impl Folder {
    /// None: no one step tells here that a path is canonical.
    pub(super) fn open_canonical(_path: &Path) -> Option<Self> {
        None
    }

    /// Takes the folder at a path of the machine, which must not be a symlink itself.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if symlink_metadata(path)?.is_dir() {
            Ok(Self(path.to_owned()))
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Another handle on the same folder.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.clone()))
    }

    /// There is no safe way to ask for a number that stays.
    #[expect(clippy::unnecessary_wraps, reason = "as on other systems")]
    pub(super) fn identity(&self) -> io::Result<Option<FolderIdentity>> {
        Ok(None)
    }

    /// Takes the folder `name` in this one.
    pub(crate) fn folder(&self, name: &OsStr) -> Result<Self, Obstacle> {
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

    /// What is in the folder, in no order.
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

    /// What tells whether the file `name` in this folder was changed.
    pub(crate) fn stamp(&self, name: &OsStr) -> io::Result<FileStamp> {
        stamp(&symlink_metadata(self.0.join(name))?)
    }

    /// The system takes `OBSIDI~1` for `.obsidian` and `a.md.` for `a.md`; here a name is only
    /// what the folder's listing says, but for case (`faults.md` D07).
    fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
        let path = self.0.join(name);
        let kind = kind_of(symlink_metadata(&path)?.file_type());
        if matches!(kind, EntryKind::File | EntryKind::Folder) {
            let lower = |name: &OsStr| name.to_string_lossy().to_lowercase();
            let is_listed = match std::fs::canonicalize(&path) {
                Ok(listed) => listed.file_name().map(lower) == Some(lower(name)),
                // Some drivers do not tell the final path of a file, nor does Wine that of a long one.
                Err(_untold) => self
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
pub(crate) fn mode_of(_file: &File) -> io::Result<u32> {
    Ok(0)
}

/// Not told here. A file that another program has open cannot be replaced, unless that program
/// allows it.
pub(crate) fn identity_of(_file: &File) -> io::Result<FileIdentity> {
    Ok(FileIdentity::default())
}

/// When the file was made, in nanoseconds since 1970; `None` where that is not known.
pub(crate) fn born(file: &File) -> Option<i64> {
    let time = file.metadata().ok()?.created().ok()?;
    let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since_1970.as_nanos()).ok()
}

/// What tells whether an open file was changed.
pub(crate) fn stamp_of(file: &File) -> io::Result<FileStamp> {
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
        // The standard library tells neither the file's number nor when it was changed. When it was
        // made tells it from an older one that takes its place.
        changed: metadata.created().map_or(0, nanoseconds),
        inode: 0,
        has_other_names: false,
    })
}

/// Makes a folder and those above it. The user's own folders are private by what they inherit.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

/// Creates a file, which must not be there yet.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Creation times are always known here.
pub(crate) fn changed_time(_metadata: &Metadata) -> Option<SystemTime> {
    None
}

/// Opens a file anywhere on the machine, following symlinks.
pub(crate) fn open_any_place(path: &Path) -> io::Result<File> {
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

/// Whether the folder is the one at this canonical path, which no symlink has come into.
pub(super) fn is_still_at(folder: &Folder, place: &Path) -> bool {
    folder.0 == place && std::fs::canonicalize(place).is_ok_and(|now| now == place)
}

/// A canonical path as people write it: `C:\Notes` for `\\?\C:\Notes`, where that names the same.
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

/// The error without the absolute path that it names: callers name the vault path.
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
