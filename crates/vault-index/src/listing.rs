//! The file list in the cache, and for which files the cache is still valid.

use std::hash::BuildHasher as _;
use std::time::{Duration, SystemTime};

use foldhash::quality::FixedState;
use obsidian_note::{NoteProblem, NoteRecord, VaultPath, Warning};
use serde::{Deserialize, Serialize};
use vault_files::FileStamp;

/// A note's cache entry is trusted only if its last change was at least this long before it was
/// read. File systems round times to up to two seconds, so a change right after the read could
/// leave the same time stamp.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// One file in the cached list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CachedFile {
    pub(super) path: String,
    /// `Some` only for notes and canvases.
    pub(super) note: Option<CachedNote>,
}

/// The state of a note when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CachedNote {
    pub(super) stamp: FileStamp,
    /// Whether an equal stamp proves equal content.
    pub(super) settled: bool,
    /// A hash of the record, to see whether it changed.
    pub(super) fingerprint: u64,
    pub(super) problem: Option<NoteProblem>,
}

impl CachedNote {
    /// Whether the note is unchanged since it was read.
    pub(super) fn is_still(&self, stamp: Option<FileStamp>) -> bool {
        self.settled && stamp == Some(self.stamp)
    }
}

/// Whether a note with this stamp, read after `started`, was last changed long enough before. Times
/// in the future never are: such a note is read each time, which is slow but correct.
pub(super) fn is_settled(stamp: &FileStamp, started: SystemTime) -> bool {
    let nanoseconds = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    let limit = started
        .checked_sub(SETTLED_AFTER)
        .and_then(|limit| limit.duration_since(SystemTime::UNIX_EPOCH).ok())
        .map_or(i64::MIN, nanoseconds);
    stamp.changed.max(stamp.modified) < limit
}

/// Returns a hash of the record: different if records differ.
pub(super) fn fingerprint(record: &NoteRecord) -> u64 {
    FixedState::with_seed(0).hash_one(record)
}

/// Returns the problems of notes, one warning each.
pub(super) fn warnings(files: &[VaultPath], listing: &[CachedFile]) -> Vec<Warning> {
    let problem = |(path, listed): (&VaultPath, &CachedFile)| {
        Some(listed.note.as_ref()?.problem.as_ref()?.warning(path))
    };
    files.iter().zip(listing).filter_map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_settled_two_seconds_after_its_last_change() {
        let started = SystemTime::UNIX_EPOCH + Duration::from_secs(100);
        let at = |changed: i64, modified: i64| FileStamp {
            changed: changed * 1_000_000_000,
            modified: modified * 1_000_000_000,
            ..FileStamp::default()
        };
        assert!(is_settled(&at(97, 50), started));
        assert!(!is_settled(&at(98, 50), started));
        assert!(!is_settled(&at(0, 99), started));
        assert!(!is_settled(&at(97, 5_000), started));
        assert!(!is_settled(&at(0, 0), SystemTime::UNIX_EPOCH));
        let note = CachedNote {
            stamp: at(97, 50),
            settled: false,
            fingerprint: 0,
            problem: None,
        };
        assert!(!note.is_still(Some(at(97, 50))));
    }
}
