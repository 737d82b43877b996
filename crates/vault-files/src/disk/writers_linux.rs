//! Finds the files that other processes have open for writing, through `/proc`.
//!
//! A lease (`F_SETLEASE`) would show that too, but no crate in use offers it without `unsafe`
//! (`docs/dependencies.md`).

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::io;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, StatxFlags, makedev, openat, statat, statx};

use super::FileIdentity;

/// Returns the `files` that a process of the same user, in the same PID namespace, has open for writing. `None` if that
/// cannot be found out.
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
        // Fails for a process that has ended or belongs to another user; both are skipped.
        is_self_seen |= look_into(&processes, name, files, &mut found).is_ok();
    }
    // If not even this process's own descriptors are readable, `/proc` is restricted (hidepid, a
    // sandbox), and an empty result would prove nothing.
    is_self_seen.then_some(found)
}

/// Checks the open descriptors of one process.
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
        // The inode alone rules out nearly all descriptors in one call. DONT_SYNC: a network server might not answer.
        // An error means that the file was closed in between (a race); then everything that was written to it can be
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
        // The mode of the `/proc` link shows how the file was opened.
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
        // A renamed or deleted file is still found, because its inode is the same.
        fs_err::rename(&written, folder.path().join("renamed")).unwrap();
        assert_eq!(
            open_for_writing(&files),
            Some([identity(&folder.path().join("renamed"))].into())
        );
        drop((reader, writer));
        assert_eq!(open_for_writing(&files), Some(BTreeSet::new()));
    }
}
