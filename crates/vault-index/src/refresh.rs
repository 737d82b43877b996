//! Refreshes a snapshot: only changed notes are read.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use obsidian_note::{LinkIndex, NoteRecord, VaultPath, Warning};
use vault_files::{Contents, Detail, EngineError, Obstacle, Vault};

use super::all_columns::WholeIndex;
use super::cache::CachePlace;
use super::kept_record::KeptRecord;
use super::listing::{CachedFile, CachedNote, paths_and_stamps};
use super::load::{CachedIndex, places, read_with_cache};
use super::reading::{ReadNote, continue_reading, read_all};
use super::snapshot::{GraphBefore, IndexSnapshot, KeptColumns, KeptNote};

impl IndexSnapshot {
    /// Returns the first snapshot of a vault, with as little reading as the cache file allows.
    pub(crate) fn read(vault: &Vault) -> Result<Self, EngineError> {
        Self::read_cached(vault, CachedIndex::open(vault))
    }

    /// As [`Self::read`], with the cache file as it was opened before.
    pub(crate) fn read_cached(
        vault: &Vault,
        cached: Option<CachedIndex>,
    ) -> Result<Self, EngineError> {
        let loaded = read_with_cache(vault, cached)?;
        let names = (Arc::new(loaded.files), Arc::new(loaded.folders));
        let (column, listing) = (loaded.column, loaded.listing);
        Ok(Self::of_whole(names, column, listing, loaded.left_out))
    }

    /// Returns the snapshot with these columns.
    pub(super) fn of_whole(
        names: (Arc<Vec<VaultPath>>, Arc<Vec<VaultPath>>),
        WholeIndex {
            records,
            tags,
            graph,
        }: WholeIndex,
        listing: Vec<CachedFile>,
        left_out: Vec<Warning>,
    ) -> Self {
        let notes = listing
            .into_iter()
            .zip(records)
            .map(|(CachedFile { note, .. }, record)| {
                let kept = |listed| Arc::new(KeptNote::new(listed, record));
                note.map(kept)
            })
            .collect();
        let shared = |(resolved, unresolved)| (Arc::new(resolved), Arc::new(unresolved));
        let columns = KeptColumns {
            graph: graph.map(shared).map(OnceLock::from).unwrap_or_default(),
            tags: tags.map(OnceLock::from).unwrap_or_default(),
            ..KeptColumns::default()
        };
        Self::new(names, notes, left_out, OnceLock::new(), columns)
    }

    /// Returns a new snapshot by a walk that compares the stamp of every note; `None` if nothing changed.
    pub(crate) fn refreshed(&self, vault: &Vault) -> Result<Option<Self>, EngineError> {
        let started = SystemTime::now();
        let contents = Contents::read(vault.disk(), None, &VaultPath::root(), Detail::Stamps)?;
        let (files, stamps) = paths_and_stamps(contents.files);
        let places = places(self.files.iter().map(VaultPath::as_str), &files);
        let is_still = |id: usize, stamp| {
            let place = places.get(id).copied().flatten();
            let note = place.and_then(|place| self.notes.get(place)?.as_ref());
            note.is_some_and(|note| note.listed.is_still(stamp))
        };
        let stale: Vec<usize> = files
            .iter()
            .zip(&stamps)
            .enumerate()
            .filter(|(id, (path, stamp))| path.is_indexed() && !is_still(*id, **stamp))
            .map(|(id, _)| id)
            .collect();
        let pieces = CachePlace::of_index(vault).map(|place| place.pieces());
        let read = continue_reading(pieces.as_ref(), vault, (&files, &stamps), &stale, started)?;
        if let Some(pieces) = pieces {
            pieces.remove();
        }
        let names = (files, contents.folders);
        Ok(self.with(names, &places, contents.warnings, read))
    }

    /// Returns a new snapshot after changes at these paths or below them; `None` if nothing changed.
    ///
    /// Falls back on [`Self::refreshed`] if checking the paths does not suffice: for the root, and if
    /// symlinks or other skipped entries must be counted again.
    pub(crate) fn refreshed_at(
        &self,
        vault: &Vault,
        paths: &[VaultPath],
    ) -> Result<Option<Self>, EngineError> {
        let started = SystemTime::now();
        let Some(mut seen) = self.look(vault, paths) else {
            return self.refreshed(vault);
        };
        let removed = &seen.removed;
        let is_removed = |file: &VaultPath| {
            removed.contains(file)
                || file
                    .as_str()
                    .match_indices('/')
                    .enumerate()
                    .any(|(before, _)| {
                        !removed.is_empty() && removed.contains(&file.beginning(before + 1))
                    })
        };
        // A set merges old and new files and keeps them in byte order, as all columns require.
        let mut files: BTreeSet<&VaultPath> =
            self.files.iter().filter(|file| !is_removed(file)).collect();
        files.extend(&seen.added);
        let files: Vec<VaultPath> = files.into_iter().cloned().collect();
        seen.stale.extend(seen.added);
        let mut folders: BTreeSet<&VaultPath> = self
            .folders
            .iter()
            .filter(|folder| !is_removed(folder))
            .collect();
        folders.extend(&seen.added_folders);
        let folders = folders.into_iter().cloned().collect();
        let places = places(self.files.iter().map(VaultPath::as_str), &files);
        let stale: Vec<usize> = seen
            .stale
            .iter()
            .filter(|path| path.is_indexed())
            .filter_map(|path| files.binary_search(path).ok())
            .collect();
        let read = read_all(vault, &files, &stale, started, None)?;
        Ok(self.with((files, folders), &places, self.left_out.clone(), read))
    }

    /// Returns the entries that exist at these paths now; `None` if that does not suffice.
    fn look(&self, vault: &Vault, paths: &[VaultPath]) -> Option<SeenPaths> {
        let mut seen = SeenPaths::default();
        for path in paths.iter().filter(|path| !path.is_hidden()) {
            if path.is_root() {
                return None;
            }
            let is_known = self.files.binary_search(path).is_ok();
            let is_folder = match vault.disk().file(path) {
                // A known file in the same spelling: only its content may have changed.
                Ok(_) if is_known && vault.disk().has_file(path) => {
                    seen.stale.insert(path.clone());
                    continue;
                }
                Ok(_) => false,
                Err(blocked) => match blocked.obstacle {
                    Obstacle::IsFolder => true,
                    Obstacle::Missing | Obstacle::NotAFolder => false,
                    Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => return None,
                },
            };
            // A skipped entry may be gone, and the warnings count them: only a walk can count
            // again.
            if !self.left_out.is_empty() {
                return None;
            }
            seen.removed.insert(path.clone());
            if is_folder {
                let below = Contents::read(vault.disk(), None, path, Detail::Names).ok()?;
                if !below.warnings.is_empty() {
                    return None;
                }
                let files = below.files.into_iter().map(|file| file.path);
                seen.added.extend(files);
                seen.added_folders.extend(below.folders);
                seen.added_folders.insert(path.clone());
            } else if vault.disk().has_file(path) {
                seen.added.insert(path.clone());
            }
        }
        Some(seen)
    }

    /// Returns this snapshot after a change; `None` if nothing changed.
    ///
    /// `places` are the positions of the files in this snapshot, and `read` the notes that were read again.
    pub(super) fn with(
        &self,
        (files, folders): (Vec<VaultPath>, Vec<VaultPath>),
        places: &[Option<usize>],
        left_out: Vec<Warning>,
        read: Vec<ReadNote>,
    ) -> Option<Self> {
        let same_files = self.files.len() == files.len() && places.iter().all(Option::is_some);
        let same_folders = folders == *self.folders;
        if same_files && same_folders && read.is_empty() && left_out == self.left_out {
            return None;
        }
        let folders = if same_folders {
            Arc::clone(&self.folders)
        } else {
            Arc::new(folders)
        };
        let mut notes: Vec<Option<Arc<KeptNote>>> = places
            .iter()
            .map(|place| place.and_then(|place| self.notes.get(place).cloned().flatten()))
            .collect();
        let (files, links, mut columns) = if same_files {
            let files = Arc::clone(&self.files);
            (files, self.links.clone(), self.columns.clone())
        } else {
            (Arc::new(files), OnceLock::new(), self.columns.emptied())
        };
        if !same_folders {
            columns.breaks_rows.take();
        }
        for note in read {
            if let Some(kept) = notes.get_mut(note.id) {
                // Columns are dropped before the new note replaces the old one, because both are
                // compared.
                columns.forget(note.id, kept.as_deref(), &note.record);
                *kept = Some(Arc::new(KeptNote::of_read(note)));
            }
        }
        let names = (files, folders);
        Some(Self::new(names, notes, left_out, links, columns))
    }

    /// A snapshot of all files and folders, with the known facts.
    pub(super) fn new(
        (files, folders): (Arc<Vec<VaultPath>>, Arc<Vec<VaultPath>>),
        notes: Vec<Option<Arc<KeptNote>>>,
        left_out: Vec<Warning>,
        links: OnceLock<Arc<LinkIndex>>,
        columns: KeptColumns,
    ) -> Self {
        let mut warnings = left_out.clone();
        warnings.extend(files.iter().zip(&notes).filter_map(|(path, note)| {
            let problem = note.as_ref()?.listed.problem.as_ref()?;
            problem.warning(path)
        }));
        warnings.sort_by(|left, right| left.path().cmp(right.path()));
        let kept = notes.iter().flatten();
        let has_note_of_several_names = kept
            .into_iter()
            .any(|note| note.listed.stamp.has_other_names);
        Self {
            files,
            folders,
            notes,
            left_out,
            warnings,
            has_note_of_several_names,
            links,
            columns,
        }
    }
}

impl KeptNote {
    /// Returns a note that was read now.
    pub(super) fn of_read(note: ReadNote) -> Self {
        Self::new(note.listed, KeptRecord::Read(Box::new(note.record)))
    }

    fn new(listed: CachedNote, record: KeptRecord) -> Self {
        Self {
            listed,
            record,
            trigram_filter: OnceLock::new(),
            weight: OnceLock::new(),
        }
    }
}

/// The changes of the file list.
#[derive(Default)]
struct SeenPaths {
    /// Files that were removed, and folders whose known files were all removed.
    removed: BTreeSet<VaultPath>,
    /// Files that exist and may be new.
    added: BTreeSet<VaultPath>,
    /// Folders that exist and may be new.
    added_folders: BTreeSet<VaultPath>,
    /// Known files that still exist and may have changed.
    stale: BTreeSet<VaultPath>,
}

impl KeptColumns {
    /// Returns the columns of a file that is not a note: they are empty. The trigram filters belong to notes.
    pub(super) fn emptied(&self) -> Self {
        Self {
            trigram_filters: Arc::clone(&self.trigram_filters),
            ..Self::default()
        }
    }

    /// Drops the columns that depend on what changed in the note with this number.
    pub(super) fn forget(&mut self, id: usize, before: Option<&KeptNote>, now: &NoteRecord) {
        let before = before.map(|note| note.record.unpacked(|_| true));
        let (Some(before), Ok(id)) = (before, u32::try_from(id)) else {
            *self = self.emptied();
            return;
        };
        if before.links != now.links {
            self.links.take();
            self.backlink_counts.take();
            if let Some(graph) = self.graph.take() {
                self.graph_before = Some(GraphBefore {
                    graph,
                    changed: BTreeSet::new(),
                });
            }
            if let Some(before) = &mut self.graph_before {
                before.changed.insert(id);
            }
        }
        if before.anchors != now.anchors {
            self.anchors.take();
        }
        if before.tags != now.tags {
            self.tags.take();
        }
        if before.tasks != now.tasks {
            self.tasks.take();
        }
        if before.picture_bases != now.picture_bases {
            self.picture_bases.take();
        }
        if before.properties != now.properties {
            self.properties.take();
        }
    }
}
