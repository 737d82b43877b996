//! Finds the files that other processes have open for writing, in this process or through another.
//!
//! A process that the kernel confines cannot see the open files of others. It sets a function that
//! asks a process which can. That applies to the whole process, so there is one function for all
//! vaults.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::FileIdentity;
use super::writers;

/// Finds which of some files, given by device and inode, another process has open for writing; `None` if that cannot be
/// found out.
type WritersLookup = dyn Fn(&BTreeSet<(u64, u64)>) -> Option<Vec<(u64, u64)>> + Send + Sync;

static ELSEWHERE: OnceLock<Box<WritersLookup>> = OnceLock::new();

/// Makes later look-ups ask `lookup` which files other processes have open for writing. Only the
/// first call has an effect.
pub fn look_for_writers_with(lookup: Box<WritersLookup>) {
    ELSEWHERE.get_or_init(|| lookup);
}

/// Returns the given files (device and inode) that a process of this user has open for writing; `None` if that cannot
/// be found out. Always looks in this process itself.
pub fn open_for_writing(files: &BTreeSet<(u64, u64)>) -> Option<Vec<(u64, u64)>> {
    let files = files.iter().map(|(device, inode)| FileIdentity {
        device: *device,
        inode: *inode,
    });
    let found = writers::open_for_writing(&files.collect())?;
    Some(found.iter().map(|file| (file.device, file.inode)).collect())
}

/// Returns the files among `files` that another process has open for writing; `None` if the system does not report
/// that.
pub fn writers_of(files: &BTreeSet<FileIdentity>) -> Option<BTreeSet<FileIdentity>> {
    let Some(lookup) = ELSEWHERE.get() else {
        return writers::open_for_writing(files);
    };
    let wanted = files.iter().map(|file| (file.device, file.inode)).collect();
    let others = lookup(&wanted)?;
    let others = others
        .into_iter()
        .map(|(device, inode)| FileIdentity { device, inode });
    Some(others.collect())
}
