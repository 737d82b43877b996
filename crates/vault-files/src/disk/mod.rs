//! The only access to files: each path is opened below the vault's root, component by component. No symlink is
//! followed, unless `links` allows it for reading.
//!
//! On Unix every step is relative to an open folder (`openat`). So there is no race between check
//! and use: a folder that is swapped for a symlink in between cannot lead out of the vault
//! (`threats.toml` D03, D04).

#[cfg_attr(
    any(target_vendor = "apple", target_os = "linux", target_os = "android"),
    path = "attributes_unix.rs"
)]
#[cfg_attr(
    not(any(target_vendor = "apple", target_os = "linux", target_os = "android")),
    path = "attributes_other.rs"
)]
mod attributes;
mod links;
mod lookup_of_writers;
mod several_names;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;
mod trail;
#[cfg(unix)]
#[path = "write_unix.rs"]
mod write;
#[cfg(windows)]
#[path = "write_windows.rs"]
mod write;
#[cfg_attr(target_os = "linux", path = "writers_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "writers_other.rs")]
mod writers;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

pub use self::attributes::take_attributes;
pub(crate) use self::links::{Linked, overlap};
pub use self::lookup_of_writers::writers_of as open_for_writing;
pub use self::lookup_of_writers::{
    look_for_writers_with, open_for_writing as files_open_for_writing,
};
use self::several_names::SeveralNames;

use obsidian_note::path::normal_spelling;
use obsidian_note::{CancellationToken, VaultPath};

pub use self::system::{
    Folder, append_private, born, create_private, identity_of, make_private_folder, mode_of,
    open_any_place, stamp_of,
};
pub(crate) use self::system::{MODE_BITS, changed_time};
pub use self::trail::FolderTrail;
pub(crate) use self::write::is_in_use;
pub use self::write::{give_to_owner_of, have_one_owner, set_mode, sync_file};

/// The type of a directory entry. A symlink is reported as such, never as its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symlink, to whatever it leads.
    Symlink,
    /// A pipe, socket or device.
    Special,
}

/// The metadata by which a changed file is recognised without reading it. Times are nanoseconds
/// since 1970; a value that the system does not provide is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// The size in bytes, by which most changes show already.
    pub size: u64,
    /// Modification time (`mtime`). Programs can set it, so it proves nothing by itself.
    pub modified: i64,
    /// Status change time (`ctime`) of content, name or attributes. Programs cannot set it.
    pub changed: i64,
    /// The number of the file on its file system.
    pub inode: u64,
    /// Whether the file has more than one hard link, anywhere on its file system.
    pub has_other_names: bool,
}

/// A reading is trusted only if the last change was at least this long before it. File systems round times to up to two
/// seconds, so a change right after the reading could leave the same time stamp.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

impl FileStamp {
    /// Whether a file or folder with this stamp, read after `started`, was last changed long enough before, so that an
    /// equal stamp later proves that it is unchanged. Times in the future never are: such a file is read each time,
    /// which is slow but correct.
    pub fn is_settled(&self, started: SystemTime) -> bool {
        let nanoseconds =
            |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        let limit = started
            .checked_sub(SETTLED_AFTER)
            .and_then(|limit| limit.duration_since(SystemTime::UNIX_EPOCH).ok())
            .map_or(i64::MIN, nanoseconds);
        self.changed.max(self.modified) < limit
    }
}

/// Identifies a file on this machine independently of its name. All 0 if the system has no such number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileIdentity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// Identifies a folder on this machine; it stays the same when the folder is moved or renamed on
/// its file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderIdentity {
    /// The number of the file system on this machine.
    pub device: u64,
    /// The number of the folder in that file system. A later folder can get the number of a removed
    /// one.
    pub inode: u64,
    /// When the folder was created, in nanoseconds since 1970; `None` if the file system does not
    /// keep that exactly.
    pub born: Option<i64>,
}

impl FolderIdentity {
    /// Returns the identity of the folder at this path of the machine. Symlinks are followed. `None` if the system has
    /// no such number.
    ///
    /// # Errors
    ///
    /// Fails if the path does not exist, is not a folder, or cannot be opened.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        Folder::open(&std::fs::canonicalize(path)?)?.identity()
    }
}

/// One directory entry, under its name on disk.
pub struct FolderEntry {
    /// Its name, as on disk.
    pub name: OsString,
    /// Its type.
    pub kind: EntryKind,
}

/// The reason why a file or folder could not be opened.
#[derive(Debug)]
pub enum Obstacle {
    /// There is nothing.
    Missing,
    /// Something other than a folder is in the place of a folder.
    NotAFolder,
    /// A folder is in the place of a file.
    IsFolder,
    /// A symlink is in the place of a file or folder.
    Symlink,
    /// A pipe, socket or device is in the place of a file.
    Special,
    /// The system refuses.
    Io(io::Error),
}

impl Obstacle {
    /// Whether it shows that there is no file or folder of this name.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Missing | Self::NotAFolder)
    }

    /// Returns the obstacle with its place.
    pub(crate) fn at(self, at: VaultPath) -> Blocked {
        Blocked { at, obstacle: self }
    }
}

/// An [`Obstacle`] and the part of the path at which it is.
#[derive(Debug)]
pub struct Blocked {
    /// The path up to and including the part.
    pub at: VaultPath,
    /// The reason.
    pub obstacle: Obstacle,
}

/// A vault's root folder, kept open.
#[derive(Clone)]
pub struct Disk {
    root: Arc<Folder>,
    /// The canonical path of the folder when it was opened.
    place: PathBuf,
    /// Whether reading follows symlinks to folders.
    reads_links: bool,
    /// Long reads check it.
    cancellation: CancellationToken,
    /// The files with several names that can be read; `None` if all can.
    several_names: Option<Arc<SeveralNames>>,
}

impl Disk {
    /// Opens `root` without listing it. Returns its canonical path too.
    pub(crate) fn open(root: &Path) -> io::Result<(Self, PathBuf)> {
        // Canonical first: the vault itself may be given through a symlink, which `Folder::open`
        // refuses.
        let (folder, place) = if let Some(folder) = Folder::open_canonical(root) {
            (folder, root.to_owned())
        } else {
            let place = std::fs::canonicalize(root)?;
            (Folder::open(&place)?, place)
        };
        let disk = Self {
            root: Arc::new(folder),
            place: place.clone(),
            reads_links: false,
            cancellation: CancellationToken::default(),
            several_names: None,
        };
        Ok((disk, system::for_people(place)))
    }

    /// Returns the same folder, whose long reads stop once `cancellation` is cancelled.
    #[must_use]
    pub(crate) fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        Self {
            cancellation,
            ..self
        }
    }

    /// Whether reading may go through symlinks to folders.
    pub fn reads_links(&self) -> bool {
        self.reads_links
    }

    /// Returns the identity of the root folder; `None` if the system has no such number.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn identity(&self) -> io::Result<Option<FolderIdentity>> {
        self.root.identity()
    }

    /// Returns the token that long reads check.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// Opens a folder without following symlinks. Every write must go through here.
    ///
    /// # Errors
    ///
    /// Fails if a part of the path is missing, a symlink, or of another type.
    pub fn folder(&self, path: &VaultPath) -> Result<Folder, Blocked> {
        let mut opened: Option<Folder> = None;
        for (index, name) in path.components().enumerate() {
            let above = opened.as_ref().unwrap_or(&self.root);
            let next = named(above, name, Folder::folder)
                .map_err(|obstacle| obstacle.at(path.beginning(index + 1)))?;
            opened = Some(next);
        }
        opened.map_or_else(|| self.root_again(), Ok)
    }

    /// Opens another handle to the root folder.
    fn root_again(&self) -> Result<Folder, Blocked> {
        let again = self.root.again();
        again.map_err(|error| Obstacle::Io(error).at(VaultPath::root()))
    }

    /// Opens a regular file for reading; a pipe or device is refused without waiting for it
    /// (`threats.toml` D14). No symlink is followed.
    ///
    /// # Errors
    ///
    /// Fails if a part of the path is missing, a symlink, or of another type.
    pub fn file(&self, path: &VaultPath) -> Result<File, Blocked> {
        file_in(&self.folder(&path.parent())?, path.name())
            .map_err(|obstacle| obstacle.at(path.clone()))
    }

    /// As [`Self::folder`], following a symlink if that is allowed.
    pub(crate) fn folder_to_read(&self, path: &VaultPath) -> Result<Folder, Blocked> {
        match self.folder(path) {
            Err(blocked) if self.reads_links && matches!(blocked.obstacle, Obstacle::Symlink) => {
                self.folder_through_link(path, blocked.at)
            }
            other => other,
        }
    }

    /// As [`Self::file`], also from a folder behind a symlink if that is allowed. A file that other names close is
    /// missing.
    pub(crate) fn file_to_read(&self, path: &VaultPath) -> Result<File, Blocked> {
        let folder = self.folder_to_read(&path.parent())?;
        let opened = match stamped_file_in(&folder, path.name()) {
            Ok((_, stamp)) if !self.opens(path, &stamp) => Err(Obstacle::Missing),
            Ok((file, _)) => Ok(file),
            Err(Obstacle::Symlink) if self.linked(path).is_some() => Err(Obstacle::IsFolder),
            Err(obstacle) => Err(obstacle),
        };
        opened.map_err(|obstacle| obstacle.at(path.clone()))
    }

    /// Whether a readable file exists under exactly this spelling.
    pub fn has_file(&self, path: &VaultPath) -> bool {
        self.file_to_read(path).is_ok() && (!system::IGNORES_CASE || self.is_spelled_so(path))
    }

    /// Whether one of several files or folders is opened by this path, because their names differ only in how accents
    /// are encoded (`threats.toml` D08).
    pub fn has_twins(&self, path: &VaultPath) -> bool {
        let mut names = path.components().enumerate();
        names.any(|(index, name)| {
            let folder = (!name.is_ascii()).then(|| self.folder_to_read(&path.beginning(index)));
            let entries = folder.and_then(|folder| list(&folder.ok()?).ok());
            let entries = entries.unwrap_or_default().into_iter();
            entries
                .filter(|entry| is_spelling(&entry.name, name))
                .count()
                > 1
        })
    }

    /// Opens a folder and returns its path on the machine.
    fn placed_folder(&self, path: &VaultPath) -> Result<(Folder, PathBuf), Blocked> {
        let mut folder = self.root_again()?;
        let mut place = self.place.clone();
        for (index, name) in path.components().enumerate() {
            let next = |folder: &Folder, on_disk: &OsStr| {
                Ok((folder.folder(on_disk)?, place.join(on_disk)))
            };
            (folder, place) = named(&folder, name, next)
                .map_err(|obstacle| obstacle.at(path.beginning(index + 1)))?;
        }
        Ok((folder, place))
    }

    /// Whether the entry at this path is spelled differently on a disk that ignores case.
    pub(crate) fn is_spelled_otherwise(&self, path: &VaultPath) -> bool {
        system::IGNORES_CASE && !self.is_spelled_so(path)
    }

    /// As `is_spelled_otherwise`, but only for the last name: the folders may be in any
    /// case.
    pub fn is_named_otherwise(&self, path: &VaultPath) -> bool {
        system::IGNORES_CASE && !self.is_listed_in(&path.parent(), path.name())
    }

    /// Whether every component is listed in exactly this case. On systems that ignore case, a
    /// successful open does not prove that.
    fn is_spelled_so(&self, path: &VaultPath) -> bool {
        path.components()
            .enumerate()
            .all(|(index, name)| self.is_listed_in(&path.beginning(index), name))
    }

    fn is_listed_in(&self, folder: &VaultPath, name: &str) -> bool {
        let folder = self.folder_to_read(folder).ok();
        folder
            .and_then(|folder| list(&folder).ok())
            .is_some_and(|entries| entries.iter().any(|entry| is_spelling(&entry.name, name)))
    }
}

/// Opens the regular file `name`, in any Unicode spelling on disk.
///
/// # Errors
///
/// Fails if it is missing, a symlink, or of another type, or if the system refuses.
pub fn file_in(folder: &Folder, name: &str) -> Result<File, Obstacle> {
    stamped_file_in(folder, name).map(|(file, _)| file)
}

/// As [`file_in`], with the file's stamp.
///
/// # Errors
///
/// Fails if it is missing, a symlink, or of another type, or if the system refuses.
pub fn stamped_file_in(folder: &Folder, name: &str) -> Result<(File, FileStamp), Obstacle> {
    #[cfg(any(test, feature = "testing"))]
    trace::FILES.with(|count| count.set(count.get() + 1));
    named(folder, name, Folder::file)
}

/// Returns a folder's entries in no particular order, without `.` and `..`.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn list(folder: &Folder) -> io::Result<Vec<FolderEntry>> {
    #[cfg(any(test, feature = "testing"))]
    trace::LISTINGS.with(|count| count.set(count.get() + 1));
    folder.entries()
}

/// Returns the name on disk of the entry that the vault calls `name`; `name` itself if there is no
/// such entry.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn name_on_disk(folder: &Folder, name: &str) -> io::Result<OsString> {
    let spelled = named(folder, name, |folder, spelled| {
        match folder.stamp(spelled) {
            Ok(_) => Ok(spelled.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Obstacle::Missing),
            Err(error) => Err(Obstacle::Io(error)),
        }
    });
    match spelled {
        Ok(spelled) => Ok(spelled),
        Err(Obstacle::Io(error)) => Err(error),
        Err(_) => Ok(OsString::from(name)),
    }
}

/// Opens `name` as it is. If that is missing, opens the entry whose normal spelling is `name`.
fn named<T>(
    folder: &Folder,
    name: &str,
    open: impl Fn(&Folder, &OsStr) -> Result<T, Obstacle>,
) -> Result<T, Obstacle> {
    match open(folder, OsStr::new(name)) {
        // Listing a folder is slow, so it is done only if another spelling is possible. The smallest spelling in byte
        // order wins, so that all calls agree.
        Err(Obstacle::Missing) if may_be_spelled_otherwise(name) => {
            let other = list(folder)
                .map_err(Obstacle::Io)?
                .into_iter()
                .map(|entry| entry.name)
                .filter(|entry| is_spelling(entry, name))
                .min();
            other.map_or(Err(Obstacle::Missing), |other| open(folder, &other))
        }
        result => result,
    }
}

fn is_spelling(on_disk: &OsStr, name: &str) -> bool {
    normal_spelling(&on_disk.to_string_lossy()) == name
}

/// Whether some other text can have `name` as its normal spelling. Plain ASCII names cannot, which
/// saves listing the folder for each missing file. The four exceptions are what the Kelvin sign,
/// the Greek question mark, the Greek varia and the no-break spaces normalise to.
pub fn may_be_spelled_otherwise(name: &str) -> bool {
    !name.is_ascii() || name.contains(['K', ';', '`', ' '])
}

/// Counts what the current thread lists and opens, for tests.
#[cfg(any(test, feature = "testing"))]
pub mod trace {
    use std::cell::Cell;

    thread_local! {
        pub(crate) static LISTINGS: Cell<usize> = const { Cell::new(0) };
        pub(crate) static FILES: Cell<usize> = const { Cell::new(0) };
        #[cfg(unix)]
        pub(crate) static FOLDERS: Cell<usize> = const { Cell::new(0) };
    }

    /// Folders opened by name while `work` ran.
    #[cfg(all(test, unix))]
    pub(crate) fn count_folders<T>(work: impl FnOnce() -> T) -> (T, usize) {
        FOLDERS.set(0);
        (work(), FOLDERS.get())
    }

    /// Folders listed and files opened while `work` ran.
    pub fn count<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
        LISTINGS.set(0);
        FILES.set(0);
        let result = work();
        (result, LISTINGS.get(), FILES.get())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_stamp_is_settled_two_seconds_after_the_last_change() {
        let started = SystemTime::UNIX_EPOCH + Duration::from_secs(100);
        let at = |changed: i64, modified: i64| FileStamp {
            changed: changed * 1_000_000_000,
            modified: modified * 1_000_000_000,
            ..FileStamp::default()
        };
        assert!(at(97, 50).is_settled(started));
        assert!(!at(98, 50).is_settled(started));
        assert!(!at(0, 99).is_settled(started));
        assert!(!at(97, 5_000).is_settled(started));
        assert!(!at(0, 0).is_settled(SystemTime::UNIX_EPOCH));
    }

    fn path(text: &str) -> VaultPath {
        VaultPath::file(text).unwrap()
    }

    fn vault() -> (tempfile::TempDir, Disk) {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("vault")).unwrap();
        let (disk, _) = Disk::open(&folder.path().join("vault")).unwrap();
        (folder, disk)
    }

    fn text(mut file: File) -> String {
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn only_names_with_another_spelling_cost_a_listing() {
        for character in '\u{80}'..='\u{ffff}' {
            let normal = normal_spelling(&character.to_string());
            if normal.is_ascii() {
                assert!(
                    may_be_spelled_otherwise(&normal),
                    "U+{:04X}",
                    u32::from(character)
                );
            }
        }
        assert!(!may_be_spelled_otherwise("daily-note_1.md"));
    }

    #[test]
    fn d08_a_decomposed_name_on_disk_is_found_by_its_composed_path() {
        let (folder, disk) = vault();
        let root = folder.path().join("vault");
        fs_err::create_dir(root.join("e\u{301}")).unwrap();
        fs_err::write(root.join("e\u{301}/\u{1112}\u{1161}\u{11ab}.md"), "hangul").unwrap();
        fs_err::write(root.join("a\u{a0}b.md"), "space").unwrap();
        fs_err::write(root.join("\u{fb01}.md"), "ligature").unwrap();
        assert_eq!(
            text(disk.file(&path("\u{e9}/\u{d55c}.md")).unwrap()),
            "hangul"
        );
        assert_eq!(text(disk.file(&path("a b.md")).unwrap()), "space");
        assert!(disk.file(&path("fi.md")).is_err());
    }

    #[test]
    fn d08_the_exact_spelling_comes_before_any_other() {
        let (folder, disk) = vault();
        let root = folder.path().join("vault");
        fs_err::write(root.join("a b.md"), "plain").unwrap();
        fs_err::write(root.join("a\u{a0}b.md"), "no-break").unwrap();
        assert_eq!(text(disk.file(&path("a b.md")).unwrap()), "plain");
    }

    #[test]
    fn obstacles_are_distinguished() {
        let (folder, disk) = vault();
        let root = folder.path().join("vault");
        fs_err::create_dir(root.join("sub")).unwrap();
        fs_err::write(root.join("note.md"), "x").unwrap();
        let blocked = |text: &str| disk.file(&path(text)).unwrap_err();
        assert!(matches!(blocked("none.md").obstacle, Obstacle::Missing));
        assert!(matches!(
            blocked("none/none.md").obstacle,
            Obstacle::Missing
        ));
        assert!(matches!(blocked("sub").obstacle, Obstacle::IsFolder));
        let inside = blocked("note.md/x");
        assert!(matches!(inside.obstacle, Obstacle::NotAFolder));
        assert_eq!(inside.at, path("note.md"));
    }

    #[cfg(unix)]
    #[test]
    fn d03_symlinks_are_refused_wherever_they_stand_and_lead() {
        use std::os::unix::fs::symlink;
        let (folder, disk) = vault();
        let root = folder.path().join("vault");
        let outside = folder.path().join("outside");
        fs_err::create_dir(&outside).unwrap();
        fs_err::write(outside.join("secret.md"), "secret").unwrap();
        fs_err::write(root.join("note.md"), "x").unwrap();
        symlink(outside.join("secret.md"), root.join("out.md")).unwrap();
        symlink("nowhere", root.join("dangling.md")).unwrap();
        symlink("note.md", root.join("inside.md")).unwrap();
        symlink(&outside, root.join("folder")).unwrap();
        for name in ["out.md", "dangling.md", "inside.md", "folder"] {
            let blocked = disk.file(&path(name)).unwrap_err();
            assert!(matches!(blocked.obstacle, Obstacle::Symlink), "{name}");
        }
        let blocked = disk.file(&path("folder/secret.md")).unwrap_err();
        assert!(matches!(blocked.obstacle, Obstacle::Symlink));
        assert_eq!(blocked.at, path("folder"));
        assert!(disk.folder(&path("folder")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn d04_a_swap_between_check_and_use_never_leads_out() {
        use std::os::unix::fs::symlink;
        use std::sync::atomic::{AtomicBool, Ordering};
        let (folder, disk) = vault();
        let root = folder.path().join("vault");
        let outside = folder.path().join("outside");
        for place in [&outside, &root.join("sub")] {
            fs_err::create_dir(place).unwrap();
        }
        fs_err::write(outside.join("note.md"), "secret").unwrap();
        fs_err::write(root.join("sub/note.md"), "inside").unwrap();
        fs_err::write(root.join("note.md"), "inside").unwrap();
        symlink(&outside, folder.path().join("folder-link")).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // Folder and link swap places; then the file becomes a link and a file in turn.
                    fs_err::rename(root.join("sub"), folder.path().join("kept")).unwrap();
                    fs_err::rename(folder.path().join("folder-link"), root.join("sub")).unwrap();
                    symlink(outside.join("note.md"), root.join("swap")).unwrap();
                    fs_err::rename(root.join("swap"), root.join("note.md")).unwrap();
                    fs_err::rename(root.join("sub"), folder.path().join("folder-link")).unwrap();
                    fs_err::rename(folder.path().join("kept"), root.join("sub")).unwrap();
                    fs_err::write(root.join("swap"), "inside").unwrap();
                    fs_err::rename(root.join("swap"), root.join("note.md")).unwrap();
                }
            });
            let mut read = 0;
            let mut rounds = 0..;
            // On a busy machine the other thread may be stopped in the middle of a swap for a long time.
            while let Some(round) = rounds.next().filter(|round| *round < 10_000 || read == 0) {
                let wanted = if round % 2 == 0 {
                    "sub/note.md"
                } else {
                    "note.md"
                };
                if let Ok(file) = disk.file(&path(wanted)) {
                    assert_eq!(text(file), "inside");
                    read += 1;
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn d14_a_pipe_socket_or_device_is_refused_without_waiting() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let (folder, disk) = vault();
        let root = folder.path().join("vault");
        mknodat(CWD, root.join("pipe.md"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(root.join("socket.md")).unwrap();
        for name in ["pipe.md", "socket.md"] {
            let blocked = disk.file(&path(name)).unwrap_err();
            assert!(
                matches!(blocked.obstacle, Obstacle::Special),
                "{name}: {blocked:?}"
            );
        }
        assert!(open_any_place(&root.join("pipe.md")).is_err());
    }
}
