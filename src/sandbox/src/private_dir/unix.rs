//! Private files on Unix. Works on open descriptors, so that the file that was checked is the file
//! that is read.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::{Unsafe, read_at_most};

/// An open folder that only its owner can change.
#[derive(Debug)]
pub struct PrivateFolder(OwnedFd);

/// Owner, group and mode: whether another user could change a file or folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ownership {
    owner: u32,
    group: u32,
    mode: Mode,
}

impl Ownership {
    pub(super) fn from_stat(stat: &fs::Stat) -> Self {
        Self {
            owner: stat.st_uid,
            group: stat.st_gid,
            mode: Mode::from_raw_mode(stat.st_mode),
        }
    }

    /// Root counts as the owner, because root can change everything anyway.
    fn is_owned_by(self, user: u32) -> bool {
        self.owner == user || self.owner == 0
    }

    /// A group with the same number as the user is that user's private group by convention, with no
    /// other members.
    fn others_can_write(self) -> bool {
        self.mode.contains(Mode::WOTH)
            || (self.mode.contains(Mode::WGRP) && self.group != self.owner)
    }

    fn judge_file(self, user: u32) -> Result<(), Unsafe> {
        if !self.is_owned_by(user) {
            return Err(Unsafe::ForeignOwner);
        }
        if self.others_can_write() {
            return Err(Unsafe::Writable);
        }
        Ok(())
    }

    /// Returns the stricter rule for files that this program writes for itself: their owner is the user, not root, and
    /// the group may not write, regardless of its members.
    pub(super) fn judge_state_file(self, user: u32) -> Result<(), Unsafe> {
        if self.owner != user {
            return Err(Unsafe::ForeignOwner);
        }
        if self.mode.intersects(Mode::WGRP | Mode::WOTH) {
            return Err(Unsafe::Writable);
        }
        Ok(())
    }

    /// In a sticky folder such as `/tmp`, other users cannot replace files that are not theirs.
    fn judge_folder(self, user: u32) -> Result<(), Unsafe> {
        if !self.is_owned_by(user) {
            return Err(Unsafe::ForeignFolder);
        }
        if self.others_can_write() && !self.mode.contains(Mode::SVTX) {
            return Err(Unsafe::WritableFolder);
        }
        Ok(())
    }
}

impl PrivateFolder {
    /// Opens a folder and checks its owner and mode.
    ///
    /// # Errors
    ///
    /// If the folder is missing, or another user owns it or can write to it.
    pub fn open(path: &Path) -> Result<Self, Unsafe> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = fs::open(path, flags, Mode::empty()).map_err(missing_or_io)?;
        let facts = Ownership::from_stat(&fs::fstat(&folder).map_err(io)?);
        facts.judge_folder(user())?;
        Ok(Self(folder))
    }

    /// Checks the owner and the mode of a folder without opening it.
    ///
    /// # Errors
    ///
    /// As for [`Self::open`].
    pub fn check(path: &Path) -> Result<(), Unsafe> {
        let stat = fs::stat(path).map_err(missing_or_io)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Err(io(Errno::NOTDIR));
        }
        Ownership::from_stat(&stat).judge_folder(user())
    }

    /// Opens a folder. Creates it and its missing parents with mode 0700.
    ///
    /// # Errors
    ///
    /// As for [`Self::open`], and if a folder cannot be created.
    pub fn create(path: &Path) -> Result<Self, Unsafe> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(Unsafe::Io)?;
        Self::open(path)
    }

    /// Takes an exclusive lock on the folder. Blocks until no other process holds it. The lock is
    /// released when `self` is dropped.
    ///
    /// # Errors
    ///
    /// If the file system does not support locks.
    pub fn lock(&self) -> Result<(), Unsafe> {
        rustix::io::retry_on_intr(|| fs::flock(&self.0, FlockOperation::LockExclusive)).map_err(io)
    }

    /// Removes the temporary files that a killed process of this user left when it replaced `name`. The
    /// folder must be locked, as it is while such a file is written.
    ///
    /// # Errors
    ///
    /// If the folder cannot be listed, or a file not removed.
    pub fn remove_leftovers(&self, name: &OsStr) -> Result<(), Unsafe> {
        for entry in fs::Dir::read_from(&self.0).map_err(io)? {
            let entry = entry.map_err(io)?;
            let found = OsStr::from_bytes(entry.file_name().to_bytes());
            let is_ours = || -> rustix::io::Result<bool> {
                let stat = fs::statat(&self.0, found, AtFlags::SYMLINK_NOFOLLOW)?;
                let kind = FileType::from_raw_mode(stat.st_mode);
                Ok(kind == FileType::RegularFile && stat.st_uid == user())
            };
            if super::is_leftover(found, name) && is_ours().map_err(io)? {
                fs::unlinkat(&self.0, found, AtFlags::empty()).map_err(io)?;
            }
        }
        Ok(())
    }

    /// Reads a file of at most `limit` bytes that only its owner or root can change.
    ///
    /// # Errors
    ///
    /// If the file is missing, unsafe, too large or unreadable.
    pub fn read(&self, name: &OsStr, limit: u64) -> Result<Vec<u8>, Unsafe> {
        // NONBLOCK, because opening a named pipe would otherwise block until a writer opens it.
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file =
            fs::openat(&self.0, name, flags, Mode::empty()).map_err(|error| match error {
                Errno::NOENT => Unsafe::Missing,
                Errno::LOOP => Unsafe::Symlink,
                Errno::NXIO => Unsafe::NotAFile,
                other => Unsafe::Io(other.into()),
            })?;
        let stat = fs::fstat(&file).map_err(io)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Unsafe::NotAFile);
        }
        Ownership::from_stat(&stat).judge_file(user())?;
        read_at_most(File::from(file), limit)
    }

    /// Atomically replaces a file and syncs file and folder. Keeps the mode; a new file gets mode
    /// 0600.
    ///
    /// # Errors
    ///
    /// If the existing file is not a regular file, or on any I/O error. The old content then stays.
    pub fn replace(&self, name: &OsStr, bytes: &[u8]) -> Result<(), Unsafe> {
        let mode = match fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                let kind = FileType::from_raw_mode(stat.st_mode);
                if kind == FileType::Symlink {
                    return Err(Unsafe::Symlink);
                }
                if kind != FileType::RegularFile {
                    return Err(Unsafe::NotAFile);
                }
                Mode::from_raw_mode(stat.st_mode)
            }
            Err(Errno::NOENT) => Mode::RUSR | Mode::WUSR,
            Err(error) => return Err(io(error)),
        };
        let (temporary, file) = self.create_beside(name)?;
        let written = write_all(file, bytes, mode)
            .and_then(|()| Ok(fs::renameat(&self.0, &temporary, &self.0, name)?))
            .and_then(|()| Ok(fs::fsync(&self.0)?));
        if let Err(error) = written {
            // Best effort: report the first error, not the error of the clean-up.
            let _gone_already = fs::unlinkat(&self.0, &temporary, AtFlags::empty());
            return Err(Unsafe::Io(error));
        }
        Ok(())
    }

    /// Creates a temporary file in this folder under an unused name.
    fn create_beside(&self, name: &OsStr) -> Result<(std::ffi::OsString, OwnedFd), Unsafe> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let process = std::process::id();
        let mut attempt = 0_u32;
        loop {
            let mut temporary = std::ffi::OsString::from(".");
            temporary.push(name);
            temporary.push(format!(".{process}-{attempt}.tmp"));
            match fs::openat(&self.0, &temporary, flags, Mode::RUSR | Mode::WUSR) {
                Ok(file) => return Ok((temporary, file)),
                Err(Errno::EXIST) if attempt < 1000 => attempt += 1,
                Err(error) => return Err(io(error)),
            }
        }
    }
}

/// As [`super::lies_within`]. Compares device and inode numbers.
///
/// # Errors
///
/// If one of the paths cannot be read.
pub(super) fn lies_within(file: &Path, folder: &Path) -> io::Result<bool> {
    let wanted = fs_err::metadata(folder)?;
    let file = fs_err::canonicalize(file)?;
    for above in file.ancestors().skip(1) {
        let found = fs_err::metadata(above)?;
        if (found.dev(), found.ino()) == (wanted.dev(), wanted.ino()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn write_all(file: OwnedFd, bytes: &[u8], mode: Mode) -> io::Result<()> {
    fs::fchmod(&file, mode)?;
    let mut file = File::from(file);
    file.write_all(bytes)?;
    file.sync_all()
}

/// Returns the effective user of this process.
pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn missing_or_io(error: Errno) -> Unsafe {
    if error == Errno::NOENT {
        Unsafe::Missing
    } else {
        io(error)
    }
}

fn io(error: Errno) -> Unsafe {
    Unsafe::Io(error.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::private_dir::read;

    const LIMIT: u64 = 64;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.toml");
        (folder, file)
    }

    fn chmod(path: &Path, mode: u32) {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn ownership(owner: u32, group: u32, mode: u32) -> Ownership {
        Ownership {
            owner,
            group,
            mode: Mode::from_bits_retain(mode),
        }
    }

    /// Runs on a thread, so that reading something that blocks fails instead of hanging.
    fn read_in_time(path: &Path) -> Result<Vec<u8>, Unsafe> {
        let (sender, receiver) = mpsc::channel();
        let path = path.to_owned();
        std::thread::spawn(move || sender.send(read(&path, LIMIT)));
        receiver
            .recv_timeout(Duration::from_secs(30))
            .expect("reading blocked")
    }

    #[test]
    fn d14_what_is_no_regular_file_is_refused_at_once() {
        let (folder, _) = folder();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let directory = folder.path().join("directory");
        fs_err::create_dir(&directory).unwrap();
        for path in [&pipe, &socket, &directory, Path::new("/dev/null")] {
            let result = read_in_time(path);
            assert!(
                matches!(result, Err(Unsafe::NotAFile)),
                "{path:?} {result:?}"
            );
        }
    }

    #[test]
    fn d14_a_file_over_the_limit_is_refused() {
        let (_folder, file) = folder();
        fs_err::write(&file, [b'#'; 64]).unwrap();
        assert_eq!(read(&file, LIMIT).unwrap().len(), 64);
        fs_err::write(&file, [b'#'; 65]).unwrap();
        let result = read(&file, LIMIT);
        assert!(
            matches!(result, Err(Unsafe::TooLarge { limit: 64 })),
            "{result:?}"
        );
    }

    #[test]
    fn h05_a_symlink_is_refused_even_where_it_dangles() {
        let (folder, file) = folder();
        let target = folder.path().join("target.toml");
        fs_err::os::unix::fs::symlink(&target, &file).unwrap();
        assert!(matches!(read(&file, LIMIT), Err(Unsafe::Symlink)));
        fs_err::write(&target, "").unwrap();
        assert!(matches!(read(&file, LIMIT), Err(Unsafe::Symlink)));
        assert!(read(&target, LIMIT).is_ok());
    }

    #[test]
    fn h05_modes_decide_on_real_files() {
        let (folder, file) = folder();
        fs_err::write(&file, "").unwrap();
        for (mode, open) in [(0o600, true), (0o644, true), (0o400, true), (0o666, false)] {
            chmod(&file, mode);
            assert_eq!(read(&file, LIMIT).is_ok(), open, "{mode:o}");
        }
        chmod(&file, 0o602);
        assert!(matches!(read(&file, LIMIT), Err(Unsafe::Writable)));
        chmod(&file, 0o600);
        for (mode, open) in [(0o700, true), (0o755, true), (0o777, false), (0o1777, true)] {
            chmod(folder.path(), mode);
            assert_eq!(read(&file, LIMIT).is_ok(), open, "{mode:o}");
        }
        chmod(folder.path(), 0o703);
        assert!(matches!(read(&file, LIMIT), Err(Unsafe::WritableFolder)));
        chmod(folder.path(), 0o700);
    }

    #[test]
    fn h05_the_matrix_of_owners_groups_and_modes() {
        let user = 1000;
        for (facts, file, in_folder) in [
            (ownership(1000, 1000, 0o600), true, true),
            (ownership(0, 0, 0o644), true, true),
            (ownership(1001, 1001, 0o600), false, false),
            (ownership(1000, 1000, 0o660), true, true),
            (ownership(1000, 100, 0o660), false, false),
            (ownership(0, 100, 0o660), false, false),
            (ownership(1000, 1000, 0o602), false, false),
            (ownership(1000, 1000, 0o1777), false, true),
            (ownership(0, 0, 0o1777), false, true),
            (ownership(1001, 0, 0o1777), false, false),
        ] {
            assert_eq!(facts.judge_file(user).is_ok(), file, "{facts:?}");
            assert_eq!(facts.judge_folder(user).is_ok(), in_folder, "{facts:?}");
        }
    }

    #[test]
    fn h11_replacing_keeps_the_mode_and_leaves_nothing_behind() {
        let (folder, file) = folder();
        let open = PrivateFolder::open(folder.path()).unwrap();
        let name = OsStr::new("settings.toml");
        open.replace(name, b"one").unwrap();
        assert_eq!(fs_err::metadata(&file).unwrap().mode() & 0o7777, 0o600);
        chmod(&file, 0o640);
        // A leftover of a process that died does not prevent the next replacement.
        let leftover = format!(".settings.toml.{}-0.tmp", std::process::id());
        fs_err::write(folder.path().join(&leftover), "torn").unwrap();
        open.replace(name, b"two").unwrap();
        assert_eq!(fs_err::metadata(&file).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(fs_err::read(&file).unwrap(), b"two");
        fs_err::remove_file(folder.path().join(leftover)).unwrap();
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn h05_replacing_never_writes_through_a_symlink() {
        let (folder, file) = folder();
        let target = folder.path().join("target");
        fs_err::write(&target, "kept").unwrap();
        fs_err::os::unix::fs::symlink(&target, &file).unwrap();
        let open = PrivateFolder::open(folder.path()).unwrap();
        let result = open.replace(OsStr::new("settings.toml"), b"new");
        assert!(matches!(result, Err(Unsafe::Symlink)));
        assert_eq!(fs_err::read(&target).unwrap(), b"kept");
    }

    #[test]
    fn folders_are_made_for_their_owner_alone() {
        let (folder, _) = folder();
        let path = folder.path().join("a/vault-gw");
        PrivateFolder::create(&path).unwrap();
        for made in [&path, path.parent().unwrap()] {
            assert_eq!(fs_err::metadata(made).unwrap().mode() & 0o777, 0o700);
        }
    }
}
