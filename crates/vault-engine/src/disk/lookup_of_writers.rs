//! Which files other processes have open for writing, asked here or of another process.
//!
//! A process that the kernel confines cannot see what others have open. It names a function that
//! asks a process which can. That is a fact about this process, so it is kept once for all vaults.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::FileIdentity;
use super::writers;

/// Finds those of some files, each given by device and inode, that another process has open for
/// writing; `None` if that cannot be found out.
type WritersLookup = dyn Fn(&BTreeSet<(u64, u64)>) -> Option<Vec<(u64, u64)>> + Send + Sync;

static ELSEWHERE: OnceLock<Box<WritersLookup>> = OnceLock::new();

/// From now on asks `lookup` which files other processes have open for writing. The first call
/// counts.
pub fn look_for_writers_with(lookup: Box<WritersLookup>) {
    ELSEWHERE.get_or_init(|| lookup);
}

/// Which of these files, each given by device and inode, a process of this user has open for
/// writing; `None` if that cannot be found out. Looks by itself.
pub fn open_for_writing(files: &BTreeSet<(u64, u64)>) -> Option<Vec<(u64, u64)>> {
    let files = files.iter().map(|(device, inode)| FileIdentity {
        device: *device,
        inode: *inode,
    });
    let found = writers::open_for_writing(&files.collect())?;
    Some(found.iter().map(|file| (file.device, file.inode)).collect())
}

/// Those of `files` that another process has open for writing; `None` if that cannot be found out.
pub(crate) fn writers_of(files: &BTreeSet<FileIdentity>) -> Option<BTreeSet<FileIdentity>> {
    let Some(lookup) = ELSEWHERE.get() else {
        return writers::open_for_writing(files);
    };
    let asked = files.iter().map(|file| (file.device, file.inode)).collect();
    let others = lookup(&asked)?;
    let others = others
        .into_iter()
        .map(|(device, inode)| FileIdentity { device, inode });
    Some(others.collect())
}
