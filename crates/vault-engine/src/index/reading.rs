//! Reads notes, in parallel.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rayon::prelude::*;

use super::listing::{CachedNote, fingerprint, is_settled};
use super::pieces::PieceFile;
use crate::disk::{FileStamp, Folder, FolderTrail, Obstacle, stamp_of, stamped_file_in};
use crate::error::EngineError;
use crate::limits::MAX_NOTE_BYTES;
use crate::note_record::{NoteProblem, NoteRecord, record_of};
use crate::path::VaultPath;
use crate::vault::Vault;

/// The number of notes from which parallel reading is faster.
const PARALLEL: usize = 16;
/// How many notes of one folder form one unit of parallel work.
const UNIT: usize = 32;
/// The longest time between two pieces: a killed process loses the notes that it read in it.
const PIECE_AFTER: Duration = Duration::from_millis(500);

/// A note that was read.
pub(super) struct ReadNote {
    /// The number of the file in the walk.
    pub(super) id: usize,
    pub(super) listed: CachedNote,
    pub(super) record: NoteRecord,
}

/// Reads the files with the numbers `wanted`; the result is in no particular order. `started` is
/// when the walk that found them began. If that takes long, the notes are added to `pieces` while
/// they are read. Fails after a cancellation.
pub(super) fn read_all(
    vault: &Vault,
    files: &[VaultPath],
    wanted: &[usize],
    started: SystemTime,
    pieces: Option<&PieceFile>,
) -> Result<Vec<ReadNote>, EngineError> {
    // Grouped by folder: each folder is opened once for each unit of work, in the order of their
    // paths.
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &id in wanted {
        if let Some(path) = files.get(id) {
            folders.entry(path.parent_text()).or_default().push(id);
        }
    }
    let units: Vec<&[usize]> = folders.values().flat_map(|ids| ids.chunks(UNIT)).collect();
    let disk = vault.disk();
    let collected = Mutex::new(CollectedNotes {
        notes: Vec::with_capacity(wanted.len()),
        saved: 0,
        saved_at: Instant::now(),
        files,
        pieces,
    });
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
        let done = lock(&collected).add(read);
        if let Some(progress) = vault.progress() {
            progress.notes_read(done, wanted.len());
        }
    };
    let trail = || FolderTrail::new(disk);
    if wanted.len() < PARALLEL {
        let mut trail = trail();
        for ids in units {
            read(&mut trail, ids);
        }
    } else {
        units.into_par_iter().for_each_init(trail, read);
    }
    let mut collected = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    let stopped = disk.cancellation().check();
    // After a long time also what was read last: the columns are not made of it yet.
    if stopped.is_err() || collected.saved > 0 {
        collected.save();
    }
    stopped?;
    Ok(collected.notes)
}

/// The notes that were read so far.
struct CollectedNotes<'vault> {
    notes: Vec<ReadNote>,
    /// The number of notes, from the first on, that are in the pieces.
    saved: usize,
    saved_at: Instant,
    files: &'vault [VaultPath],
    pieces: Option<&'vault PieceFile>,
}

impl CollectedNotes<'_> {
    /// Adds notes, and returns the number of all.
    fn add(&mut self, read: Vec<ReadNote>) -> usize {
        self.notes.extend(read);
        if self.saved_at.elapsed() >= PIECE_AFTER {
            self.save();
        }
        self.notes.len()
    }

    /// Adds the notes since the last piece to the pieces. Errors are ignored: then the next call
    /// reads these notes again.
    fn save(&mut self) {
        let unsaved = self.notes.get(self.saved..).unwrap_or_default();
        let settled = unsaved.iter().filter(|note| note.listed.settled);
        let mut piece = Vec::new();
        for note in settled {
            let path = self.files.get(note.id).map(VaultPath::as_str);
            let Ok(bytes) = postcard::to_stdvec(&(path, &note.listed, &note.record)) else {
                return;
            };
            piece.extend(bytes);
        }
        if let Some(pieces) = self.pieces.filter(|_| !piece.is_empty()) {
            pieces.append(&piece).ok();
        }
        self.saved = self.notes.len();
        self.saved_at = Instant::now();
    }
}

/// As [`read_all`], but takes the notes that are in the pieces from there, as long as their stamps
/// are the same: an earlier call read them before it was stopped.
pub(super) fn continue_reading(
    pieces: Option<&PieceFile>,
    vault: &Vault,
    (files, stamps): (&[VaultPath], &[Option<FileStamp>]),
    wanted: &[usize],
    started: SystemTime,
) -> Result<Vec<ReadNote>, EngineError> {
    let mut known = BTreeMap::new();
    let mut add = |piece: &[u8]| {
        let mut rest = piece;
        while let Ok(((path, listed, record), after)) =
            postcard::take_from_bytes::<(Option<&str>, CachedNote, NoteRecord)>(rest)
        {
            rest = after;
            let place = |path| files.binary_search_by(|file| file.as_str().cmp(path)).ok();
            if let Some(id) = path.and_then(place)
                && wanted.binary_search(&id).is_ok()
                && listed.is_still(stamps.get(id).copied().flatten())
            {
                known.insert(id, ReadNote { id, listed, record });
            }
        }
    };
    if let Some(pieces) = pieces {
        pieces.read(&mut add);
    }
    let unknown = wanted.iter().copied().filter(|id| !known.contains_key(id));
    let mut read = read_all(vault, files, &unknown.collect::<Vec<_>>(), started, pieces)?;
    read.extend(known.into_values());
    Ok(read)
}

fn lock<'lock, 'vault>(
    collected: &'lock Mutex<CollectedNotes<'vault>>,
) -> MutexGuard<'lock, CollectedNotes<'vault>> {
    // Poisoning is harmless: a panic ends the whole reading.
    collected.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::cancellation::CancellationToken;
    use crate::contents::{Contents, Detail};
    use crate::index::cache::CachePlace;
    use crate::testing::damage;
    use crate::vault::testing::vault;

    /// Reads all notes of a vault as if they had changed long ago; `None` if that was stopped.
    fn read_old(vault: &Vault) -> Option<Vec<(usize, NoteRecord)>> {
        let contents = vault.contents(&VaultPath::root(), Detail::Stamps).unwrap();
        let Contents { files, .. } = contents;
        let stamps: Vec<_> = files.iter().map(|file| file.stamp).collect();
        let files: Vec<VaultPath> = files.into_iter().map(|file| file.path).collect();
        let wanted: Vec<usize> = (0..files.len()).collect();
        let pieces = CachePlace::of_index(vault).map(|place| place.pieces());
        let later = SystemTime::now() + Duration::from_secs(60);
        let read = continue_reading(pieces.as_ref(), vault, (&files, &stamps), &wanted, later);
        let read = read.ok()?.into_iter().map(|note| (note.id, note.record));
        let mut read: Vec<_> = read.collect();
        read.sort_by_key(|(id, _)| *id);
        Some(read)
    }

    /// A vault whose notes were read in part.
    fn stopped() -> (tempfile::TempDir, Vault) {
        let files: Vec<(String, String)> = (0..120)
            .map(|number| (format!("{}/{number}.md", number % 3), format!("[[{number}]] #t")))
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let (folder, vault) = vault(&files);
        let vault = vault.with_cache(folder.path().join("cache"));
        let cancellation = CancellationToken::default();
        let stopping = cancellation.clone();
        let stopped = vault
            .clone()
            .with_cancellation(cancellation)
            .with_progress(Arc::new(move |_done: usize, _all: usize| stopping.cancel()));
        assert!(read_old(&stopped).is_none());
        (folder, vault)
    }

    #[test]
    fn a_stopped_reading_continues_with_the_next_call() {
        let (_folder, vault) = stopped();
        let unread = Arc::new(AtomicUsize::new(0));
        let counting = Arc::clone(&unread);
        let counted = vault.clone().with_progress(Arc::new(move |_done: usize, all: usize| {
            counting.store(all, Ordering::Relaxed);
        }));
        // A note that changed since is read again.
        fs_err::write(vault.root().join("0/0.md"), "[[changed]]").unwrap();
        let read = read_old(&counted).unwrap();
        let unread = unread.load(Ordering::Relaxed);
        assert!(0 < unread && unread < 120, "{unread}");
        let plain = Vault::open(vault.root()).unwrap();
        assert_eq!(read, read_old(&plain).unwrap());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn damaged_pieces_are_read_again(
            patches in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..), 1..4),
            kept in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let (folder, vault) = stopped();
            let file = fs_err::read_dir(folder.path().join("cache")).unwrap().next().unwrap();
            let file = file.unwrap().path();
            damage(&file, patches, kept);
            let plain = Vault::open(vault.root()).unwrap();
            prop_assert_eq!(read_old(&vault), read_old(&plain));
        }
    }
}
