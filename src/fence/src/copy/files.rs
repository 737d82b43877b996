//! The files of both sides, and new files for the copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{self, AtFlags, Mode, OFlags, ResolveFlags, Timespec, Timestamps};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use vault_engine::{Detail, Editor, EngineError, PlannedFile, Vault, VaultPath, Version};

/// Recognises a change of a file. Every write changes the time of the last change, which a program cannot set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// The inode of the file; for a file of a draft, the beginning of its SHA-256.
    pub(super) file: u64,
    pub(super) size: u64,
    /// The creation time: nanoseconds since 1970. The inode is given to another file once this one is gone.
    pub(super) made: u128,
    /// The time of the last change of content or metadata: nanoseconds since 1970.
    pub(super) changed: i128,
}

impl Stamp {
    fn of_file(metadata: &Metadata) -> Self {
        Self {
            file: metadata.ino(),
            size: metadata.size(),
            made: metadata
                .created()
                .ok()
                .and_then(|made| made.duration_since(SystemTime::UNIX_EPOCH).ok())
                .map_or(0, |made| made.as_nanos()),
            changed: i128::from(metadata.ctime()) * 1_000_000_000
                + i128::from(metadata.ctime_nsec()),
        }
    }

    /// Whether this is the same file, under any name and with any content.
    pub(super) fn is_same(&self, other: Self) -> bool {
        self.identity() == other.identity()
    }

    /// Identifies the file under any name and with any content.
    pub(super) fn identity(&self) -> (u64, u128) {
        (self.file, self.made)
    }

    /// Whether the file was left alone for this time at the moment `now` since 1970.
    pub(super) fn is_older(&self, now: Duration, than: Duration) -> bool {
        let age = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX) - self.changed;
        age > i128::try_from(than.as_nanos()).unwrap_or(i128::MAX)
    }

    /// Whether the file was changed last before this moment since 1970.
    pub(super) fn is_before(&self, moment: Duration) -> bool {
        i128::try_from(moment.as_nanos()).is_ok_and(|moment| self.changed < moment)
    }

    /// Returns the stamp of a file whose bytes are in a draft.
    fn of_planned(version: Version) -> Self {
        let start = version.sha256.iter().take(8);
        Self {
            file: start.fold(0, |number, byte| number << 8 | u64::from(*byte)),
            size: version.size,
            made: 0,
            changed: 0,
        }
    }
}

/// The files and folders of one side.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) files: BTreeMap<VaultPath, Stamp>,
    pub(super) folders: BTreeSet<VaultPath>,
}

impl Tree {
    /// Reads the files and folders of a vault, as its caller sees it. Unreadable ones are left out.
    ///
    /// # Errors
    ///
    /// If the vault's folder cannot be listed.
    pub(super) fn read(vault: &Vault) -> Result<Self, EngineError> {
        let contents = vault.contents(&VaultPath::root(), Detail::Names)?;
        let overlay = vault.overlay();
        let stamp = |path: &VaultPath| {
            let planned = overlay.and_then(|overlay| overlay.files.get(path));
            let place = match planned {
                Some(PlannedFile::Bytes(planned)) => {
                    let stamp = Stamp::of_planned(planned.content.version());
                    return vault.sees(path).then_some(stamp);
                }
                Some(PlannedFile::From(origin)) => origin,
                Some(PlannedFile::Gone) => return None,
                None => path,
            };
            let plain = file_at(&vault.root().join(place.as_str()));
            let found = plain.or_else(|| file_at(&spelled(vault, place)?))?;
            // The list has only files that the caller may see, except for files that their other names close.
            let is_seen = found.nlink() == 1 || vault.sees(path);
            is_seen.then(|| Stamp::of_file(&found))
        };
        let files = contents.files.into_iter().map(|entry| entry.path);
        // A name that is not text was replaced by another name, which does not exist.
        let is_there = |folder: &VaultPath| {
            let is_replaced = folder.as_str().contains(char::REPLACEMENT_CHARACTER);
            !is_replaced || vault.root().join(folder.as_str()).is_dir()
        };
        Ok(Self {
            files: files
                .filter_map(|path| stamp(&path).map(|stamp| (path, stamp)))
                .collect(),
            folders: contents.folders.into_iter().filter(is_there).collect(),
        })
    }
}

/// Returns the metadata of a file at this path; `None` for anything but a file.
fn file_at(place: &Path) -> Option<Metadata> {
    let found = fs_err::symlink_metadata(place).ok()?;
    found.is_file().then_some(found)
}

/// Returns the path of a file whose name on the disk has another spelling.
fn spelled(vault: &Vault, path: &VaultPath) -> Option<PathBuf> {
    let name = Editor(vault).name_at(path).ok()??;
    let name = name.to_str()?;
    Some(vault.root().join(path.parent().as_str()).join(name))
}

/// The folder of the copy, in which new files are made. The program may put symlinks into it at any time; they are
/// never followed.
pub(super) struct CopyFolder {
    root: OwnedFd,
    /// The folder that was opened last.
    latest: Option<(VaultPath, OwnedFd)>,
}

impl CopyFolder {
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(Self {
            root: fs::open(root, flags, Mode::empty())?,
            latest: None,
        })
    }

    fn folder(&mut self, path: &VaultPath) -> io::Result<&OwnedFd> {
        let present = self.latest.take().filter(|(latest, _)| latest == path);
        let folder = if let Some(present) = present {
            present
        } else {
            let flags = OFlags::DIRECTORY | OFlags::RDONLY;
            (path.clone(), open_below(&self.root, path, flags)?)
        };
        Ok(&self.latest.insert(folder).1)
    }

    /// Makes a folder in one that exists.
    pub(super) fn make_folder(&mut self, path: &VaultPath) -> io::Result<()> {
        let parent = self.folder(&path.parent())?;
        match fs::mkdirat(parent, path.name(), Mode::RWXU) {
            Err(rustix::io::Errno::EXIST) => Ok(()),
            made => Ok(made?),
        }
    }

    /// Moves a file into a folder outside of the copy, under a name of its own.
    pub(super) fn set_aside(&mut self, path: &VaultPath, to: &Path) -> io::Result<()> {
        let parent = self.folder(&path.parent())?;
        let stem: String = path.name().chars().take(40).collect();
        let place = to.join(format!("{} {stem}", uuid::Uuid::new_v4()));
        Ok(fs::renameat(parent, path.name(), fs::CWD, &place)?)
    }

    /// Makes a file with the bytes of `source`, as they are at the moment. Returns false if something has its
    /// name already, which stays as it is.
    pub(super) fn make_file(&mut self, path: &VaultPath, source: Source) -> io::Result<bool> {
        let parent = self.folder(&path.parent())?;
        // A name that the program cannot foresee.
        let temporary = format!(".vault-gw-{}.tmp", uuid::Uuid::new_v4());
        let temporary = temporary.as_str();
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let mut file = std::fs::File::from(fs::openat(parent, temporary, flags, mode)?);
        let modified = match source {
            Source::Bytes(bytes) => file.write_all(&bytes).map(|()| None),
            // Shares the blocks if the file system can.
            Source::File(mut from) => io::copy(&mut from, &mut file)
                .and_then(|_| from.metadata())
                .map(|metadata| Some((metadata.mtime(), metadata.mtime_nsec()))),
        };
        let named = modified.and_then(|modified| {
            if let Some((seconds, nanoseconds)) = modified {
                let time = Timespec {
                    tv_sec: seconds,
                    tv_nsec: nanoseconds,
                };
                let times = Timestamps {
                    last_access: time,
                    last_modification: time,
                };
                fs::futimens(&file, &times)?;
            }
            let name = path.name();
            match fs::renameat_with(parent, temporary, parent, name, fs::RenameFlags::NOREPLACE) {
                Ok(()) => Ok(true),
                Err(rustix::io::Errno::EXIST) => Ok(false),
                Err(error) => Err(error.into()),
            }
        });
        if !matches!(named, Ok(true)) {
            let _left = fs::unlinkat(parent, temporary, AtFlags::empty());
        }
        named
    }
}

/// Opens what is at this path below a folder, without following symlinks.
fn open_below(root: impl AsFd, path: &VaultPath, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let place = if path.is_root() { "." } else { path.as_str() };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    fs::openat2(root, place, flags | OFlags::CLOEXEC, Mode::empty(), resolve)
}

/// Whether a file is at this path, or a folder around it is closed, so that this cannot be known. Symlinks are not
/// followed.
pub(super) fn may_be_there(root: &Path, path: &VaultPath) -> bool {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let opened = fs::open(root, flags, Mode::empty())
        .and_then(|root| open_below(root, path, flags))
        .and_then(fs::fstat);
    match opened {
        Ok(found) => fs::FileType::from_raw_mode(found.st_mode).is_file(),
        Err(error) => !matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP),
    }
}

/// Lets the owner into a folder of the copy that the program has closed, and returns whether it was closed. No symlink
/// is followed.
pub(super) fn open_to_owner(root: &Path, path: &VaultPath) -> bool {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let opened = fs::open(root, flags, Mode::empty()).and_then(|root| {
        // Not even `.` can be opened in a closed folder.
        if path.is_root() {
            return Ok(root);
        }
        open_below(root, path, flags)
    });
    let Ok(folder) = opened else {
        return false;
    };
    let Ok(found) = fs::fstat(&folder) else {
        return false;
    };
    let mode = Mode::from_raw_mode(found.st_mode);
    // A descriptor of a path cannot change the mode, but its name here can.
    let name = format!("/proc/self/fd/{}", folder.as_raw_fd());
    !mode.contains(Mode::RWXU) && fs::chmod(name, mode | Mode::RWXU).is_ok()
}

/// The bytes of a new file.
pub(super) enum Source {
    Bytes(Vec<u8>),
    File(std::fs::File),
}

impl Source {
    /// Returns the bytes of a file as the caller of a vault sees it.
    ///
    /// # Errors
    ///
    /// If it is not there, closed, or cannot be read.
    pub(super) fn open(vault: &Vault, path: &VaultPath) -> Result<Self, EngineError> {
        let planned = vault.overlay().and_then(|overlay| overlay.files.get(path));
        let place = match planned {
            Some(PlannedFile::From(origin)) => origin,
            Some(_) => return vault.read_bytes(path).map(Self::Bytes),
            None => path,
        };
        // Rules may close a note for what is in it now.
        if place.can_be_linked() && place.is_note() {
            return vault.read_bytes(path).map(Self::Bytes);
        }
        Editor(&vault.as_in_the_folder())
            .file_at(place)
            .map(Self::File)
    }
}
