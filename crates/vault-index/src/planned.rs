//! A snapshot with the planned changes of a vault (`design/drafts.md`): everything is taken from the
//! snapshot of the folder, and only the planned notes are read.

use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use obsidian_note::VaultPath;
use vault_files::{EngineError, Overlay, PlannedFile, Vault};

use super::all_columns::RecordsFor;
use super::column::Column;
use super::load::{CachedPlaces, Loaded, places, read_from_disk};
use super::ranking::RankedIndex;
use super::reading::{NoteContent, ReadNote};
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
        let changed = self.with((files, folders), &places, self.left_out.clone(), read);
        Ok(changed.map_or_else(|| Arc::clone(self), Arc::new))
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
    let known = CachedPlaces::new(&folder.listing, &files);
    let listing = known.listing_with(&files, &read);
    let records = known.records_with(folder.column.records, read);
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
    let now = SystemTime::now();
    let read = numbered
        .map(|(id, path)| NoteContent::planned(vault, path).read_note(id, path, now))
        .collect();
    (files, folders, read)
}
