//! Two columns of the index as of one moment.

use std::sync::Arc;

use crate::index::{Column, Held, NoteRecord, Section, Sections, Snapshot};
use crate::path::VaultPath;

/// Both columns.
pub(super) struct Pair<First, Second>(pub(super) Arc<First>, pub(super) Arc<Second>);

impl<First: Column, Second: Column> Column for Pair<First, Second> {
    fn of(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        Self(
            Arc::new(First::of(files, records)),
            Arc::new(Second::of(files, records)),
        )
    }

    fn read(files: &[VaultPath], sections: &impl Sections) -> Option<Self> {
        Some(Self(
            Arc::new(First::read(files, sections)?),
            Arc::new(Second::read(files, sections)?),
        ))
    }

    fn needs(section: Section) -> bool {
        First::needs(section) || Second::needs(section)
    }
}

impl<First: Held, Second: Held> Held for Pair<First, Second> {
    fn held(snapshot: &Snapshot) -> Arc<Self> {
        Arc::new(Self(First::held(snapshot), Second::held(snapshot)))
    }
}
