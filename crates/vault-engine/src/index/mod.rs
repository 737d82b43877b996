//! What all notes of a vault hold, read in parallel and remembered in a cache file.
//!
//! A command asks for the one [`column::Column`] it needs. Where the cache still agrees with the folder,
//! that column is all that is decoded; nothing in the cache is believed for a note whose size,
//! times or inode differ (`design.md` §6).

mod cache;
mod canvas;
mod column;
mod graph;
mod limited;
mod link_texts;
mod listing;
mod load;
mod progress;
mod reading;
mod record;
mod refresh;
mod snapshot;
mod tag_counts;
mod tags;
#[cfg(test)]
mod tests;

pub(crate) use cache::{Section, Sections};
pub(crate) use column::{Column, Links, Properties, Tasks};
pub(crate) use graph::{Resolved, Unresolved};
pub(crate) use limited::Limited;
pub(crate) use link_texts::LinkTexts;
pub(crate) use load::{Indexed, load};
pub use progress::Progress;
pub(crate) use reading::{MAX_NOTE_BYTES, record_of};
pub(crate) use record::{NoteRecord, TaskRecord};
pub(crate) use snapshot::{Held, Snapshot};
pub(crate) use tag_counts::{TagCount, tag_counts};
pub(crate) use tags::Tags;

use std::sync::Arc;

use crate::path::VaultPath;
use crate::warning::Warning;

/// Everything that the index knows of a vault.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    files: Arc<Vec<VaultPath>>,
    resolved: Arc<Resolved>,
    unresolved: Arc<Unresolved>,
    tags: Arc<Tags>,
    tasks: Arc<Tasks>,
    properties: Arc<Properties>,
    warnings: Vec<Warning>,
}

impl Index {
    pub(crate) fn of(indexed: Indexed<column::All>) -> Self {
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

    /// Every file of the vault, of any extension, in byte order.
    pub fn files(&self) -> &[VaultPath] {
        &self.files
    }

    /// The properties of every note that has some, as JSON texts of objects whose keys stand in
    /// the order of the note; in byte order of the paths.
    pub fn properties(&self) -> impl Iterator<Item = (&VaultPath, &str)> {
        self.properties
            .iter()
            .filter_map(|(id, properties)| Some((self.files.get(id)?, properties.0.as_str())))
    }

    /// What could not be read, or was left out.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
