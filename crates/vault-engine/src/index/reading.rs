//! Reads notes, in parallel.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use rayon::prelude::*;

use super::listing::{CachedNote, fingerprint, is_settled};
use crate::disk::{Disk, FileStamp, Folder, FolderTrail, Obstacle, stamp_of, stamped_file_in};
use crate::error::EngineError;
use crate::limits::MAX_NOTE_BYTES;
use crate::note_record::{NoteProblem, NoteRecord, record_of};
use crate::path::VaultPath;
use crate::progress::Progress;
use crate::vault::Vault;

/// The number of notes from which parallel reading is faster.
const PARALLEL: usize = 16;
/// How many notes of one folder form one unit of parallel work.
const PIECE: usize = 32;

/// A note that was read.
pub(super) struct ReadNote {
    /// The number of the file in the walk.
    pub(super) id: usize,
    pub(super) listed: CachedNote,
    pub(super) record: NoteRecord,
}

/// Reads the files with the numbers `wanted`; the result is in no particular order. `started` is
/// when the walk that found them began. Fails after a cancellation.
pub(super) fn read_all(
    disk: &Disk,
    files: &[VaultPath],
    wanted: &[usize],
    started: SystemTime,
    progress: Option<&dyn Progress>,
) -> Result<Vec<ReadNote>, EngineError> {
    // Grouped by folder: each folder is opened once for each unit of work, in the order of their
    // paths.
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &id in wanted {
        if let Some(path) = files.get(id) {
            folders.entry(path.parent_text()).or_default().push(id);
        }
    }
    let pieces: Vec<&[usize]> = folders.values().flat_map(|ids| ids.chunks(PIECE)).collect();
    let done = AtomicUsize::new(0);
    let read = |trail: &mut FolderTrail<'_>, ids: &[usize]| {
        let first = ids.first().and_then(|&id| files.get(id));
        let opened = trail.folder_to_read(&first.map_or_else(VaultPath::root, VaultPath::parent));
        let read: Vec<ReadNote> = ids
            .iter()
            .take_while(|_| !disk.cancellation().is_cancelled())
            .filter_map(|&id| Some((id, files.get(id)?)))
            .map(|(id, path)| match &opened {
                Ok(folder) => read(id, folder, path, started),
                Err(blocked) => unreadable(id, FileStamp::default(), &blocked.obstacle),
            })
            .collect();
        if let Some(progress) = progress {
            let before = done.fetch_add(ids.len(), Ordering::Relaxed);
            progress.notes_read(before + ids.len(), wanted.len());
        }
        read
    };
    let trail = || FolderTrail::new(disk);
    let read = if wanted.len() < PARALLEL {
        let mut trail = trail();
        pieces.into_iter().flat_map(|ids| read(&mut trail, ids)).collect()
    } else {
        pieces.into_par_iter().map_init(trail, read).flatten_iter().collect()
    };
    disk.cancellation().check()?;
    Ok(read)
}

fn read(id: usize, folder: &Folder, path: &VaultPath, started: SystemTime) -> ReadNote {
    let (mut file, stamp) = match stamped_file_in(folder, path.name()) {
        Ok(opened) => opened,
        Err(obstacle) => {
            let stamp = folder.stamp(OsStr::new(path.name())).unwrap_or_default();
            return unreadable(id, stamp, &obstacle);
        }
    };
    match content(&mut file, stamp) {
        Ok(content) => {
            let (record, problem) = match &content.bytes {
                Some(bytes) => record_of(path, bytes),
                None => (NoteRecord::default(), Some(NoteProblem::TooLarge)),
            };
            ReadNote {
                id,
                listed: CachedNote {
                    stamp: content.stamp,
                    settled: content.whole && is_settled(&content.stamp, started),
                    fingerprint: fingerprint(&record),
                    problem,
                },
                record,
            }
        }
        Err(error) => unreadable(id, stamp, &Obstacle::Io(error)),
    }
}

struct NoteContent {
    stamp: FileStamp,
    /// `None` for a file with more than [`MAX_NOTE_BYTES`].
    bytes: Option<Vec<u8>>,
    /// Whether the file did not change while it was read.
    whole: bool,
}

/// Reads a file that had this stamp a moment ago.
fn content(file: &mut File, stamp: FileStamp) -> io::Result<NoteContent> {
    if stamp.size > MAX_NOTE_BYTES {
        return Ok(NoteContent { stamp, bytes: None, whole: true });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or_default());
    // A second `fstat` detects growth more cheaply than another read would.
    file.take(stamp.size).read_to_end(&mut bytes)?;
    let whole = stamp_of(file)? == stamp;
    Ok(NoteContent { stamp, bytes: Some(bytes), whole })
}

/// The content of a note as it was read again.
pub(super) struct NoteBytes {
    pub(super) stamp: FileStamp,
    /// `None` if the note cannot be read, or has more than [`MAX_NOTE_BYTES`].
    pub(super) bytes: Option<Vec<u8>>,
    /// Whether it did not change while it was read.
    pub(super) whole: bool,
}

/// Reads the files with the numbers `wanted`, which are in the order of their paths. Fails after a
/// cancellation.
pub(super) fn each_content(
    vault: &Vault,
    files: &[VaultPath],
    wanted: &[usize],
    mut each: impl FnMut(usize, &VaultPath, NoteBytes),
) -> Result<(), EngineError> {
    let named = wanted.iter().filter_map(|&id| Some((id, files.get(id)?)));
    let named: Vec<(usize, &VaultPath)> = named.collect();
    // Each folder is opened once for all its files that follow each other.
    let disk = vault.disk();
    let mut trail = FolderTrail::new(disk);
    for of_folder in
        named.chunk_by(|(_, left), (_, right)| left.parent_text() == right.parent_text())
    {
        let parent = of_folder.first().map(|(_, path)| path.parent());
        let opened = trail.folder_to_read(&parent.unwrap_or_else(VaultPath::root));
        for &(id, path) in of_folder {
            disk.cancellation().check()?;
            if vault.planned(path).is_some() {
                let read = vault.read_up_to(path, path.as_str(), MAX_NOTE_BYTES);
                let planned = NoteBytes {
                    stamp: FileStamp::default(),
                    bytes: read.ok().flatten(),
                    whole: false,
                };
                each(id, path, planned);
                continue;
            }
            let content = opened.as_ref().ok().and_then(|folder| {
                let (mut file, stamp) = stamped_file_in(folder, path.name()).ok()?;
                content(&mut file, stamp).ok()
            });
            let content = content.map_or(
                NoteBytes { stamp: FileStamp::default(), bytes: None, whole: false },
                |NoteContent { stamp, bytes, whole }| NoteBytes { stamp, bytes, whole },
            );
            each(id, path, content);
        }
    }
    Ok(())
}

/// The entry of a note that cannot be read: not settled, so it is tried again each time. A note
/// that was removed or replaced since its folder was listed (a race) is not a problem.
fn unreadable(id: usize, stamp: FileStamp, obstacle: &Obstacle) -> ReadNote {
    let problem = match obstacle {
        Obstacle::Io(error) => Some(NoteProblem::Unreadable(error.to_string())),
        Obstacle::Missing
        | Obstacle::NotAFolder
        | Obstacle::IsFolder
        | Obstacle::Symlink
        | Obstacle::Special => None,
    };
    let record = NoteRecord::default();
    ReadNote {
        id,
        listed: CachedNote { stamp, settled: false, fingerprint: fingerprint(&record), problem },
        record,
    }
}
