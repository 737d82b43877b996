//! Reads the index: combines the cache file with the folder as it is now.

use std::sync::Arc;
use std::time::SystemTime;

use obsidian_note::{NoteRecord, VaultPath, Warning};
use vault_files::{Detail, EngineError, FileStamp, Vault};

use super::all_columns;
use super::cache::{CacheFile, CachePlace, CacheSection};
use super::column::Column;
use super::listing::{self, CachedFile, CachedNote, paths_and_stamps};
use super::pieces::PieceFile;
use super::planned::planned_column;
use super::reading::{ReadNote, continue_reading};
use super::snapshot::{Indexed, KeptColumn};
use crate::indexed_vault::IndexedVault;

/// Returns a column of the vault as it is now, with as little reading as the cache file allows.
pub(crate) fn read_column<C: Column + KeptColumn>(
    vault: &Vault,
) -> Result<Indexed<C>, EngineError> {
    if vault.sight().is_some() {
        // The cache file, and the graph in it, cover the whole folder, so they are read in full,
        // and limits are applied afterwards.
        return Ok(IndexedVault(vault).read_snapshot()?.indexed());
    }
    if let Some(overlay) = vault.overlay() {
        return planned_column(vault, overlay);
    }
    read_from_disk(vault).map(Loaded::indexed)
}

/// The difference between the cache file and the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexWork {
    /// Notes that are new or changed, and have to be read.
    pub read: usize,
    /// Files that were removed.
    pub removed: usize,
}

/// Compares the cache file with the folder, within the vault's sight.
pub(crate) fn index_work(vault: &Vault) -> Result<IndexWork, EngineError> {
    let vault = &vault.as_in_the_folder();
    let files = vault.contents(&VaultPath::root(), Detail::Stamps)?.files;
    let place = CachePlace::of_index(vault);
    let listing: Vec<CachedFile> = place
        .and_then(|place| CacheFile::open(&place)?.decode(CacheSection::Listing))
        .unwrap_or_default();
    let (files, stamps) = paths_and_stamps(files);
    let known = CachedPlaces::new(&listing, &files);
    let indexed = files.iter().enumerate();
    let read = indexed.filter(|(id, path)| path.is_indexed() && !known.is_still(*id, &stamps));
    let is_seen = |path: &str| {
        let path = VaultPath::file(path);
        path.is_ok_and(|path| vault.sight().is_none_or(|sight| sight.sees_file(&path)))
    };
    let is_gone = |path: &str| {
        files
            .binary_search_by(|file| file.as_str().cmp(path))
            .is_err()
    };
    let removed = listing.iter().map(|file| file.path.as_str());
    Ok(IndexWork {
        read: read.count(),
        removed: removed
            .filter(|path| is_gone(path) && is_seen(path))
            .count(),
    })
}

/// A column as it was read from cache and folder.
pub(super) struct Loaded<C> {
    pub(super) files: Vec<VaultPath>,
    pub(super) folders: Vec<VaultPath>,
    pub(super) column: C,
    /// The same files, as the cache lists them.
    pub(super) listing: Vec<CachedFile>,
    /// Warnings about what the walk left out.
    pub(super) left_out: Vec<Warning>,
}

impl<C> Loaded<C> {
    /// Returns the column with the warnings about all files.
    pub(super) fn indexed(self) -> Indexed<C> {
        let mut warnings = self.left_out;
        warnings.extend(listing::warnings(&self.files, &self.listing));
        warnings.sort_by(|left, right| left.path().cmp(right.path()));
        Indexed {
            files: Arc::new(self.files),
            column: Arc::new(self.column),
            warnings,
        }
    }
}

/// Returns the vault as it is now, with as little reading as the cache allows.
pub(super) fn read_from_disk<C: Column>(vault: &Vault) -> Result<Loaded<C>, EngineError> {
    read_with_cache(vault, CachedIndex::open(vault))
}

/// As [`read_from_disk`], with the cache file as it was opened before.
pub(super) fn read_with_cache<C: Column>(
    vault: &Vault,
    cached: Option<CachedIndex>,
) -> Result<Loaded<C>, EngineError> {
    // Compared only with the files' own times; no answer depends on the clock.
    // Taken before the walk: a note that changes afterwards counts as not settled.
    let started = SystemTime::now();
    let place = CachePlace::of_index(vault);
    let pieces = place.as_ref().map(CachePlace::pieces);
    let has_pieces = pieces.as_ref().is_some_and(PieceFile::is_there);
    let detail = if cached.is_some() || has_pieces {
        Detail::Stamps
    } else {
        Detail::Names
    };
    let contents = vault.contents(&VaultPath::root(), detail)?;
    let (files, stamps) = paths_and_stamps(contents.files);
    let loading = Loading {
        vault,
        place,
        pieces,
        started,
        files: &files,
        stamps: &stamps,
    };
    let (column, listing) = loading.column::<C>(cached)?;
    // The notes in them are in the cache file now, or changed too recently to be kept.
    if let Some(pieces) = loading.pieces {
        pieces.remove();
    }
    Ok(Loaded {
        files,
        folders: contents.folders,
        column,
        listing,
        left_out: contents.warnings,
    })
}

/// The cache file of a vault, open, with its listing.
pub(crate) struct CachedIndex {
    file: CacheFile,
    listing: Vec<CachedFile>,
}

impl CachedIndex {
    /// Opens the cache file; `None` if there is no usable one.
    pub(crate) fn open(vault: &Vault) -> Option<Self> {
        let file = CacheFile::open(&CachePlace::of_index(vault)?)?;
        Some(Self {
            listing: file.decode(CacheSection::Listing)?,
            file,
        })
    }
}

struct Loading<'vault> {
    vault: &'vault Vault,
    place: Option<CachePlace>,
    pieces: Option<PieceFile>,
    started: SystemTime,
    files: &'vault [VaultPath],
    stamps: &'vault [Option<FileStamp>],
}

impl Loading<'_> {
    fn column<C: Column>(
        &self,
        cached: Option<CachedIndex>,
    ) -> Result<(C, Vec<CachedFile>), EngineError> {
        if let Some(cached) = cached {
            let known = CachedPlaces::new(&cached.listing, self.files);
            let stale = self.notes(|id| !known.is_still(id, self.stamps));
            let read = self.read(&stale)?;
            let same = known.same_content(&read);
            if same
                && read.is_empty()
                && let Some(column) = C::read(self.files, &cached.file)
            {
                // Nothing was read, so the listing in the cache is still exact and need not be
                // written.
                return Ok((column, cached.listing));
            }
            let listing = known.listing_with(self.files, &read);
            if same && let Some(column) = self.unchanged(&cached, &listing) {
                return Ok((column, listing));
            }
            if let Some(column) = self.changed(&cached, &known, read, &listing) {
                return Ok((column, listing));
            }
        }
        // The cache is missing or damaged, so all notes are read.
        let read = self.read(&self.notes(|_| true))?;
        let nothing = CachedPlaces::new(&[], self.files);
        let listing = nothing.listing_with(self.files, &read);
        let records = nothing.records_with(Vec::new(), read);
        Ok((self.made(records, &listing), listing))
    }

    /// Returns the column from the cache, if all records in it are still valid. Only the listing is written again if
    /// stamps differ.
    fn unchanged<C: Column>(&self, cached: &CachedIndex, listing: &[CachedFile]) -> Option<C> {
        let column = C::read(self.files, &cached.file)?;
        if cached.listing != listing {
            let sections = cached.file.all()?;
            if let Some(place) = &self.place {
                save(place, listing, sections);
            }
        }
        Some(column)
    }

    /// Returns the column from the cached records of unchanged notes and the new records of the others.
    ///
    /// The cache is updated only if at least half of the notes read are settled. Notes that changed
    /// just now must be read again by the next call anyhow, and updating the cache costs more than
    /// that.
    fn changed<C: Column>(
        &self,
        cached: &CachedIndex,
        known: &CachedPlaces<'_>,
        read: Vec<ReadNote>,
        listing: &[CachedFile],
    ) -> Option<C> {
        let settled = read.iter().filter(|note| note.listed.settled).count();
        let is_saved = settled * 2 >= read.len();
        let needed = |section| is_saved || C::needs(section);
        let old = all_columns::records(&cached.file, cached.listing.len(), needed)?;
        let records = known.records_with(old, read);
        Some(if is_saved {
            self.made(records, listing)
        } else {
            C::from_owned_records(self.files, records)
        })
    }

    /// Builds the column; with a cache folder, builds and saves all columns.
    fn made<C: Column>(&self, records: Vec<NoteRecord>, listing: &[CachedFile]) -> C {
        let saved = self.place.as_ref().and_then(|place| {
            save_all(
                place,
                self.files,
                &records.iter().collect::<Vec<_>>(),
                listing,
            )
        });
        let Some(column) = saved else {
            return C::from_owned_records(self.files, records);
        };
        // Freeing a hundred thousand texts takes a while; the caller need not wait for it.
        rayon::spawn(move || drop(records));
        column
    }

    fn notes(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let notes = self.files.iter().enumerate();
        notes
            .filter(|(id, path)| path.is_indexed() && wanted(*id))
            .map(|(id, _)| id)
            .collect()
    }

    fn read(&self, wanted: &[usize]) -> Result<Vec<ReadNote>, EngineError> {
        let pieces = self.pieces.as_ref();
        continue_reading(
            pieces,
            self.vault,
            (self.files, self.stamps),
            wanted,
            self.started,
        )
    }
}

/// Builds all columns, writes them to the cache, and returns one; `None` if it cannot be encoded.
pub(super) fn save_all<C: Column>(
    place: &CachePlace,
    files: &[VaultPath],
    records: &[&NoteRecord],
    listing: &[CachedFile],
) -> Option<C> {
    let sections = all_columns::encoded(files, records).ok()?;
    let column = C::read(files, &sections);
    save(place, listing, sections);
    column
}

/// Errors are ignored: without a cache the next call reads the notes again.
fn save(place: &CachePlace, listing: &[CachedFile], mut sections: Vec<(CacheSection, Vec<u8>)>) {
    if let Ok(bytes) = postcard::to_stdvec(listing) {
        sections.push((CacheSection::Listing, bytes));
        place.write(&sections).ok();
    }
}

/// The positions of the files in the cache's listing.
pub(super) struct CachedPlaces<'cache> {
    listing: &'cache [CachedFile],
    places: Vec<Option<usize>>,
}

impl<'cache> CachedPlaces<'cache> {
    /// Both lists are in byte order. An unsorted (damaged) listing finds fewer files, which are
    /// then read again.
    pub(super) fn new(listing: &'cache [CachedFile], files: &[VaultPath]) -> Self {
        let known = listing.iter().map(|listed| listed.path.as_str());
        Self {
            listing,
            places: places(known, files),
        }
    }

    fn note(&self, id: usize) -> Option<&'cache CachedNote> {
        let place = (*self.places.get(id)?)?;
        self.listing.get(place)?.note.as_ref()
    }

    /// Whether the note is unchanged since the cache was written.
    fn is_still(&self, id: usize, stamps: &[Option<FileStamp>]) -> bool {
        let stamp = stamps.get(id).copied().flatten();
        self.note(id).is_some_and(|note| note.is_still(stamp))
    }

    /// Returns the listing of these files, with the notes that were read.
    pub(super) fn listing_with(&self, files: &[VaultPath], read: &[ReadNote]) -> Vec<CachedFile> {
        let listed = files.iter().enumerate().map(|(id, path)| CachedFile {
            path: path.as_str().to_owned(),
            note: self.note(id).cloned(),
        });
        let mut listing: Vec<CachedFile> = listed.collect();
        for note in read {
            if let Some(listed) = listing.get_mut(note.id) {
                listed.note = Some(note.listed.clone());
            }
        }
        listing
    }

    /// Returns the records of the files: the `old` ones of the cache's listing, and those that were read.
    pub(super) fn records_with(
        &self,
        mut old: Vec<NoteRecord>,
        read: Vec<ReadNote>,
    ) -> Vec<NoteRecord> {
        let known = self
            .places
            .iter()
            .map(|place| old.get_mut((*place)?).map(std::mem::take));
        let mut records: Vec<NoteRecord> = known.map(Option::unwrap_or_default).collect();
        for note in read {
            if let Some(record) = records.get_mut(note.id) {
                *record = note.record;
            }
        }
        records
    }

    /// Whether files and records are the same as in the cache: only then are its file numbers and its graph valid.
    fn same_content(&self, read: &[ReadNote]) -> bool {
        self.listing.len() == self.places.len()
            && self.places.iter().all(Option::is_some)
            && read.iter().all(|note| {
                self.note(note.id)
                    .is_some_and(|known| known.fingerprint == note.listed.fingerprint)
            })
    }
}

/// Returns the position of each file among the `known` ones; both are in byte order.
pub(super) fn places<'known>(
    known: impl Iterator<Item = &'known str>,
    files: &[VaultPath],
) -> Vec<Option<usize>> {
    let mut rest = known.enumerate().peekable();
    files
        .iter()
        .map(|file| {
            while rest.next_if(|(_, known)| *known < file.as_str()).is_some() {}
            rest.next_if(|(_, known)| *known == file.as_str())
                .map(|(place, _)| place)
        })
        .collect()
}
