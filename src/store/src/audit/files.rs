//! The files of the log: the current one, and rotated ones.
//!
//! A full file is renamed to `audit.<number of its last line>.jsonl`, so names sort by age and are never used twice.
//! The chain continues in the next file.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::line::Head;
use super::mark::{self, Mark};
use super::{Audit, kept, tail};
use crate::error::StoreError;
use crate::state_folder::{Lock, PATIENCE, StateFolder};

/// The file that writers append to, in the state folder.
pub(super) const CURRENT: &str = "audit.jsonl";
const LOCK: &str = "audit.lock";

/// A file of a snapshot of the log.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) name: String,
    pub(super) file: File,
    /// Number of bytes that belong to the snapshot; later ones were appended since.
    pub(super) length: u64,
}

/// The lock of the log against processes and against threads, kept until dropped.
pub(super) type LogLock = (Lock, Turn);

/// Whether a thread of this process has the lock, or waits for another process. The other threads
/// queue here: the lock between processes has to be polled, which many threads would do in vain.
static IS_TAKEN: Mutex<bool> = Mutex::new(false);
static FREED: Condvar = Condvar::new();

/// The place at the head of the queue, given up when dropped.
pub(super) struct Turn;

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
    Ok((folder.lock(LOCK, left)?, turn))
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

/// Bytes that [`lines_backwards`] reads first, and the most that it reads at once.
const PIECES: (u64, u64) = (4 << 10, 64 << 10);

/// Returns the lines in the first `length` bytes of a file from the last to the first, without their line feeds. What
/// follows the last line feed is a line too, even if it is empty. Fails instead of reading what is before `from`.
pub(super) fn lines_backwards(
    mut file: &File,
    length: u64,
    from: u64,
) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    // Everything before this offset is still unread.
    let mut unread = length;
    let (mut size, most) = PIECES;
    // Bytes that were read and not returned yet.
    let mut buffer: Vec<u8> = Vec::new();
    let mut is_finished = false;
    let mut next = move || -> io::Result<Option<Vec<u8>>> {
        // The bytes already searched contain no line feed.
        let mut searched = 0;
        loop {
            let unsearched = buffer.len() - searched;
            let feed = buffer[..unsearched].iter().rposition(|byte| *byte == b'\n');
            if let Some(feed) = feed {
                let line = buffer.split_off(feed + 1);
                buffer.truncate(feed);
                return Ok(Some(line));
            }
            if unread == 0 {
                let nothing_left = std::mem::replace(&mut is_finished, true);
                return Ok((!nothing_left).then(|| std::mem::take(&mut buffer)));
            }
            if unread <= from {
                return Err(io::ErrorKind::InvalidData.into());
            }
            searched = buffer.len();
            let start = unread.saturating_sub(size);
            size = (size * 4).min(most);
            // Room for one byte more, so that one read gets all.
            let mut piece =
                Vec::with_capacity(usize::try_from(unread - start + 1).unwrap_or_default());
            file.seek(SeekFrom::Start(start))?;
            file.take(unread - start).read_to_end(&mut piece)?;
            unread = start;
            piece.append(&mut buffer);
            buffer = piece;
        }
    };
    std::iter::from_fn(move || next().transpose())
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

impl Audit {
    /// Rotates a full file and drops the oldest ones, except for the lines to keep. Syncs the file before
    /// the rename: after a power failure the next file may exist, and its chain must have a predecessor.
    pub(super) fn rotate(
        &self,
        file: &File,
        last: &Head,
        mark: &mut Mark,
    ) -> Result<(), StoreError> {
        let folder = &self.folder;
        folder.sync(CURRENT, file)?;
        let name = name_of(last.seq);
        if folder.open(&name)?.is_some() {
            return Err(folder.unwritable(io::ErrorKind::AlreadyExists));
        }
        folder.rename(CURRENT, &name)?;
        let full = full(folder)?;
        let kept = usize::try_from(self.limits.max_files).unwrap_or(usize::MAX);
        for old in full.iter().take(full.len().saturating_sub(kept)) {
            self.forget(old, mark)?;
        }
        folder.sync_names()
    }

    /// Drops a rotated file. The mark is written before the file is removed, so a crash in between leaves
    /// lines twice rather than missing.
    fn forget(&self, name: &str, mark: &mut Mark) -> Result<(), StoreError> {
        let folder = &self.folder;
        if let Some(file) = folder.open(name)?
            && let Some(last) = seq_of(name)
            && last >= mark.first
        {
            kept::keep(folder, &file, mark, self.limits.max_bytes / 2)?;
            mark.first = last + 1;
            folder.sync_names()?;
            mark::write(folder, mark)?;
            kept::sweep(folder, mark)?;
        }
        folder.remove(name)
    }
}

/// Returns the number of the last line in a rotated file; `None` if the name is not that of a rotated file.
fn seq_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("audit.")?.strip_suffix(".jsonl")?;
    digits.parse().ok().filter(|seq| name_of(*seq) == name)
}

/// Returns the head of the chain at the end of the newest rotated file.
pub(super) fn head_of_full(folder: &StateFolder) -> Result<Head, StoreError> {
    let newest = full(folder)?.pop();
    let file = newest.map(|newest| folder.open(&newest)).transpose()?;
    let Some(file) = file.flatten() else {
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
    use std::io::Write as _;

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

    fn backwards(text: &str) -> Vec<String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        lines_backwards(&file, text.len() as u64, 0)
            .map(|line| String::from_utf8(line.unwrap()).unwrap())
            .collect()
    }

    #[test]
    fn lines_come_back_last_first_whatever_their_length() {
        let long = "x".repeat(200_000);
        for lines in [
            vec![""],
            vec!["a", ""],
            vec!["", "a", "", "b", ""],
            vec![&long, "a", &long, ""],
            vec!["a", &long],
        ] {
            let mut expected: Vec<String> = lines.iter().map(ToString::to_string).collect();
            expected.reverse();
            assert_eq!(backwards(&lines.join("\n")), expected);
        }
    }

    #[test]
    fn what_is_before_the_limit_is_not_read() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![b'x'; 100_000]).unwrap();
        let mut lines = lines_backwards(&file, 100_000, 50_000);
        let refused = lines.next().unwrap().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
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
