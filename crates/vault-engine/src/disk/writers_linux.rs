//! Which files other programs have open for writing, as `/proc` tells.
//!
//! A lease (`F_SETLEASE`) would tell it too, but no kept crate offers that without `unsafe`
//! (`docs/dependencies.md`).

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::io;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, StatxFlags, makedev, openat, statat, statx};

use super::FileIdentity;

/// Those of `files` that a process has open for writing: of the same user, in the same process
/// namespace. `None` where that cannot be looked up.
pub(crate) fn open_for_writing(files: &BTreeSet<FileIdentity>) -> Option<BTreeSet<FileIdentity>> {
    if files.is_empty() {
        return Some(BTreeSet::new());
    }
    let processes = open_folder(CWD, c"/proc").ok()?;
    let mut found = BTreeSet::new();
    let mut is_self_seen = false;
    for process in Dir::read_from(&processes).ok()? {
        let process = process.ok()?;
        let name = process.file_name();
        if !name.to_bytes().first().is_some_and(u8::is_ascii_digit) {
            continue;
        }
        // A process that has ended, or of another user, is not looked into.
        is_self_seen |= look_into(&processes, name, files, &mut found).is_ok();
    }
    // Where not even the own descriptors can be read, nothing was looked up.
    is_self_seen.then_some(found)
}

/// Looks through the descriptors of one process.
fn look_into(
    processes: &OwnedFd,
    process: &CStr,
    files: &BTreeSet<FileIdentity>,
    found: &mut BTreeSet<FileIdentity>,
) -> io::Result<()> {
    let folder = [process.to_bytes(), b"/fd"].concat();
    let descriptors = open_folder(processes, folder)?;
    for descriptor in Dir::read_from(&descriptors)? {
        let descriptor = descriptor?;
        let name = descriptor.file_name();
        if !name.to_bytes().first().is_some_and(u8::is_ascii_digit) {
            continue;
        }
        // First what rules out nearly all of them in one call. Without asking a server for what it
        // knows by now: that one might not answer. Closed meanwhile: what it wrote is there to be
        // read.
        let flags = AtFlags::STATX_DONT_SYNC;
        let Ok(file) = statx(&descriptors, name, flags, StatxFlags::INO) else {
            continue;
        };
        let identity = FileIdentity {
            device: makedev(file.stx_dev_major, file.stx_dev_minor),
            inode: file.stx_ino,
        };
        if !files.contains(&identity) {
            continue;
        }
        // The permissions of the link are those that the file was opened with.
        let Ok(link) = statat(&descriptors, name, AtFlags::SYMLINK_NOFOLLOW) else {
            continue;
        };
        if Mode::from_raw_mode(link.st_mode).contains(Mode::WUSR) {
            found.insert(identity);
        }
    }
    Ok(())
}

fn open_folder(at: impl std::os::fd::AsFd, name: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(at, name, flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    fn identity(path: &std::path::Path) -> FileIdentity {
        let metadata = fs_err::metadata(path).unwrap();
        FileIdentity {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    #[test]
    fn h15_a_file_that_is_open_for_writing_is_found_and_one_that_is_read_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (written, read) = (folder.path().join("written"), folder.path().join("read"));
        fs_err::write(&written, "1").unwrap();
        fs_err::write(&read, "2").unwrap();
        let files: BTreeSet<FileIdentity> = [identity(&written), identity(&read)].into();
        assert_eq!(open_for_writing(&files), Some(BTreeSet::new()));
        let reader = fs_err::File::open(&read).unwrap();
        let writer = fs_err::OpenOptions::new()
            .append(true)
            .open(&written)
            .unwrap();
        // Under another name, and under none, it is the same file.
        fs_err::rename(&written, folder.path().join("renamed")).unwrap();
        assert_eq!(
            open_for_writing(&files),
            Some([identity(&folder.path().join("renamed"))].into())
        );
        drop((reader, writer));
        assert_eq!(open_for_writing(&files), Some(BTreeSet::new()));
    }
}
