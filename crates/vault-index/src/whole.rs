//! The whole index, with which tests and fuzz targets compare two vaults.

use std::sync::Arc;

use obsidian_note::{VaultPath, Warning};
use vault_files::EngineError;

use super::column::{AnchorLinks, PictureBases, Properties, Tasks};
use super::graph::{ResolvedLinks, UnresolvedLinks};
use super::pair::Pair;
use super::snapshot::Indexed;
use super::tags::Tags;
use crate::indexed_vault::IndexedVault;

/// All columns, read together.
pub(crate) type AllColumns = Pair<
    Pair<ResolvedLinks, UnresolvedLinks>,
    Pair<Pair<AnchorLinks, Tags>, Pair<Tasks, Pair<PictureBases, Properties>>>,
>;

/// All facts that the index has of a vault.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    pub(super) files: Arc<Vec<VaultPath>>,
    pub(super) resolved: Arc<ResolvedLinks>,
    pub(super) unresolved: Arc<UnresolvedLinks>,
    pub(super) anchors: Arc<AnchorLinks>,
    pub(super) tags: Arc<Tags>,
    pub(super) tasks: Arc<Tasks>,
    pub(super) picture_bases: Arc<PictureBases>,
    pub(super) properties: Arc<Properties>,
    pub(super) warnings: Vec<Warning>,
}

impl Index {
    pub(crate) fn new(indexed: Indexed<AllColumns>) -> Self {
        let Pair(links, facts) = &*indexed.column;
        let (of_text, of_lines) = (&facts.0, &facts.1);
        Self {
            files: indexed.files,
            resolved: Arc::clone(&links.0),
            unresolved: Arc::clone(&links.1),
            anchors: Arc::clone(&of_text.0),
            tags: Arc::clone(&of_text.1),
            tasks: Arc::clone(&of_lines.0),
            picture_bases: Arc::clone(&of_lines.1.0),
            properties: Arc::clone(&of_lines.1.1),
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
