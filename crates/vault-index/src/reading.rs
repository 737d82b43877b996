//! Reads notes, in parallel.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use obsidian_note::note_record::record_of;
use obsidian_note::{MAX_WHOLE_BYTES, NoteProblem, NoteRecord, VaultPath};
use rayon::prelude::*;
use vault_files::disk::{stamp_of, stamped_file_in};
use vault_files::{Blocked, EngineError, FileStamp, Folder, FolderTrail, Obstacle, Vault};

use super::listing::{CachedNote, fingerprint};
use super::pieces::PieceFile;
use crate::lock;

/// The number of notes from which parallel reading is faster.
const PARALLEL: usize = 16;
/// The number of notes of one folder that form one unit of parallel work.
const UNIT: usize = 32;
/// The longest time between two pieces: a killed process loses the notes that it read in it.
const PIECE_AFTER: Duration = Duration::from_secs(2);

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
        count: 0,
        saved: Vec::new(),
        unsaved: Vec::with_capacity(wanted.len()),
        saved_at: Instant::now(),
    });
    let save = |notes: &[ReadNote]| {
        if let Some(pieces) = pieces {
            let notes = notes
                .iter()
                .map(|note| (note.id, &note.listed, &note.record));
            save_piece(pieces, files, notes);
        }
    };
    let read = |trail: &mut FolderTrail<'_>, ids: &[usize]| {
        let first = ids.first().and_then(|&id| files.get(id));
        let opened = trail.folder_to_read(&first.map_or_else(VaultPath::root, VaultPath::parent));
        let read: Vec<ReadNote> = ids
            .iter()
            .take_while(|_| !disk.cancellation().is_cancelled())
            .filter_map(|&id| Some((id, files.get(id)?)))
            .map(|(id, path)| NoteContent::read(&opened, path).read_note(id, path, started))
            .collect();
        let (done, unsaved) = lock(&collected).add(read);
        // Without the lock, so that the other threads read on.
        if let Some(notes) = unsaved {
            save(&notes);
            lock(&collected).saved.extend(notes);
        }
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
    let mut collected = collected
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let stopped = disk.cancellation().check();
    // After a long time also what was read last: the columns are not made of it yet.
    if stopped.is_err() || !collected.saved.is_empty() {
        save(&collected.unsaved);
    }
    stopped?;
    collected.saved.append(&mut collected.unsaved);
    Ok(collected.saved)
}

/// The notes that were read so far.
struct CollectedNotes {
    count: usize,
    /// The notes that are in the pieces.
    saved: Vec<ReadNote>,
    unsaved: Vec<ReadNote>,
    saved_at: Instant,
}

impl CollectedNotes {
    /// Adds notes. Returns the number of all, and the notes to save now, if it is time.
    fn add(&mut self, read: Vec<ReadNote>) -> (usize, Option<Vec<ReadNote>>) {
        self.count += read.len();
        self.unsaved.extend(read);
        let is_time = self.saved_at.elapsed() >= PIECE_AFTER;
        let unsaved = is_time.then(|| {
            self.saved_at = Instant::now();
            std::mem::take(&mut self.unsaved)
        });
        (self.count, unsaved)
    }
}

/// Adds notes to the pieces. Errors are ignored: then the next call reads these notes again.
pub(super) fn save_piece<'notes>(
    pieces: &PieceFile,
    files: &[VaultPath],
    notes: impl Iterator<Item = (usize, &'notes CachedNote, &'notes NoteRecord)>,
) {
    let mut piece = Vec::new();
    for (id, listed, record) in notes.filter(|(_, listed, _)| listed.settled) {
        let path = files.get(id).map(VaultPath::as_str);
        piece = match postcard::to_extend(&(path, listed, record), piece) {
            Ok(piece) => piece,
            Err(_) => return,
        };
    }
    if !piece.is_empty() {
        pieces.append(&piece).ok();
    }
}

/// Returns the notes in the pieces whose stamps are the same: an earlier call read them before it was stopped.
pub(super) fn notes_in_pieces(
    pieces: &PieceFile,
    files: &[VaultPath],
    stamps: &[Option<FileStamp>],
) -> BTreeMap<usize, ReadNote> {
    let mut known = BTreeMap::new();
    pieces.read(|piece| {
        let mut rest = piece;
        while let Ok(((path, listed, record), after)) =
            postcard::take_from_bytes::<(Option<&str>, CachedNote, NoteRecord)>(rest)
        {
            rest = after;
            let place = |path| files.binary_search_by(|file| file.as_str().cmp(path)).ok();
            if let Some(id) = path.and_then(place)
                && listed.is_still(stamps.get(id).copied().flatten())
            {
                known.insert(id, ReadNote { id, listed, record });
            }
        }
    });
    known
}

/// As [`read_all`], but takes the notes that are in the pieces from there.
pub(super) fn continue_reading(
    pieces: Option<&PieceFile>,
    vault: &Vault,
    (files, stamps): (&[VaultPath], &[Option<FileStamp>]),
    wanted: &[usize],
    started: SystemTime,
) -> Result<Vec<ReadNote>, EngineError> {
    let known = pieces
        .map(|pieces| notes_in_pieces(pieces, files, stamps))
        .unwrap_or_default();
    let unknown = wanted.iter().copied().filter(|id| !known.contains_key(id));
    let mut read = read_all(vault, files, &unknown.collect::<Vec<_>>(), started, pieces)?;
    read.extend(
        known
            .into_values()
            .filter(|note| wanted.binary_search(&note.id).is_ok()),
    );
    Ok(read)
}

/// The content of a note.
pub(super) struct NoteContent {
    pub(super) stamp: FileStamp,
    /// The bytes; without them, the problem to report, if any.
    pub(super) bytes: Result<Vec<u8>, Option<NoteProblem>>,
    /// Whether the file did not change while it was read.
    pub(super) whole: bool,
}

impl NoteContent {
    /// Returns a planned note. It is never settled: its stamp says nothing.
    pub(super) fn planned(vault: &Vault, path: &VaultPath) -> Self {
        Self {
            stamp: FileStamp::default(),
            bytes: vault.indexed_bytes(path).map_err(Some),
            whole: false,
        }
    }

    /// Reads a note in this folder; one in a folder that cannot be opened cannot be read either.
    fn read(folder: &Result<&Folder, Blocked>, path: &VaultPath) -> Self {
        let folder = match folder {
            Ok(folder) => folder,
            Err(blocked) => return Self::unreadable(FileStamp::default(), &blocked.obstacle),
        };
        match stamped_file_in(folder, path.name()) {
            Ok((mut file, stamp)) => Self::read_file(&mut file, stamp)
                .unwrap_or_else(|error| Self::unreadable(stamp, &Obstacle::Io(error))),
            Err(obstacle) => {
                let stamp = folder.stamp(OsStr::new(path.name())).unwrap_or_default();
                Self::unreadable(stamp, &obstacle)
            }
        }
    }

    /// Reads a file that had this stamp a moment ago.
    fn read_file(file: &mut File, stamp: FileStamp) -> io::Result<Self> {
        if stamp.size > MAX_WHOLE_BYTES {
            return Ok(Self {
                stamp,
                bytes: Err(Some(NoteProblem::TooLarge)),
                whole: true,
            });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or_default());
        // A second `fstat` detects growth more cheaply than another read would.
        file.take(stamp.size).read_to_end(&mut bytes)?;
        let whole = stamp_of(file)? == stamp;
        Ok(Self {
            stamp,
            bytes: Ok(bytes),
            whole,
        })
    }

    /// Returns a note that cannot be read. It is not settled, so it is tried again each time. A note that was removed
    /// or replaced since its folder was listed (a race) is not a problem.
    fn unreadable(stamp: FileStamp, obstacle: &Obstacle) -> Self {
        let problem = match obstacle {
            Obstacle::Io(error) => Some(NoteProblem::Unreadable(error.to_string())),
            _ => None,
        };
        Self {
            stamp,
            bytes: Err(problem),
            whole: false,
        }
    }

    /// Returns the note with its record. `started` is a time before it was read.
    pub(super) fn read_note(&self, id: usize, path: &VaultPath, started: SystemTime) -> ReadNote {
        let (record, problem) = match &self.bytes {
            Ok(bytes) => record_of(path, bytes),
            Err(problem) => (NoteRecord::default(), problem.clone()),
        };
        let listed = CachedNote {
            stamp: self.stamp,
            settled: self.whole && self.stamp.is_settled(started),
            fingerprint: fingerprint(&record),
            problem,
        };
        ReadNote { id, listed, record }
    }
}

/// Reads the files with the numbers `wanted`, which are in the order of their paths. Fails after a
/// cancellation.
pub(super) fn each_content(
    vault: &Vault,
    files: &[VaultPath],
    wanted: &[usize],
    mut each: impl FnMut(usize, &VaultPath, NoteContent),
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
            let content = match vault.planned(path) {
                Some(_) => NoteContent::planned(vault, path),
                None => NoteContent::read(&opened, path),
            };
            each(id, path, content);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use obsidian_note::CancellationToken;
    use proptest::prelude::*;
    use vault_files::vault::testing::vault;
    use vault_files::{Contents, Detail};

    use super::*;
    use crate::cache::CachePlace;
    use crate::testing::damage;

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

    /// Returns a vault whose notes were read in part.
    fn stopped() -> (tempfile::TempDir, Vault) {
        let files: Vec<(String, String)> = (0..120)
            .map(|number| {
                (
                    format!("{}/{number}.md", number % 3),
                    format!("[[{number}]] #t"),
                )
            })
            .collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
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
        let counted = vault
            .clone()
            .with_progress(Arc::new(move |_done: usize, all: usize| {
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
