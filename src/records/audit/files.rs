//! The files of the log: the one that is written, and the full ones before it.
//!
//! A full file is renamed to `audit.<number of its last line>.jsonl`, so names sort by age and none
//! is ever used twice; the chain goes on in the next file.

use std::fs::File;
use std::time::Duration;

use super::line::Head;
use super::mark::{self, Mark};
use super::{AuditLimits, kept, tail};
use crate::private_dir::Unsafe;
use crate::records::state_folder::{NoLock, StateFolder};

/// The file that is written.
pub(super) const CURRENT: &str = "audit.jsonl";
const LOCK: &str = "audit.lock";
/// How long a writer or reader waits for others.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file as it was when the log was looked at.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) name: String,
    pub(super) file: File,
    /// Bytes that belong to the snapshot.
    pub(super) length: u64,
}

/// Keeps every other process from writing to the log, until dropped.
pub(super) fn lock(folder: &StateFolder) -> Result<crate::records::state_folder::Lock, NoLock> {
    folder.lock(LOCK, PATIENCE)
}

/// All files, oldest first, and the mark, as they are at one moment.
pub(super) fn snapshot(folder: &StateFolder) -> Result<(Vec<LogFile>, Option<Mark>), NoLock> {
    if !folder.exists() {
        return Ok((Vec::new(), None));
    }
    let _lock = lock(folder)?;
    let mut files = Vec::new();
    for name in full(folder)?.into_iter().chain([CURRENT.to_owned()]) {
        if let Some(file) = folder.open(&name)? {
            let length = file.metadata().map_err(Unsafe::Io)?.len();
            files.push(LogFile { name, file, length });
        }
    }
    Ok((files, mark::read(folder)?))
}

/// Puts a full file aside and forgets the oldest ones, but for the lines that are kept of them. Its
/// lines are on the disk first: the next file may be there after a power failure, and must not hang
/// in the air.
pub(super) fn rotate(
    folder: &StateFolder,
    file: &File,
    last: &Head,
    limits: &AuditLimits,
    mark: &mut Mark,
) -> Result<(), Unsafe> {
    folder.sync(CURRENT, file)?;
    let name = name_of(last.seq);
    if folder.open(&name)?.is_some() {
        return Err(Unsafe::Io(std::io::ErrorKind::AlreadyExists.into()));
    }
    folder.rename(CURRENT, &name)?;
    let full = full(folder)?;
    let kept = usize::try_from(limits.max_files).unwrap_or(usize::MAX);
    for old in full.iter().take(full.len().saturating_sub(kept)) {
        forget(folder, old, limits, mark)?;
    }
    folder.sync_names()
}

/// Forgets a full file. The mark says so before the file is gone, so that a crash in between leaves
/// lines that are there twice, and none that is missing.
fn forget(
    folder: &StateFolder,
    name: &str,
    limits: &AuditLimits,
    mark: &mut Mark,
) -> Result<(), Unsafe> {
    if let Some(file) = folder.open(name)?
        && let Some(last) = seq_of(name)
        && last >= mark.first
    {
        kept::keep(folder, &file, mark, limits.max_bytes / 2)?;
        mark.first = last + 1;
        folder.sync_names()?;
        mark::write(folder, mark)?;
        kept::sweep(folder, mark)?;
    }
    folder.remove(name)
}

/// The number of the last line in a full file.
fn seq_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("audit.")?.strip_suffix(".jsonl")?;
    digits.parse().ok()
}

/// Where the chain stands at the end of the newest full file.
pub(super) fn head_of_full(folder: &StateFolder) -> Result<Head, Unsafe> {
    let Some(newest) = full(folder)?.pop() else {
        return Ok(Head::genesis());
    };
    let Some(file) = folder.open(&newest)? else {
        return Ok(Head::genesis());
    };
    let length = file.metadata().map_err(Unsafe::Io)?.len();
    let tail = tail::read(&file, length).map_err(Unsafe::Io)?;
    // One that holds no line breaks the chain: verifying says so, writing goes on.
    Ok(tail.head.unwrap_or_else(Head::genesis))
}

/// The names of the full files, oldest first.
fn full(folder: &StateFolder) -> Result<Vec<String>, Unsafe> {
    let mut names = folder.names()?;
    names.retain(|name| is_full(name));
    Ok(names)
}

fn name_of(seq: u64) -> String {
    // As many digits as the largest number has, so that names sort as numbers do.
    format!("audit.{seq:020}.jsonl")
}

fn is_full(name: &str) -> bool {
    name.strip_prefix("audit.")
        .and_then(|rest| rest.strip_suffix(".jsonl"))
        .is_some_and(|digits| {
            digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_full_files_sort_by_age_and_are_told_from_others() {
        assert!(name_of(9) < name_of(10) && name_of(99) < name_of(u64::MAX));
        assert!(is_full(&name_of(1)) && is_full(&name_of(u64::MAX)));
        for other in [CURRENT, LOCK, "audit.1.jsonl", ".audit.jsonl.tmp"] {
            assert!(!is_full(other), "{other}");
        }
    }
}
