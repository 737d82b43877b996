//! The files of the log: the current one, and rotated ones.
//!
//! A full file is renamed to `audit.<number of its last line>.jsonl`, so names sort by age and are never used twice.
//! The chain continues in the next file.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::line::Head;
use super::mark::{self, Mark};
use super::{kept, tail};
use crate::error::StoreError;
use crate::state_folder::{Lock, StateFolder};
use settings::AuditSettings;

/// The file that writers append to, in the state folder.
pub(super) const CURRENT: &str = "audit.jsonl";
const LOCK: &str = "audit.lock";
/// Time that a writer or reader waits for the lock.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file of a snapshot of the log.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) name: String,
    pub(super) file: File,
    /// Number of bytes that belong to the snapshot; later ones were appended since.
    pub(super) length: u64,
}

/// The lock of the log, kept until dropped.
pub(super) struct LogLock {
    _against_processes: Lock,
    _against_threads: Turn,
}

/// Whether a thread of this process has the lock, or waits for another process. The other threads
/// queue here: the lock between processes has to be polled, which many threads would do in vain.
static IS_TAKEN: Mutex<bool> = Mutex::new(false);
static FREED: Condvar = Condvar::new();

/// The place at the head of the queue, given up when dropped.
struct Turn;

impl Drop for Turn {
    fn drop(&mut self) {
        *IS_TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = false;
        FREED.notify_one();
    }
}

/// Locks the log against other threads and processes.
pub(super) fn lock(folder: &StateFolder) -> Result<LogLock, StoreError> {
    let limit = Instant::now() + PATIENCE;
    let is_taken = IS_TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = FREED.wait_timeout_while(is_taken, PATIENCE, |is_taken| *is_taken);
    let (mut is_taken, end) = waited.unwrap_or_else(PoisonError::into_inner);
    if end.timed_out() {
        return Err(folder.busy());
    }
    *is_taken = true;
    drop(is_taken);
    let turn = Turn;
    let left = limit.saturating_duration_since(Instant::now());
    Ok(LogLock {
        _against_processes: folder.lock(LOCK, left)?,
        _against_threads: turn,
    })
}

/// Returns the lines in the first `length` bytes of a file, each with its line feed.
pub(super) fn lines_of(
    mut file: &File,
    length: u64,
) -> io::Result<impl Iterator<Item = io::Result<Vec<u8>>>> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 16, file.take(length));
    Ok(std::iter::from_fn(move || {
        let mut line = Vec::new();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => None,
            read => Some(read.map(|_| line)),
        }
    }))
}

/// Returns a consistent snapshot of all files, oldest first, and the mark.
pub(super) fn snapshot(folder: &StateFolder) -> Result<(Vec<LogFile>, Option<Mark>), StoreError> {
    if !folder.exists() {
        return Ok((Vec::new(), None));
    }
    let _lock = lock(folder)?;
    let mut files = Vec::new();
    for name in full(folder)?.into_iter().chain([CURRENT.to_owned()]) {
        if let Some(file) = folder.open(&name)? {
            let length = folder.length(&file)?;
            files.push(LogFile { name, file, length });
        }
    }
    Ok((files, mark::read(folder)?))
}

/// Rotates a full file and drops the oldest ones, except for the lines to keep. Syncs the file before
/// the rename: after a power failure the next file may exist, and its chain must have a predecessor.
pub(super) fn rotate(
    folder: &StateFolder,
    file: &File,
    last: &Head,
    limits: &AuditSettings,
    mark: &mut Mark,
) -> Result<(), StoreError> {
    folder.sync(CURRENT, file)?;
    let name = name_of(last.seq);
    if folder.open(&name)?.is_some() {
        return Err(folder.unwritable(io::ErrorKind::AlreadyExists));
    }
    folder.rename(CURRENT, &name)?;
    let full = full(folder)?;
    let kept = usize::try_from(limits.max_files).unwrap_or(usize::MAX);
    for old in full.iter().take(full.len().saturating_sub(kept)) {
        forget(folder, old, limits, mark)?;
    }
    folder.sync_names()
}

/// Drops a rotated file. The mark is written before the file is removed, so a crash in between leaves
/// lines twice rather than missing.
fn forget(
    folder: &StateFolder,
    name: &str,
    limits: &AuditSettings,
    mark: &mut Mark,
) -> Result<(), StoreError> {
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

/// Returns the number of the last line in a rotated file; `None` if the name is not that of a rotated file.
fn seq_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("audit.")?.strip_suffix(".jsonl")?;
    digits.parse().ok().filter(|seq| name_of(*seq) == name)
}

/// Returns the head of the chain at the end of the newest rotated file.
pub(super) fn head_of_full(folder: &StateFolder) -> Result<Head, StoreError> {
    let Some(newest) = full(folder)?.pop() else {
        return Ok(Head::genesis());
    };
    let Some(file) = folder.open(&newest)? else {
        return Ok(Head::genesis());
    };
    let length = folder.length(&file)?;
    let tail = tail::read(&file, length).map_err(|error| folder.unreadable(error))?;
    // A file without any line breaks the chain. `verify` reports that; writing continues.
    Ok(tail.head.unwrap_or_else(Head::genesis))
}

/// Returns the names of the rotated files, oldest first.
fn full(folder: &StateFolder) -> Result<Vec<String>, StoreError> {
    let mut names = folder.names()?;
    names.retain(|name| seq_of(name).is_some());
    Ok(names)
}

fn name_of(seq: u64) -> String {
    // Padded to the digits of the largest number, so that names sort like numbers.
    format!("audit.{seq:020}.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_full_files_sort_by_age_and_are_recognised() {
        assert!(name_of(9) < name_of(10) && name_of(99) < name_of(u64::MAX));
        for seq in [1, u64::MAX] {
            assert_eq!(seq_of(&name_of(seq)), Some(seq));
        }
        for other in [CURRENT, LOCK, "audit.1.jsonl", ".audit.jsonl.tmp"] {
            assert_eq!(seq_of(other), None, "{other}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn threads_that_wait_for_the_log_do_not_try_its_lock() {
        let place = tempfile::tempdir().unwrap();
        let folder = StateFolder::new(
            crate::error::Collection::AuditLog,
            place.path().join("state"),
            &[],
            None,
        );
        folder.create().unwrap();
        let tried = place.path().join("state").join(LOCK);
        let take = || {
            for _ in 0..50 {
                let _lock = lock(&folder).unwrap();
                let open = fs_err::read_dir("/proc/self/fd").unwrap();
                let open = open.filter_map(|file| fs_err::read_link(file.ok()?.path()).ok());
                assert_eq!(open.filter(|file| *file == tried).count(), 1);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(take);
            }
        });
    }
}
