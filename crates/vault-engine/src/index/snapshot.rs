//! The index in memory, as the vault was at one moment.
//!
//! What a command asks for is made when it is first asked for, and handed on to the next snapshot
//! as long as nothing that it is made of changes.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::column::{Column, Links, Properties, Tasks};
use super::graph::{self, ResolvedLinks, UnresolvedLinks};
use super::listing::CachedNote;
use super::record::NoteRecord;
use super::tags::Tags;
use crate::collation::Collation;
use crate::path::VaultPath;
use crate::resolve::LinkIndex;
use crate::search::TrigramFilter;
use crate::warning::Warning;

/// A vault's index at one moment.
pub(crate) struct IndexSnapshot {
    pub(super) files: Arc<Vec<VaultPath>>,
    /// What the notes and canvases among the files hold, in the order of the files.
    pub(super) notes: Vec<Option<Arc<KeptNote>>>,
    /// What the walk left out.
    pub(super) left_out: Vec<Warning>,
    /// That, and what is wrong with notes; in order.
    pub(super) warnings: Vec<Warning>,
    pub(super) has_note_of_several_names: bool,
    pub(super) links: OnceLock<Arc<LinkIndex>>,
    pub(super) columns: KeptColumns,
}

/// One note as it was read.
pub(crate) struct KeptNote {
    pub(super) listed: CachedNote,
    pub(super) record: NoteRecord,
    /// Made by the first search that reads the note.
    pub(super) trigram_filter: OnceLock<TrigramFilter>,
    /// Where its path stands among others; made by the first answer that lists the note.
    pub(super) weight: OnceLock<Box<[u8]>>,
}

/// The columns that were asked for.
#[derive(Clone, Default)]
pub(super) struct KeptColumns {
    pub(super) graph: OnceLock<LinkGraph>,
    /// What `graph` can be made from without looking up every link.
    pub(super) graph_before: Option<GraphBefore>,
    pub(super) links: OnceLock<Arc<Links>>,
    pub(super) tags: OnceLock<Arc<Tags>>,
    pub(super) tasks: OnceLock<Arc<Tasks>>,
    pub(super) properties: OnceLock<Arc<Properties>>,
}

/// Which file links to which.
pub(super) type LinkGraph = (Arc<ResolvedLinks>, Arc<UnresolvedLinks>);

/// The graph of the same files before the links of some notes changed.
#[derive(Clone)]
pub(super) struct GraphBefore {
    pub(super) graph: LinkGraph,
    pub(super) changed: BTreeSet<u32>,
}

/// One column of the index, with the files that its numbers stand for.
pub(crate) struct Indexed<C> {
    /// Every file of the vault, in byte order.
    pub(crate) files: Arc<Vec<VaultPath>>,
    pub(crate) column: Arc<C>,
    pub(crate) warnings: Vec<Warning>,
}

/// A column that a snapshot keeps.
pub(crate) trait KeptColumn {
    /// The column, made now where nobody has asked for it before.
    fn held(snapshot: &IndexSnapshot) -> Arc<Self>;
}

macro_rules! held {
    ($column:ty, $place:ident) => {
        impl KeptColumn for $column {
            fn held(snapshot: &IndexSnapshot) -> Arc<Self> {
                let make = || Arc::new(snapshot.column());
                Arc::clone(snapshot.columns.$place.get_or_init(make))
            }
        }
    };
}

held!(Links, links);
held!(Tags, tags);
held!(Tasks, tasks);
held!(Properties, properties);

impl KeptColumn for ResolvedLinks {
    fn held(snapshot: &IndexSnapshot) -> Arc<Self> {
        Arc::clone(&snapshot.graph().0)
    }
}

impl KeptColumn for UnresolvedLinks {
    fn held(snapshot: &IndexSnapshot) -> Arc<Self> {
        Arc::clone(&snapshot.graph().1)
    }
}

impl IndexSnapshot {
    /// A column, with all that belongs to it.
    pub(crate) fn indexed<C: KeptColumn>(&self) -> Indexed<C> {
        Indexed {
            files: Arc::clone(&self.files),
            column: C::held(self),
            warnings: self.warnings.clone(),
        }
    }

    /// The files of the vault with where their signatures are kept, in byte order.
    pub(crate) fn files(
        &self,
    ) -> impl Iterator<Item = (&VaultPath, Option<&OnceLock<TrigramFilter>>)> {
        let trigram_filters = self
            .notes
            .iter()
            .map(|note| note.as_ref().map(|note| &note.trigram_filter));
        self.files.iter().zip(trigram_filters)
    }

    /// Where the signature of one file is kept.
    pub(crate) fn trigram_filter(&self, path: &VaultPath) -> Option<&OnceLock<TrigramFilter>> {
        let id = self.files.binary_search(path).ok()?;
        let note = self.notes.get(id)?.as_ref()?;
        Some(&note.trigram_filter)
    }

    /// What the path of a note weighs in `collation`; none for other files.
    pub(crate) fn weight(&self, id: usize, collation: &Collation) -> Option<&[u8]> {
        let (path, note) = (self.files.get(id)?, self.notes.get(id)?.as_ref()?);
        let weigh = || collation.weight(path.as_str()).into_boxed_slice();
        Some(note.weight.get_or_init(weigh))
    }

    /// The files by the names that links use.
    pub(crate) fn link_index(&self) -> &Arc<LinkIndex> {
        self.links
            .get_or_init(|| Arc::new(LinkIndex::new(self.files.iter().cloned())))
    }

    /// Whether a note has another name, which may be outside of the vault: what is changed under
    /// that name, nobody hears of.
    pub(crate) fn has_note_of_several_names(&self) -> bool {
        self.has_note_of_several_names
    }

    /// What the walk left out.
    pub(crate) fn left_out(&self) -> &[Warning] {
        &self.left_out
    }

    fn graph(&self) -> &LinkGraph {
        self.columns.graph.get_or_init(|| {
            let nothing = NoteRecord::default();
            let (index, files) = (self.link_index(), &self.files);
            let records = self.records(&nothing);
            let (resolved, unresolved) = match &self.columns.graph_before {
                Some(GraphBefore {
                    graph: (resolved, unresolved),
                    changed,
                }) => {
                    graph::resolve_changed((resolved, unresolved), changed, index, files, &records)
                }
                None => graph::resolve_all_with(index, files, &records),
            };
            (Arc::new(resolved), Arc::new(unresolved))
        })
    }

    pub(super) fn column<C: Column>(&self) -> C {
        let nothing = NoteRecord::default();
        C::from_records(&self.files, &self.records(&nothing))
    }

    /// The records in the order of the files; `nothing` for other files than notes.
    fn records<'kept>(&'kept self, nothing: &'kept NoteRecord) -> Vec<&'kept NoteRecord> {
        let record =
            |note: &'kept Option<Arc<KeptNote>>| note.as_ref().map_or(nothing, |note| &note.record);
        self.notes.iter().map(record).collect()
    }
}
