//! Runs a query over the files of a vault, in parallel.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::HashMap;
use obsidian_note::byte_order_mark;
use obsidian_note::{CancellationToken, MAX_WHOLE_BYTES, VaultPath, Warning};
use obsidian_search::{
    Certainty, Document, FilterBlock, GaveUp, HitLines, KnownContent, NoteReader, Query,
    TrigramFilter, TrigramFilters, cards,
};
use rayon::prelude::*;

use crate::disk::{Disk, Folder, FolderTrail, Obstacle, stamped_file_in};
use crate::error::EngineError;

/// The maximum number of notes of a folder that are one unit of parallel work. The folder is opened once for
/// each unit.
const PIECE: usize = 32;
/// The number of files that one thread sifts at a time.
const SIFTED: usize = 2048;
/// The number of notes from which reading in parallel is faster.
const PARALLEL: usize = 16;
/// The initial buffer size in bytes; nearly every note fits.
const FIRST_READ: usize = 64 * 1024;
/// The search fails if a regular expression takes too long in more notes than this.
const MAX_GIVEN_UP: usize = 100;

/// The vault that is searched.
pub trait SearchedVault: Sync {
    /// Returns the folder of the vault on disk.
    fn disk(&self) -> &Disk;

    /// Returns all bytes of a file that a plan changes, or `None` if it has more than `limit`. Outer `None` if no plan
    /// changes it.
    fn planned_bytes(
        &self,
        path: &VaultPath,
        limit: u64,
    ) -> Option<Result<Option<Vec<u8>>, EngineError>>;

    /// Whether a rule of the caller closes a file with this content.
    fn closes(&self, path: &VaultPath, bytes: &[u8]) -> bool;
}

/// A query with its inputs, ready to run.
pub struct Search<'run> {
    /// The files to search.
    pub vault: &'run dyn SearchedVault,
    /// The query.
    pub query: &'run Query,
    /// Reads the properties and the structure of notes.
    pub reader: &'run dyn NoteReader,
    /// Whether to find the lines of the hits, or only the files.
    pub lines: bool,
    /// The place for the filters of the notes that are read; `None` if there is no index in memory.
    pub filters: Option<&'run TrigramFilters>,
}

/// A file that may match.
#[derive(Clone, Copy)]
pub struct SearchCandidate<'run> {
    /// Its path.
    pub path: &'run VaultPath,
    /// The place of its trigram filter once the note has been read. `None` if no index is kept in memory.
    pub trigram_filter: Option<&'run OnceLock<TrigramFilter>>,
}

impl<'run> SearchCandidate<'run> {
    fn filter(&self) -> Option<&'run TrigramFilter> {
        self.trigram_filter.and_then(OnceLock::get)
    }
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Matches {
    /// The files that match, in no particular order.
    pub files: Vec<Match>,
    /// The files that were left out or not understood, in no particular order.
    pub warnings: Vec<Warning>,
}

/// A file that matches.
#[derive(Debug)]
pub struct Match {
    /// Its path.
    pub path: VaultPath,
    /// The lines with hits, if the search asks for them. Empty if only the path matches.
    pub lines: HitLines,
}

impl Search<'_> {
    /// Searches these files. Each thread keeps one file in memory at a time. Files that match but are not `wanted` are
    /// skipped. Fails if a regular expression takes too long in too many notes.
    ///
    /// # Errors
    ///
    /// Fails if a regular expression takes too long in too many notes.
    pub fn run<'file>(
        &self,
        files: impl Iterator<Item = SearchCandidate<'file>>,
        wanted: impl Fn(&VaultPath) -> bool + Sync,
    ) -> Result<Matches, GaveUp> {
        let mut found = Matches::default();
        let mut unread = Vec::new();
        let files: Vec<SearchCandidate<'file>> = files.collect();
        let sift = |files: &[SearchCandidate<'file>]| self.sift(files, &wanted);
        let sifted: Vec<_> = if files.len() <= SIFTED {
            vec![sift(&files)]
        } else {
            // In parallel, because every filter is at another place in memory.
            files.par_chunks(SIFTED).map(sift).collect()
        };
        for (matching, maybe) in sifted {
            found.files.extend(matching);
            unread.extend(maybe);
        }
        // Grouped by folder, in the order of the paths, because each unit of work opens its folder
        // once.
        let mut folders: BTreeMap<&str, Vec<SearchCandidate<'_>>> = BTreeMap::new();
        for file in &unread {
            folders
                .entry(file.path.parent_text())
                .or_default()
                .push(*file);
        }
        let pieces: Vec<&[SearchCandidate<'_>]> = folders
            .values()
            .flat_map(|files| files.chunks(PIECE))
            .collect();
        let given_up = AtomicUsize::new(0);
        let begin = || (FolderTrail::new(self.vault.disk()), vec![0; FIRST_READ]);
        let read = |(trail, buffer): &mut (FolderTrail<'_>, Vec<u8>), piece: &[_]| {
            self.read_piece(trail, buffer, piece, &given_up)
        };
        let read: Vec<Matches> = if unread.len() < PARALLEL {
            let mut state = begin();
            pieces
                .into_iter()
                .map(|piece| read(&mut state, piece))
                .collect()
        } else {
            pieces.into_par_iter().map_init(begin, read).collect()
        };
        for piece in read {
            found.files.extend(piece.files);
            found.warnings.extend(piece.warnings);
        }
        if given_up.into_inner() > MAX_GIVEN_UP {
            return Err(GaveUp);
        }
        Ok(found)
    }

    /// Splits files, without reading them, into those that match and those that must be read. Both are
    /// empty after a cancellation.
    fn sift<'file>(
        &self,
        files: &[SearchCandidate<'file>],
        wanted: &impl Fn(&VaultPath) -> bool,
    ) -> (Vec<Match>, Vec<SearchCandidate<'file>>) {
        let (mut matching, mut unread) = (Vec::new(), Vec::new());
        // Once for all of them: the token may read a clock.
        if self.vault.disk().cancellation().is_cancelled() {
            return (matching, unread);
        }
        // Before any block is checked: a check covers only the notes whose filters are there already.
        let filters: Vec<Option<&TrigramFilter>> =
            files.iter().map(SearchCandidate::filter).collect();
        let mut checked: HashMap<*const FilterBlock, u64> = HashMap::default();
        for (file, filter) in files.iter().zip(filters) {
            let known = match filter {
                Some(filter) => {
                    let block = filter.block();
                    let notes = checked.entry(std::ptr::from_ref(block));
                    if !filter.is_in(*notes.or_insert_with(|| self.query.prefilter_block(block))) {
                        continue;
                    }
                    KnownContent::TrigramFilter(filter)
                }
                None => KnownContent::Nothing,
            };
            match self.query.prefilter_known(file.path.as_str(), known) {
                Certainty::No => {}
                // The prefilter rejects most files, so it runs before `wanted`.
                _ if !wanted(file.path) => {}
                Certainty::Yes if !self.lines => {
                    matching.push(Match {
                        path: file.path.clone(),
                        lines: HitLines::default(),
                    });
                }
                Certainty::Yes | Certainty::Maybe => unread.push(*file),
            }
        }
        (matching, unread)
    }

    /// Searches files of one folder.
    fn read_piece(
        &self,
        trail: &mut FolderTrail<'_>,
        buffer: &mut Vec<u8>,
        files: &[SearchCandidate<'_>],
        given_up: &AtomicUsize,
    ) -> Matches {
        let mut found = Matches::default();
        let Some(first) = files.first() else {
            return found;
        };
        let folder = trail.folder_to_read(&first.path.parent());
        let stop = self.vault.disk().cancellation();
        for file in files {
            let path = file.path;
            if given_up.load(Ordering::Relaxed) > MAX_GIVEN_UP || stop.is_cancelled() {
                break;
            }
            let bytes = match (self.vault.planned_bytes(path, MAX_WHOLE_BYTES), &folder) {
                (Some(read), _) => planned(path, read).map(|bytes| {
                    *buffer = bytes;
                    buffer.as_slice()
                }),
                (None, Ok(folder)) => read(folder, path, buffer, self.vault.disk()),
                (None, Err(blocked)) => Err(unreadable(path, &blocked.obstacle)),
            };
            match bytes {
                Ok(bytes) => {
                    let before = (found.files.len(), found.warnings.len());
                    // A note that is not UTF-8 gets no filter: it must be read each time, for its
                    // warning.
                    if path.is_note()
                        && std::str::from_utf8(bytes).is_ok()
                        && let (Some(place), Some(filters)) = (file.trigram_filter, self.filters)
                    {
                        place.get_or_init(|| filters.add(path.as_str(), bytes));
                    }
                    if path.extension() == "canvas" {
                        let cards = cards(bytes);
                        self.look(path, cards.as_bytes(), &mut found, given_up);
                    } else {
                        self.look(path, bytes, &mut found, given_up);
                    }
                    // The note may have been closed after the vault was limited. The check costs as much as
                    // indexing the note, so only notes that add something are checked.
                    let is_quiet = before == (found.files.len(), found.warnings.len());
                    if !is_quiet && self.vault.closes(path, bytes) {
                        found.files.truncate(before.0);
                        found.warnings.truncate(before.1);
                    }
                }
                Err(warning) => found.warnings.extend(warning),
            }
        }
        found
    }

    fn look(&self, path: &VaultPath, bytes: &[u8], found: &mut Matches, given_up: &AtomicUsize) {
        let decoded = std::str::from_utf8(bytes);
        if decoded.is_err() {
            // Also for a note that does not match: the characters that are lost might have matched.
            found.warnings.push(Warning::NotUtf8 { path: path.clone() });
        }
        let prefiltered = self.query.prefilter(path.as_str(), Some(bytes));
        if prefiltered == Certainty::No {
            return;
        }
        if prefiltered == Certainty::Yes && !self.lines {
            found.files.push(Match {
                path: path.clone(),
                lines: HitLines::default(),
            });
            return;
        }
        let decoded = decoded.map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        let text = byte_order_mark::strip(&decoded);
        let document = Document::new(path.as_str(), text, self.reader);
        let lines = if self.lines {
            let hits = self.query.hits(&document);
            hits.map(|hits| hits.map(|hits| HitLines::new(text, &hits)))
        } else {
            let matches = self.query.matches(&document);
            matches.map(|matches| matches.then(HitLines::default))
        };
        found.warnings.extend(document.problem(path));
        match lines {
            Ok(Some(lines)) => found.files.push(Match {
                path: path.clone(),
                lines,
            }),
            Ok(None) => {}
            Err(GaveUp) => {
                given_up.fetch_add(1, Ordering::Relaxed);
                found
                    .warnings
                    .push(Warning::SearchGaveUp { path: path.clone() });
            }
        }
    }
}

/// Returns the bytes of a planned file; errors as of [`read`].
fn planned(
    path: &VaultPath,
    read: Result<Option<Vec<u8>>, EngineError>,
) -> Result<Vec<u8>, Option<Warning>> {
    match read {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Some(Warning::NoteTooLarge {
            path: path.clone(),
            limit: MAX_WHOLE_BYTES,
        })),
        Err(EngineError::Io { source, .. } | EngineError::Planned { source, .. }) => {
            Err(unreadable(path, &Obstacle::Io(source)))
        }
        Err(_) => Err(None),
    }
}

/// Reads a file into `buffer`, which grows to the largest file. The error is `None`, without a
/// warning, if the search was cancelled, or if the file was removed or replaced after the vault was
/// listed.
fn read<'buffer>(
    folder: &Folder,
    path: &VaultPath,
    buffer: &'buffer mut Vec<u8>,
    disk: &Disk,
) -> Result<&'buffer [u8], Option<Warning>> {
    let cancellation = disk.cancellation();
    let (file, stamp) =
        stamped_file_in(folder, path.name()).map_err(|obstacle| unreadable(path, &obstacle))?;
    // It got another name after the vault was listed.
    if !disk.opens(path, &stamp) {
        return Err(None);
    }
    match read_whole(file, stamp.size, buffer, cancellation) {
        Ok(Some(length)) => Ok(buffer.get(..length).unwrap_or_default()),
        Ok(None) if cancellation.is_cancelled() => Err(None),
        Ok(None) => Err(Some(Warning::NoteTooLarge {
            path: path.clone(),
            limit: MAX_WHOLE_BYTES,
        })),
        Err(error) => Err(unreadable(path, &Obstacle::Io(error))),
    }
}

/// Reads a file that had `size` bytes a moment ago, with as few system calls as possible. `None` if it
/// has more than [`MAX_WHOLE_BYTES`] (`threats.toml` F17), or the search was cancelled.
fn read_whole(
    mut file: File,
    size: u64,
    buffer: &mut Vec<u8>,
    cancellation: &CancellationToken,
) -> io::Result<Option<usize>> {
    if size > MAX_WHOLE_BYTES {
        return Ok(None);
    }
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let mut length = 0;
    loop {
        if length as u64 > MAX_WHOLE_BYTES || (length > 0 && cancellation.is_cancelled()) {
            return Ok(None);
        }
        // Some file systems report size 0 for files of unknown size.
        if length >= size && size > 0 {
            return Ok(Some(length));
        }
        if length == buffer.len() {
            buffer.resize(buffer.len().saturating_mul(2).max(FIRST_READ), 0);
        }
        let room = buffer.get_mut(length..).unwrap_or_default();
        match file.read(room) {
            Ok(0) => return Ok(Some(length)),
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn unreadable(path: &VaultPath, obstacle: &Obstacle) -> Option<Warning> {
    match obstacle {
        Obstacle::Io(error) => Some(Warning::NoteUnreadable {
            path: path.clone(),
            reason: error.to_string(),
        }),
        _ => None,
    }
}
