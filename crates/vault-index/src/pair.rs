//! Two columns of the index from one snapshot.

use std::sync::Arc;

use obsidian_note::{NoteRecord, VaultPath};

use super::cache::{CacheSection, CacheSections};
use super::column::Column;
use super::snapshot::{IndexSnapshot, KeptColumn};

/// A column made of two, so that both are of the same snapshot.
pub struct Pair<First, Second>(pub Arc<First>, pub Arc<Second>);

impl<First: Column, Second: Column> Column for Pair<First, Second> {
    fn from_records(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        Self(
            Arc::new(First::from_records(files, records)),
            Arc::new(Second::from_records(files, records)),
        )
    }

    fn read(files: &[VaultPath], sections: &impl CacheSections) -> Option<Self> {
        Some(Self(
            Arc::new(First::read(files, sections)?),
            Arc::new(Second::read(files, sections)?),
        ))
    }

    fn needs(section: CacheSection) -> bool {
        First::needs(section) || Second::needs(section)
    }
}

impl<First: KeptColumn, Second: KeptColumn> KeptColumn for Pair<First, Second> {
    fn get_or_build(snapshot: &IndexSnapshot) -> Arc<Self> {
        Arc::new(Self(
            First::get_or_build(snapshot),
            Second::get_or_build(snapshot),
        ))
    }
}
