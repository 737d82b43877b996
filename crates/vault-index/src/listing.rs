//! The file list in the cache, and for which files the cache is still valid.

use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use obsidian_note::{NoteProblem, NoteRecord, VaultPath, Warning};
use serde::{Deserialize, Serialize};
use vault_files::{FileEntry, FileStamp};

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

/// Returns the paths of a walk's files, and their stamps.
pub(super) fn paths_and_stamps(files: Vec<FileEntry>) -> (Vec<VaultPath>, Vec<Option<FileStamp>>) {
    files
        .into_iter()
        .map(|file| (file.path, file.stamp))
        .unzip()
}

/// Returns a hash of the record: different if records differ.
pub(super) fn fingerprint(record: &NoteRecord) -> u64 {
    FixedState::with_seed(0).hash_one(record)
}

/// Returns the problems of notes, one warning each.
pub(super) fn warnings(files: &[VaultPath], listing: &[CachedFile]) -> Vec<Warning> {
    let problem = |(path, listed): (&VaultPath, &CachedFile)| {
        listed.note.as_ref()?.problem.as_ref()?.warning(path)
    };
    files.iter().zip(listing).filter_map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_settled_note_is_still_the_same() {
        let at = |changed: i64, modified: i64| FileStamp {
            changed: changed * 1_000_000_000,
            modified: modified * 1_000_000_000,
            ..FileStamp::default()
        };
        let note = CachedNote {
            stamp: at(97, 50),
            settled: false,
            fingerprint: 0,
            problem: None,
        };
        assert!(!note.is_still(Some(at(97, 50))));
        let note = CachedNote {
            settled: true,
            ..note
        };
        assert!(note.is_still(Some(at(97, 50))) && !note.is_still(Some(at(97, 51))));
    }
}
