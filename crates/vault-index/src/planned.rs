//! A snapshot with the planned changes of a vault (`design/drafts.md`): everything is taken from the
//! snapshot of the folder, and only the planned notes are read.

use std::sync::{Arc, OnceLock};

use obsidian_note::note_record::record_of;
use obsidian_note::{NoteRecord, VaultPath};
use vault_files::{EngineError, FileStamp, Overlay, PlannedFile, Vault};

use super::all_columns::RecordsFor;
use super::column::Column;
use super::listing::{CachedFile, CachedNote, fingerprint};
use super::load::{Loaded, places, put, read_from_disk};
use super::ranking::RankedIndex;
use super::reading::ReadNote;
use super::refresh::SnapshotChange;
use super::snapshot::{IndexSnapshot, Indexed};

/// The index of a vault with planned changes, and the index of the folder that it is made from.
pub(crate) struct PlannedIndex {
    pub(crate) overlay: Arc<Overlay>,
    pub(crate) folder: Arc<IndexSnapshot>,
    pub(crate) planned: Arc<IndexSnapshot>,
    pub(crate) ranking: OnceLock<Arc<RankedIndex>>,
}

impl PlannedIndex {
    /// Works out the index of `vault`, whose planned changes are in `overlay`.
    pub(crate) fn new(
        vault: &Vault,
        overlay: &Arc<Overlay>,
        folder: &Arc<IndexSnapshot>,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            overlay: Arc::clone(overlay),
            folder: Arc::clone(folder),
            planned: folder.planned(vault, overlay)?,
            ranking: OnceLock::new(),
        })
    }

    /// Returns the ranked index, made from the index of the folder.
    pub(crate) fn ranking(
        &self,
        vault: &Vault,
        folder: &RankedIndex,
    ) -> Result<Arc<RankedIndex>, EngineError> {
        if let Some(made) = self.ranking.get() {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(RankedIndex::planned(vault, &self.planned, folder)?);
        if !made.is_complete() {
            return Ok(made);
        }
        Ok(Arc::clone(self.ranking.get_or_init(|| made)))
    }
}

impl IndexSnapshot {
    /// Returns this snapshot of the folder with the planned changes of `vault`.
    fn planned(
        self: &Arc<Self>,
        vault: &Vault,
        overlay: &Overlay,
    ) -> Result<Arc<Self>, EngineError> {
        vault.disk().cancellation().check()?;
        let old = (self.files.to_vec(), self.folders.to_vec());
        let (files, folders, read) = planned_files(vault, overlay, old);
        let places = places(self.files.iter().map(VaultPath::as_str), &files);
        let change = SnapshotChange {
            files,
            folders,
            places,
            left_out: self.left_out.clone(),
            read,
        };
        Ok(self.with(change).map_or_else(|| Arc::clone(self), Arc::new))
    }
}

/// Returns a column of a vault with planned changes, for a process that keeps no index. Of the folder's index it reads
/// only what the column is made of.
pub(super) fn planned_column<C: Column>(
    vault: &Vault,
    overlay: &Overlay,
) -> Result<Indexed<C>, EngineError> {
    let folder = read_from_disk::<RecordsFor<C>>(&vault.as_in_the_folder().whole())?;
    let old = (folder.files.clone(), folder.folders);
    let (files, folders, read) = planned_files(vault, overlay, old);
    let places = places(folder.files.iter().map(VaultPath::as_str), &files);
    let mut old = folder.column.records;
    let mut records = Vec::with_capacity(files.len());
    let mut listing = Vec::with_capacity(files.len());
    for (path, place) in files.iter().zip(places) {
        let record = place.and_then(|place| old.get_mut(place));
        records.push(record.map(std::mem::take).unwrap_or_default());
        let listed = place.and_then(|place| folder.listing.get(place));
        listing.push(CachedFile {
            path: path.as_str().to_owned(),
            note: listed.and_then(|listed| listed.note.clone()),
        });
    }
    for note in &read {
        if let Some(listed) = listing.get_mut(note.id) {
            listed.note = Some(note.listed.clone());
        }
    }
    put(read, &mut records);
    let loaded = Loaded {
        column: C::from_owned_records(&files, records),
        files,
        folders,
        listing,
        left_out: folder.left_out,
    };
    Ok(loaded.indexed())
}

/// Files and folders of the vault with its planned changes, from the folder's own, and the planned notes.
pub(super) fn planned_files(
    vault: &Vault,
    overlay: &Overlay,
    (mut files, mut folders): (Vec<VaultPath>, Vec<VaultPath>),
) -> (Vec<VaultPath>, Vec<VaultPath>, Vec<ReadNote>) {
    let vault = &vault.whole();
    let is_known = |path: &VaultPath| files.binary_search(path).is_ok();
    let exists = |_: &VaultPath, file: &PlannedFile| match file {
        PlannedFile::From(origin) => is_known(origin),
        PlannedFile::Bytes(_) => true,
        PlannedFile::Gone => false,
    };
    let present: Vec<&VaultPath> = overlay.present(exists).collect();
    overlay.merge(&mut files, &mut folders, &present, |_| true);
    let notes = present.into_iter().filter(|path| path.is_indexed());
    let numbered = notes.filter_map(|path| Some((files.binary_search(path).ok()?, path)));
    let read = numbered
        .map(|(id, path)| planned_note(vault, id, path))
        .collect();
    (files, folders, read)
}

/// Returns a planned note. It is never settled: its stamp says nothing.
fn planned_note(vault: &Vault, id: usize, path: &VaultPath) -> ReadNote {
    let (record, problem) = match vault.indexed_bytes(path) {
        Ok(bytes) => record_of(path, &bytes),
        Err(problem) => (NoteRecord::default(), Some(problem)),
    };
    ReadNote {
        id,
        listed: CachedNote {
            stamp: FileStamp::default(),
            settled: false,
            fingerprint: fingerprint(&record),
            problem,
        },
        record,
    }
}
