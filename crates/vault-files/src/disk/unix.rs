//! Folders as open descriptors.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, lstat, openat, statat};
use rustix::io::Errno;

use super::{EntryKind, FileIdentity, FileStamp, FolderEntry, FolderIdentity, Obstacle};

/// Whether names that differ only in case are usually one file on this system.
pub(super) const IGNORES_CASE: bool = cfg!(target_vendor = "apple");

/// The permission bits that files have here.
pub(crate) const MODE_BITS: u32 = 0o777;

/// An open folder. Names are looked up relative to its descriptor, so renaming it changes nothing.
pub struct Folder(pub(super) File);

impl Folder {
    /// Opens the folder at a path of the machine if the path is canonical already, in one step: the
    /// system refuses any symlink on the way. `None` if it is not, or cannot be opened so.
    pub(super) fn open_canonical(path: &Path) -> Option<Self> {
        let is_plain = path.is_absolute()
            && path.components().collect::<PathBuf>().as_os_str() == path.as_os_str()
            && !path.components().any(|part| part == Component::ParentDir);
        if !is_plain {
            return None;
        }
        open_without_symlinks(path)
            .ok()
            .map(|folder| Self(folder.into()))
    }

    /// Opens the folder at a path of the machine, whose last component must not be a symlink.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(
            openat(CWD, path, folder_flags(), Mode::empty())?.into(),
        ))
    }

    /// Opens another handle to the same folder.
    pub(crate) fn again(&self) -> io::Result<Self> {
        // Not `dup`: duplicated descriptors share the read position of directory listings.
        Ok(Self(
            openat(&self.0, c".", folder_flags(), Mode::empty())?.into(),
        ))
    }

    /// Opens the folder `name` in this one.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, a symlink, or of another type, or if the system refuses.
    pub fn folder(&self, name: &OsStr) -> Result<Self, Obstacle> {
        #[cfg(any(test, feature = "testing"))]
        super::trace::FOLDERS.with(|count| count.set(count.get() + 1));
        let opened = openat(&self.0, name, folder_flags(), Mode::empty());
        opened
            .map(|folder| Self(folder.into()))
            .map_err(|error| match error {
                // Linux reports a symlink as "not a folder" before it reports it as a link.
                Errno::NOTDIR if self.kind(name).is_ok_and(|kind| kind == EntryKind::Symlink) => {
                    Obstacle::Symlink
                }
                Errno::NOTDIR => Obstacle::NotAFolder,
                other => obstacle(other),
            })
    }

    /// Opens the regular file `name` in this folder for reading. Returns its stamp too: the type
    /// check needs `fstat` anyway.
    pub(crate) fn file(&self, name: &OsStr) -> Result<(File, FileStamp), Obstacle> {
        // NONBLOCK: opening a pipe would wait for its writer. NOCTTY: opening a terminal must not
        // make it the process's own.
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::empty()).map_err(|error| match error {
            Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP => Obstacle::Special,
            other => obstacle(other),
        })?;
        let stat = fstat(&file).map_err(obstacle)?;
        match kind_of(FileType::from_raw_mode(stat.st_mode)) {
            EntryKind::File => Ok((File::from(file), stamp(&stat))),
            EntryKind::Folder => Err(Obstacle::IsFolder),
            EntryKind::Symlink => Err(Obstacle::Symlink),
            EntryKind::Special => Err(Obstacle::Special),
        }
    }

    /// Returns the entries of the folder, unsorted.
    pub(super) fn entries(&self) -> io::Result<Vec<FolderEntry>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let name = OsString::from_vec(name.to_vec());
            let mut kind = kind_of(entry.file_type());
            // Some file systems leave the type out of their listings (`DT_UNKNOWN`).
            if entry.file_type() == FileType::Unknown {
                kind = match self.kind(&name) {
                    Ok(kind) => kind,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                };
            }
            entries.push(FolderEntry { name, kind });
        }
        Ok(entries)
    }

    /// Size in bytes of the file `name` in this folder.
    pub(crate) fn size(&self, name: &OsStr) -> io::Result<u64> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(u64::try_from(stat.st_size).unwrap_or_default())
    }

    /// Returns the stamp of the file `name` in this folder.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn stamp(&self, name: &OsStr) -> io::Result<FileStamp> {
        Ok(stamp(&statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Returns the identity of the folder, which does not depend on its name.
    pub(super) fn identity(&self) -> io::Result<Option<FolderIdentity>> {
        let metadata = self.0.metadata()?;
        let born = born_of(&metadata);
        Ok(Some(FolderIdentity {
            device: metadata.dev(),
            inode: metadata.ino(),
            born: born.filter(|born| is_exact(*born) && !shows_other_folders(&self.0)),
        }))
    }

    /// Returns the open descriptor, for watching the folder.
    #[cfg(target_os = "linux")]
    pub fn descriptor(&self) -> std::os::fd::BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.0)
    }

    fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(kind_of(FileType::from_raw_mode(stat.st_mode)))
    }
}

/// Returns the permission bits of an open file.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn mode_of(file: &File) -> io::Result<u32> {
    Ok(file.metadata()?.mode() & 0o7777)
}

/// Returns the identity of an open file.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn identity_of(file: &File) -> io::Result<FileIdentity> {
    let metadata = file.metadata()?;
    Ok(FileIdentity {
        device: metadata.dev(),
        inode: metadata.ino(),
    })
}

/// When the file was created, in nanoseconds since 1970; `None` if that is not known.
pub fn born(file: &File) -> Option<i64> {
    born_of(&file.metadata().ok()?)
}

fn born_of(metadata: &Metadata) -> Option<i64> {
    let since_1970 = metadata
        .created()
        .ok()?
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?;
    i64::try_from(since_1970.as_nanos()).ok()
}

/// Whether the file system keeps birth times exactly. FAT keeps hundredths of a second in local
/// time, so the value changes with the system's time zone.
fn is_exact(born: i64) -> bool {
    born % 10_000_000 != 0
}

/// Whether the file system shows folders of other file systems. On overlayfs the first change in a
/// folder copies it up, which gives it another birth time.
#[cfg(target_os = "linux")]
fn shows_other_folders(folder: &File) -> bool {
    const OVERLAYFS: u32 = 0x794c_7630;
    rustix::fs::fstatfs(folder).is_ok_and(|system| u32::try_from(system.f_type) == Ok(OVERLAYFS))
}

#[cfg(not(target_os = "linux"))]
fn shows_other_folders(_folder: &File) -> bool {
    false
}

/// Returns the stamp of an open file.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn stamp_of(file: &File) -> io::Result<FileStamp> {
    Ok(stamp(&fstat(file)?))
}

fn stamp(stat: &Stat) -> FileStamp {
    let time = |seconds: i128, nanoseconds: i128| {
        i64::try_from(seconds * 1_000_000_000 + nanoseconds).unwrap_or_default()
    };
    FileStamp {
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: time(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
        changed: time(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
        inode: stat.st_ino,
        has_other_names: stat.st_nlink > 1,
    }
}

/// Creates a folder that only its owner may use, with its parents.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a file that only its owner may use. It must not exist yet.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Opens a file that only its owner may use, for adding to its end. Creates it if it is missing.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn append_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
}

/// When a file's contents or attributes last changed: the substitute for an unknown creation time.
pub(crate) fn changed_time(metadata: &Metadata) -> Option<SystemTime> {
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
    match u64::try_from(metadata.ctime()) {
        Ok(seconds) => SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds)),
        Err(_) => SystemTime::UNIX_EPOCH
            .checked_sub(Duration::from_secs(metadata.ctime().unsigned_abs()))?
            .checked_add(Duration::from_nanos(nanoseconds.into())),
    }
}

/// Opens a file anywhere on the machine, following symlinks, without waiting for a pipe's writer.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn open_any_place(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// Whether the open folder is still at this canonical path, with no symlink in the path.
pub(super) fn is_still_at(folder: &Folder, place: &Path) -> bool {
    let same = || -> io::Result<bool> {
        let (opened, named) = (fstat(&folder.0)?, lstat(place)?);
        let is_canonical = std::fs::canonicalize(place)? == place;
        let identity = |stat: &Stat| (stat.st_dev, stat.st_ino);
        Ok(is_canonical && identity(&opened) == identity(&named))
    };
    same().unwrap_or(false)
}

/// Returns a canonical path as people write it; on this system that is the path itself.
pub(super) fn for_people(path: PathBuf) -> PathBuf {
    path
}

#[cfg(target_os = "linux")]
fn open_without_symlinks(path: &Path) -> rustix::io::Result<rustix::fd::OwnedFd> {
    let resolve = rustix::fs::ResolveFlags::NO_SYMLINKS;
    rustix::fs::openat2(CWD, path, folder_flags(), Mode::empty(), resolve)
}

/// Unsupported here: other systems accept a path that differs in case as canonical, or have no such
/// call.
#[cfg(not(target_os = "linux"))]
fn open_without_symlinks(_path: &Path) -> rustix::io::Result<rustix::fd::OwnedFd> {
    Err(Errno::NOSYS)
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC
}

fn obstacle(error: Errno) -> Obstacle {
    match error {
        // A name that is too long for this file system cannot exist.
        Errno::NOENT | Errno::NAMETOOLONG => Obstacle::Missing,
        // MLINK is what FreeBSD answers for a symlink.
        Errno::LOOP | Errno::MLINK => Obstacle::Symlink,
        other => Obstacle::Io(other.into()),
    }
}

fn kind_of(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Symlink,
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => EntryKind::Special,
    }
}
