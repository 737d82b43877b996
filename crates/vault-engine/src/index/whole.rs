//! The whole index, for callers outside of this crate.

use std::sync::Arc;

use super::all_columns::AllColumns;
use super::column::{Properties, Tasks};
use super::graph::{ResolvedLinks, UnresolvedLinks};
use super::snapshot::Indexed;
use super::tags::Tags;
use crate::path::VaultPath;
use crate::warning::Warning;

/// All facts that the index has of a vault.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    pub(super) files: Arc<Vec<VaultPath>>,
    pub(super) resolved: Arc<ResolvedLinks>,
    pub(super) unresolved: Arc<UnresolvedLinks>,
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
