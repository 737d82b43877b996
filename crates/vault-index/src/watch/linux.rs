//! The kernel's queue of changes below a folder (`inotify`).
//!
//! The kernel queues an event before the system call that causes it returns. So draining the queue
//! yields every edit that was complete before, without a thread and without waiting.
//!
//! Some changes cause no event. If that is known in advance, watching is refused ([`Blind`]): on network file systems,
//! which other machines change; for files behind a followed symlink; for folders that may not be watched. Two cases
//! cannot be seen here: a file written through a memory map after it was closed, and a file written through a hard link
//! outside of the vault. For the first, `Followed` walks the whole vault now and then; for the second, it does not
//! watch at all if a note has several hard links.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use obsidian_note::name;
use obsidian_note::{MAX_DEPTH, VaultPath};
use rayon::prelude::*;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use vault_files::disk::list;
use vault_files::{Disk, EntryKind, Folder, Obstacle};

use super::Changes;

/// Magic numbers of local file systems: no other machine and no lower layer changes them unseen.
const LOCAL: [i128; 16] = [
    0xef53,      // ext2, ext3, ext4
    0x9123_683e, // btrfs
    0x5846_5342, // xfs
    0xf2f5_2010, // f2fs
    0x2fc1_2fc1, // zfs
    0xca45_1a4e, // bcachefs
    0x0102_1994, // tmpfs
    0x8584_58f6, // ramfs
    0x794c_7630, // overlayfs
    0x3153_464a, // jfs
    0x5265_4973, // reiserfs
    0x3434,      // nilfs
    0x4d44,      // vfat
    0x2011_bab0, // exfat
    0x7366_746e, // ntfs3
    0x482b,      // hfsplus
];

/// Bytes read from the queue at once: a few hundred events.
const BUFFER: usize = 16 * 1024;
/// The maximum number of folders that are watched at once, each with its parent open.
const AT_ONCE: usize = 64;
/// The number of events beyond which a walk of the whole vault is cheaper.
const MOST_EVENTS: usize = 20_000;

/// An inotify watch on all folders of a vault; `None` inside if it would be incomplete.
pub struct Watch(Option<InotifyQueue>);

struct InotifyQueue {
    inotify: OwnedFd,
    /// The folders by their watch descriptors.
    folders: HashMap<i32, VaultPath>,
    /// Files whose name on disk is, or was, spelled differently from the vault's. Only one of several spellings counts,
    /// so a change of such a file needs a walk of the whole vault.
    odd: BTreeSet<VaultPath>,
}

/// The path of a folder to be watched; below the first one also its open parent, and its name on disk.
type NextFolder = (VaultPath, Option<(Arc<Folder>, OsString)>);

/// A watched folder.
struct WatchedFolder {
    number: i32,
    path: VaultPath,
    odd: Vec<VaultPath>,
    folders: Vec<NextFolder>,
}

/// The reason why the queue is incomplete.
enum Blind {
    /// Events were lost (overflow); a new watch would be complete again.
    Lost,
    /// The vault contains something that cannot be watched.
    Unfit,
}

/// One event of a watched folder.
struct InotifyEvent {
    folder: i32,
    flags: ReadFlags,
    name: Option<OsString>,
}

impl Watch {
    /// Watches every folder of the vault, if that reports every change.
    pub fn start(disk: &Disk) -> Self {
        Self(InotifyQueue::start(disk).ok())
    }

    /// Whether single changes are reported.
    #[cfg(any(test, feature = "testing"))]
    pub fn sees(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the changes since the last call. [`Changes::Anywhere`] if the vault cannot be watched; that stays so
    /// until a new [`Self::start`].
    pub fn changes(&mut self, disk: &Disk) -> Changes {
        match self.0.as_mut().map(|queue| queue.changes(disk)) {
            Some(Ok(Some(paths))) => return Changes::At(paths.into_iter().collect()),
            Some(Err(Blind::Lost)) => *self = Self::start(disk),
            Some(Err(Blind::Unfit)) => self.0 = None,
            Some(Ok(None)) | None => {}
        }
        Changes::Anywhere
    }
}

impl InotifyQueue {
    fn start(disk: &Disk) -> Result<Self, Blind> {
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let mut queue = Self {
            inotify,
            folders: HashMap::new(),
            odd: BTreeSet::new(),
        };
        queue.add(disk, VaultPath::root())?;
        Ok(queue)
    }

    /// Watches a folder and those below it.
    fn add(&mut self, disk: &Disk, folder: VaultPath) -> Result<(), Blind> {
        // The content of a folder comes before its neighbours, so few folders are open at a time.
        let mut next: Vec<NextFolder> = vec![(folder, None)];
        while !next.is_empty() {
            let batch = next.split_off(next.len().saturating_sub(AT_ONCE));
            let watched = batch
                .into_par_iter()
                .map(|folder| self.add_folder(disk, folder));
            for watched in watched
                .collect::<Result<Vec<_>, Blind>>()?
                .into_iter()
                .flatten()
            {
                self.folders.insert(watched.number, watched.path);
                self.odd.extend(watched.odd);
                next.extend(watched.folders);
            }
        }
        Ok(())
    }

    /// Watches one folder, and lists it afterwards: in the other order, a file created in between
    /// would be missed. `None` if there is no such folder.
    fn add_folder(
        &self,
        disk: &Disk,
        (path, place): NextFolder,
    ) -> Result<Option<WatchedFolder>, Blind> {
        // Walks do not list it either.
        if path.depth() >= MAX_DEPTH {
            return Ok(None);
        }
        let opened = match place {
            Some((parent, name)) => parent.folder(&name),
            None => disk.folder(&path).map_err(|blocked| blocked.obstacle),
        };
        let folder = match opened {
            Ok(folder) => Arc::new(folder),
            // Race: it was removed or replaced since its parent was listed. The parent's watch
            // has an event for that.
            Err(Obstacle::Missing | Obstacle::NotAFolder | Obstacle::Symlink) => return Ok(None),
            Err(Obstacle::IsFolder | Obstacle::Special | Obstacle::Io(_)) => {
                return Err(Blind::Unfit);
            }
        };
        if !is_local(&folder)? {
            return Err(Blind::Unfit);
        }
        let number = self.watch(&folder)?;
        let (mut odd, mut folders) = (Vec::new(), Vec::new());
        for entry in list(&folder)? {
            let Some(child) = named(&path, &entry.name)? else {
                continue;
            };
            if is_odd(&child, &entry.name) {
                if entry.kind == EntryKind::Folder {
                    return Err(Blind::Unfit);
                }
                odd.push(child.clone());
            }
            match entry.kind {
                EntryKind::Folder => {
                    folders.push((child, Some((Arc::clone(&folder), entry.name))));
                }
                EntryKind::Symlink if disk.reads_links() => return Err(Blind::Unfit),
                EntryKind::File | EntryKind::Symlink | EntryKind::Special => {}
            }
        }
        Ok(Some(WatchedFolder {
            number,
            path,
            odd,
            folders,
        }))
    }

    /// Watches the open folder itself, even if another is at its path now: `/proc/self/fd/N/.` names it without a race.
    fn watch(&self, folder: &Folder) -> Result<i32, Blind> {
        let flags = WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        let place = format!("/proc/self/fd/{}/.", folder.descriptor().as_raw_fd());
        Ok(inotify::add_watch(&self.inotify, place, flags)?)
    }

    /// Stops watching a folder and those below it.
    fn forget(&mut self, folder: &VaultPath) {
        let inotify = &self.inotify;
        self.folders.retain(|number, path| {
            let stays = path != folder && !path.is_below(folder);
            if !stays {
                // Fails for a folder that was removed; the kernel has dropped that watch already.
                let _gone = inotify::remove_watch(inotify, *number);
            }
            stays
        });
    }

    /// The changed paths; `None` if they do not suffice and the whole vault must be walked.
    fn changes(&mut self, disk: &Disk) -> Result<Option<BTreeSet<VaultPath>>, Blind> {
        let mut paths = BTreeSet::new();
        for event in self.events()? {
            self.take(disk, &event, &mut paths)?;
        }
        Ok(paths.is_disjoint(&self.odd).then_some(paths))
    }

    /// Reads all events from the queue; [`Blind::Lost`] if there are too many.
    fn events(&self) -> Result<Vec<InotifyEvent>, Blind> {
        let mut events = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => events.push(InotifyEvent {
                    folder: event.wd(),
                    flags: event.events(),
                    name: event
                        .file_name()
                        .map(|name| OsStr::from_bytes(name.to_bytes()).to_owned()),
                }),
                Err(Errno::AGAIN) => return Ok(events),
                Err(Errno::INTR) => {}
                Err(_) => return Err(Blind::Lost),
            }
            if events.len() > MOST_EVENTS {
                return Err(Blind::Lost);
            }
        }
    }

    fn take(
        &mut self,
        disk: &Disk,
        event: &InotifyEvent,
        paths: &mut BTreeSet<VaultPath>,
    ) -> Result<(), Blind> {
        let lost = ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT;
        if event.flags.intersects(lost) {
            return Err(Blind::Lost);
        }
        // An event of a removed watch: the folder's new watch, or its parent, has one too.
        let Some(folder) = self.folders.get(&event.folder) else {
            return Ok(());
        };
        let Some(name) = &event.name else {
            return self.take_of_itself(disk, event.flags, folder.clone(), paths);
        };
        let Some(path) = named(folder, name)? else {
            return Ok(());
        };
        if is_odd(&path, name) {
            if event.flags.contains(ReadFlags::ISDIR) {
                return Err(Blind::Unfit);
            }
            self.odd.insert(path.clone());
        }
        let comes = ReadFlags::CREATE | ReadFlags::MOVED_TO;
        if event.flags.contains(ReadFlags::ISDIR) {
            self.forget(&path);
            if event.flags.intersects(comes | ReadFlags::ATTRIB) {
                self.add(disk, path.clone())?;
            }
        } else if event.flags.intersects(comes) && is_followed_link(disk, &path) {
            return Err(Blind::Unfit);
        }
        paths.insert(path);
        Ok(())
    }

    /// Handles an event about a watched folder itself. Its parent gets an event as well, but the
    /// root has no watched parent: it may have been removed and created again under the same path,
    /// even with the same inode number, and the old watch would stay silent.
    ///
    /// A folder whose watch has ended is watched again, for any reason of its end.
    fn take_of_itself(
        &mut self,
        disk: &Disk,
        flags: ReadFlags,
        folder: VaultPath,
        paths: &mut BTreeSet<VaultPath>,
    ) -> Result<(), Blind> {
        if folder.is_root() {
            return Err(Blind::Lost);
        }
        if flags.intersects(ReadFlags::IGNORED | ReadFlags::DELETE_SELF) {
            self.forget(&folder);
            self.add(disk, folder.clone())?;
            paths.insert(folder);
        }
        Ok(())
    }
}

/// Whether a new path is a symlink to a file that is read through it: changes of that file cause
/// events under its own name only.
fn is_followed_link(disk: &Disk, path: &VaultPath) -> bool {
    disk.reads_links()
        && disk
            .file(path)
            .is_err_and(|blocked| matches!(blocked.obstacle, Obstacle::Symlink))
}

/// Returns the path of an entry; `None` if it is hidden.
fn named(folder: &VaultPath, name: &OsStr) -> Result<Option<VaultPath>, Blind> {
    name::from_disk(name)
        .map(|name| folder.join(&name).map_err(|_| Blind::Unfit))
        .transpose()
}

/// Whether the name on disk is spelled differently from the name in the vault.
fn is_odd(path: &VaultPath, name: &OsStr) -> bool {
    name != path.name()
}

fn is_local(folder: &Folder) -> Result<bool, Blind> {
    let kind = i128::from(rustix::fs::fstatfs(folder.descriptor())?.f_type) & 0xffff_ffff;
    Ok(LOCAL.contains(&kind))
}

impl From<Errno> for Blind {
    fn from(_: Errno) -> Self {
        Self::Unfit
    }
}

impl From<io::Error> for Blind {
    fn from(_: io::Error) -> Self {
        Self::Unfit
    }
}
