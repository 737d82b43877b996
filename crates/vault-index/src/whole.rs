//! The whole index, with which tests and fuzz targets compare two vaults.

use std::sync::Arc;

use obsidian_note::{NoteRecord, VaultPath, Warning};
use vault_files::EngineError;

use super::cache::{CacheSection, CacheSections};
use super::column::{AnchorLinks, Column, Properties, Tasks};
use super::graph::{self, ResolvedLinks, UnresolvedLinks};
use super::snapshot::{IndexSnapshot, Indexed, KeptColumn};
use super::tags::Tags;
use crate::indexed_vault::IndexedVault;

/// All facts that the index has of a vault.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    pub(super) files: Arc<Vec<VaultPath>>,
    pub(super) resolved: Arc<ResolvedLinks>,
    pub(super) unresolved: Arc<UnresolvedLinks>,
    pub(super) anchors: Arc<AnchorLinks>,
    pub(super) tags: Arc<Tags>,
    pub(super) tasks: Arc<Tasks>,
    pub(super) properties: Arc<Properties>,
    pub(super) warnings: Vec<Warning>,
}

impl Index {
    pub(crate) fn new(indexed: Indexed<AllColumns>) -> Self {
        let all = indexed.column;
        Self {
            files: indexed.files,
            resolved: Arc::clone(&all.resolved),
            unresolved: Arc::clone(&all.unresolved),
            anchors: Arc::clone(&all.anchors),
            tags: Arc::clone(&all.tags),
            tasks: Arc::clone(&all.tasks),
            properties: Arc::clone(&all.properties),
            warnings: indexed.warnings,
        }
    }

    /// Returns every file of the vault, of any extension, in byte order.
    pub fn files(&self) -> &[VaultPath] {
        &self.files
    }

    /// Returns the properties of every note that has some, as JSON texts of objects whose keys are in the order of the
    /// note; in byte order of the paths.
    pub fn properties(&self) -> impl Iterator<Item = (&VaultPath, &str)> {
        self.properties
            .iter()
            .filter_map(|(id, properties)| Some((self.files.get(id)?, properties.0.as_str())))
    }

    /// Warnings about what could not be read or was left out.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl IndexedVault<'_> {
    /// Returns the facts of all notes: everything in the cache, with every other note read now.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and with [`EngineError::Stopped`] after a cancellation. A note
    /// that cannot be read is a warning in the index.
    pub fn index(&self) -> Result<Index, EngineError> {
        self.column::<AllColumns>().map(Index::new)
    }
}

/// Every column that commands use.
pub(crate) struct AllColumns {
    pub(super) resolved: Arc<ResolvedLinks>,
    pub(super) unresolved: Arc<UnresolvedLinks>,
    pub(super) anchors: Arc<AnchorLinks>,
    pub(super) tags: Arc<Tags>,
    pub(super) tasks: Arc<Tasks>,
    pub(super) properties: Arc<Properties>,
}

impl Column for AllColumns {
    fn from_records(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        let (resolved, unresolved) = graph::resolve_all(files, records);
        Self {
            resolved: Arc::new(resolved),
            unresolved: Arc::new(unresolved),
            anchors: Arc::new(AnchorLinks::from_records(files, records)),
            tags: Arc::new(Tags::from_records(files, records)),
            tasks: Arc::new(Tasks::from_records(files, records)),
            properties: Arc::new(Properties::from_records(files, records)),
        }
    }

    fn read(files: &[VaultPath], sections: &impl CacheSections) -> Option<Self> {
        Some(Self {
            resolved: Arc::new(ResolvedLinks::read(files, sections)?),
            unresolved: Arc::new(UnresolvedLinks::read(files, sections)?),
            anchors: Arc::new(AnchorLinks::read(files, sections)?),
            tags: Arc::new(Tags::read(files, sections)?),
            tasks: Arc::new(Tasks::read(files, sections)?),
            properties: Arc::new(Properties::read(files, sections)?),
        })
    }

    fn needs(_section: CacheSection) -> bool {
        true
    }
}

impl KeptColumn for AllColumns {
    fn get_or_build(snapshot: &IndexSnapshot) -> Arc<Self> {
        Arc::new(Self {
            resolved: KeptColumn::get_or_build(snapshot),
            unresolved: KeptColumn::get_or_build(snapshot),
            anchors: KeptColumn::get_or_build(snapshot),
            tags: KeptColumn::get_or_build(snapshot),
            tasks: KeptColumn::get_or_build(snapshot),
            properties: KeptColumn::get_or_build(snapshot),
        })
    }
}
