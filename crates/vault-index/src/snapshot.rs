//! A snapshot: the index in memory, as of one moment.
//!
//! Columns are built when first needed, and passed on to the next snapshot as long as the data that
//! they are built from stays the same.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use obsidian_note::{LinkIndex, NoteRecord, VaultPath, Warning};
use obsidian_search::{TrigramFilter, TrigramFilters};
use rayon::prelude::*;
use vault_files::contents::breaks_rows;
use vault_files::{Collation, Contents, FileEntry};

use super::cache::CacheSection;
use super::column::{AnchorLinks, Column, Links, PictureBases, Properties, Tasks};
use super::graph::{self, BacklinkCounts, ResolvedLinks, UnresolvedLinks};
use super::kept_record::KeptRecord;
use super::listing::CachedNote;
use super::tags::Tags;

/// A vault's index at one moment.
pub struct IndexSnapshot {
    pub(super) files: Arc<Vec<VaultPath>>,
    /// Every folder below the root, in byte order.
    pub(super) folders: Arc<Vec<VaultPath>>,
    /// The notes and canvases among the files, in the order of the files.
    pub(super) notes: Vec<Option<Arc<KeptNote>>>,
    /// Warnings about what the walk left out.
    pub(super) left_out: Vec<Warning>,
    /// All warnings: the warnings of the walk and the problems of notes, in order of the paths.
    pub(super) warnings: Vec<Warning>,
    pub(super) has_note_of_several_names: bool,
    pub(super) links: OnceLock<Arc<LinkIndex>>,
    pub(super) columns: KeptColumns,
}

/// One note as it was read.
pub(crate) struct KeptNote {
    pub(super) listed: CachedNote,
    pub(super) record: KeptRecord,
    /// Set by the first search that reads the note.
    pub(super) trigram_filter: OnceLock<TrigramFilter>,
    /// The sort key of its path; computed by the first answer that lists the note.
    pub(super) weight: OnceLock<Box<[u8]>>,
}

/// The columns built so far.
#[derive(Clone, Default)]
pub(super) struct KeptColumns {
    pub(super) graph: OnceLock<LinkGraph>,
    /// The previous graph, from which `graph` can be updated without resolving every link.
    pub(super) graph_before: Option<GraphBefore>,
    pub(super) backlink_counts: OnceLock<Arc<BacklinkCounts>>,
    pub(super) links: OnceLock<Arc<Links>>,
    pub(super) anchors: OnceLock<Arc<AnchorLinks>>,
    pub(super) tags: OnceLock<Arc<Tags>>,
    pub(super) tasks: OnceLock<Arc<Tasks>>,
    pub(super) picture_bases: OnceLock<Arc<PictureBases>>,
    pub(super) properties: OnceLock<Arc<Properties>>,
    /// Whether a name in the vault breaks a row of a list ([`breaks_rows`]).
    pub(super) breaks_rows: OnceLock<bool>,
    /// The trigram filters of notes, to which searches add. Notes that changed leave their columns unused.
    pub(super) trigram_filters: Arc<TrigramFilters>,
}

/// The resolved and the unresolved links of all files.
pub(super) type LinkGraph = (Arc<ResolvedLinks>, Arc<UnresolvedLinks>);

/// The graph of the same files before the links of some notes changed.
#[derive(Clone)]
pub(super) struct GraphBefore {
    pub(super) graph: LinkGraph,
    pub(super) changed: BTreeSet<u32>,
}

/// One column of the index, with the files that its numbers refer to.
pub struct Indexed<C> {
    /// Every file of the vault, in byte order.
    pub files: Arc<Vec<VaultPath>>,
    /// The column.
    pub column: Arc<C>,
    /// Warnings about what could not be read or was left out.
    pub warnings: Vec<Warning>,
}

/// A column that a snapshot can provide.
pub trait KeptColumn {
    /// Returns the column, built now if it was not needed before.
    fn get_or_build(snapshot: &IndexSnapshot) -> Arc<Self>;
}

macro_rules! kept_column {
    ($column:ty, $place:ident) => {
        impl KeptColumn for $column {
            fn get_or_build(snapshot: &IndexSnapshot) -> Arc<Self> {
                let make = || Arc::new(snapshot.column());
                Arc::clone(snapshot.columns.$place.get_or_init(make))
            }
        }
    };
}

kept_column!(Links, links);
kept_column!(AnchorLinks, anchors);
kept_column!(Tags, tags);
kept_column!(Tasks, tasks);
kept_column!(PictureBases, picture_bases);
kept_column!(Properties, properties);

impl KeptColumn for ResolvedLinks {
    fn get_or_build(snapshot: &IndexSnapshot) -> Arc<Self> {
        Arc::clone(&snapshot.graph().0)
    }
}

impl KeptColumn for UnresolvedLinks {
    fn get_or_build(snapshot: &IndexSnapshot) -> Arc<Self> {
        Arc::clone(&snapshot.graph().1)
    }
}

impl KeptColumn for BacklinkCounts {
    fn get_or_build(snapshot: &IndexSnapshot) -> Arc<Self> {
        let count = || Arc::new(Self::new(&snapshot.graph().0, snapshot.files.len()));
        Arc::clone(snapshot.columns.backlink_counts.get_or_init(count))
    }
}

impl IndexSnapshot {
    /// Returns a column with its files and warnings.
    pub fn indexed<C: KeptColumn>(&self) -> Indexed<C> {
        Indexed {
            files: Arc::clone(&self.files),
            column: C::get_or_build(self),
            warnings: self.warnings.clone(),
        }
    }

    /// Returns the files of the vault in byte order, each with the slot of its trigram filter.
    pub(crate) fn files(
        &self,
    ) -> impl Iterator<Item = (&VaultPath, Option<&OnceLock<TrigramFilter>>)> {
        let trigram_filters = self
            .notes
            .iter()
            .map(|note| note.as_ref().map(|note| &note.trigram_filter));
        self.files.iter().zip(trigram_filters)
    }

    /// Returns the slot of one file's trigram filter.
    pub(crate) fn trigram_filter(&self, path: &VaultPath) -> Option<&OnceLock<TrigramFilter>> {
        let id = self.files.binary_search(path).ok()?;
        let note = self.notes.get(id)?.as_ref()?;
        Some(&note.trigram_filter)
    }

    /// Returns the sort key of a note's path in `collation`; none for other files.
    pub fn weight(&self, id: usize, collation: &Collation) -> Option<&[u8]> {
        let (path, note) = (self.files.get(id)?, self.notes.get(id)?.as_ref()?);
        let weigh = || collation.weight(path.as_str()).into_boxed_slice();
        Some(note.weight.get_or_init(weigh))
    }

    /// Returns the link index of all files.
    pub(crate) fn link_index(&self) -> &Arc<LinkIndex> {
        self.links
            .get_or_init(|| Arc::new(LinkIndex::new(self.files.iter().cloned())))
    }

    /// Returns all files in byte order.
    pub fn all_files(&self) -> &Arc<Vec<VaultPath>> {
        &self.files
    }

    /// Returns the warnings of the walk, and the problems of notes.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns every name below a folder, as a walk with [`Detail::Names`] lists them. `None` if the folder is unknown,
    /// or if entries that the walk left out below it would have to be counted again.
    ///
    /// [`Detail::Names`]: vault_files::Detail::Names
    pub(crate) fn names_below(&self, folder: &VaultPath) -> Option<Contents> {
        let is_whole = folder.is_root();
        let is_known = || self.left_out.is_empty() && self.folders.binary_search(folder).is_ok();
        if !is_whole && !is_known() {
            return None;
        }
        let is_below = |path: &&VaultPath| is_whole || path.is_below(folder);
        let files = self.files.iter().filter(is_below).cloned();
        Some(Contents {
            files: files.map(FileEntry::named).collect(),
            folders: self.folders.iter().filter(is_below).cloned().collect(),
            warnings: self.left_out.clone(),
        })
    }

    /// Whether a file or folder has a name that breaks a row of a list.
    pub(crate) fn breaks_rows(&self) -> bool {
        let look = || {
            self.files
                .iter()
                .chain(self.folders.iter())
                .any(breaks_rows)
        };
        *self.columns.breaks_rows.get_or_init(look)
    }

    /// Returns the record of a note; `None` for other files.
    pub fn record(&self, id: usize) -> Option<&KeptRecord> {
        Some(&self.notes.get(id)?.as_ref()?.record)
    }

    fn graph(&self) -> &LinkGraph {
        self.columns.graph.get_or_init(|| {
            let (index, files) = (self.link_index(), &self.files);
            let is_links = |section| section == CacheSection::Links;
            let (resolved, unresolved) = if let Some(before) = &self.columns.graph_before {
                let GraphBefore {
                    graph: (resolved, unresolved),
                    changed,
                } = before;
                let record = |id: &u32| {
                    let record = self.record(usize::try_from(*id).ok()?)?;
                    Some((*id, record.unpacked(is_links)))
                };
                let changed = changed.iter().filter_map(record).collect();
                graph::resolve_changed((resolved, unresolved), &changed, index, files)
            } else {
                let records = self.records(is_links);
                let records: Vec<&NoteRecord> = records.iter().collect();
                graph::resolve_all_with(index, files, &records)
            };
            (Arc::new(resolved), Arc::new(unresolved))
        })
    }

    pub(super) fn column<C: Column>(&self) -> C {
        C::from_owned_records(&self.files, self.records(C::needs))
    }

    /// The records in the order of the files, with the facts in the `needed` sections of the cache; empty ones for
    /// files that are not notes.
    fn records(&self, needed: impl Fn(CacheSection) -> bool + Sync) -> Vec<NoteRecord> {
        let record = |note: &Option<Arc<KeptNote>>| {
            let note = note.as_ref();
            note.map_or_else(NoteRecord::default, |note| note.record.unpacked(&needed))
        };
        self.notes.par_iter().map(record).collect()
    }
}
