//! Several columns of the index at once: all that the cache file holds, and all that commands use.

use std::sync::Arc;

use super::cache::{Section, Sections};
use super::column::{Column, Field, Links, Properties, Stored, Tasks};
use super::graph::{self, Resolved, Unresolved};
use super::record::{LinkUse, NoteRecord, PropertiesText, TaskRecord};
use super::snapshot::{Held, Snapshot};
use super::tags::Tags;
use crate::path::VaultPath;

/// The records of `count` files as the cache has them, as far as those sections tell that are
/// `needed`; none where one is damaged.
pub(super) fn records(
    sections: &impl Sections,
    count: usize,
    needed: impl Fn(Section) -> bool,
) -> Option<Vec<NoteRecord>> {
    let mut records = vec![NoteRecord::default(); count];
    if needed(Section::Links) {
        Links::read(&[], sections)?.put_into(&mut records)?;
    }
    if needed(Section::Tags) {
        for (id, tags) in Tags::read(&[], sections)?.iter() {
            records.get_mut(id)?.tags = tags.map(str::to_owned).collect();
        }
    }
    if needed(Section::Tasks) {
        Tasks::read(&[], sections)?.put_into(&mut records)?;
    }
    if needed(Section::Properties) {
        Properties::read(&[], sections)?.put_into(&mut records)?;
    }
    Some(records)
}

/// All that a process that stays keeps of a vault.
pub(super) struct Whole {
    /// What the notes hold, in the order of the files.
    pub(super) records: Vec<NoteRecord>,
    /// Which file links to which, where that need not be found out anew.
    pub(super) graph: Option<(Resolved, Unresolved)>,
}

impl Column for Whole {
    fn of(_files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        Self {
            records: records.iter().map(|&record| record.clone()).collect(),
            graph: None,
        }
    }

    fn of_owned(_files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        Self {
            records,
            graph: None,
        }
    }

    fn read(files: &[VaultPath], sections: &impl Sections) -> Option<Self> {
        Some(Self {
            records: records(sections, files.len(), Self::needs)?,
            graph: stored_graph(files, sections),
        })
    }

    fn needs(_section: Section) -> bool {
        true
    }

    fn made(files: &[VaultPath], records: Vec<NoteRecord>, stored: Option<&impl Sections>) -> Self {
        Self {
            records,
            graph: stored.and_then(|stored| stored_graph(files, stored)),
        }
    }
}

fn stored_graph(files: &[VaultPath], sections: &impl Sections) -> Option<(Resolved, Unresolved)> {
    Some((
        Resolved::read(files, sections)?,
        Unresolved::read(files, sections)?,
    ))
}

/// Every column that commands use.
pub(crate) struct AllColumns {
    pub(super) resolved: Arc<Resolved>,
    pub(super) unresolved: Arc<Unresolved>,
    pub(super) tags: Arc<Tags>,
    pub(super) tasks: Arc<Tasks>,
    pub(super) properties: Arc<Properties>,
}

impl Column for AllColumns {
    fn of(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        let (resolved, unresolved) = graph::of(files, records);
        Self {
            resolved: Arc::new(resolved),
            unresolved: Arc::new(unresolved),
            tags: Arc::new(Tags::of(files, records)),
            tasks: Arc::new(Tasks::of(files, records)),
            properties: Arc::new(Properties::of(files, records)),
        }
    }

    fn read(files: &[VaultPath], sections: &impl Sections) -> Option<Self> {
        Some(Self {
            resolved: Arc::new(Resolved::read(files, sections)?),
            unresolved: Arc::new(Unresolved::read(files, sections)?),
            tags: Arc::new(Tags::read(files, sections)?),
            tasks: Arc::new(Tasks::read(files, sections)?),
            properties: Arc::new(Properties::read(files, sections)?),
        })
    }

    fn needs(_section: Section) -> bool {
        true
    }
}

impl Held for AllColumns {
    fn held(snapshot: &Snapshot) -> Arc<Self> {
        Arc::new(Self {
            resolved: Held::held(snapshot),
            unresolved: Held::held(snapshot),
            tags: Held::held(snapshot),
            tasks: Held::held(snapshot),
            properties: Held::held(snapshot),
        })
    }
}

/// The bytes of every section but the listing.
pub(super) fn encoded(
    files: &[VaultPath],
    records: &[&NoteRecord],
) -> Result<Vec<(Section, Vec<u8>)>, postcard::Error> {
    let (graph, fields) = rayon::join(
        || {
            let (resolved, unresolved) = graph::of(files, records);
            Ok([section(&resolved)?, section(&unresolved)?])
        },
        || {
            Ok([
                facts::<Vec<LinkUse>>(records)?,
                section(&Tags::of(files, records))?,
                facts::<Vec<TaskRecord>>(records)?,
                facts::<PropertiesText>(records)?,
            ])
        },
    );
    Ok(graph?.into_iter().chain(fields?).collect())
}

/// The section of a [`PerNote`], without copies of the facts.
fn facts<T: Field>(records: &[&NoteRecord]) -> Result<(Section, Vec<u8>), postcard::Error> {
    let facts = (0_u32..)
        .zip(records)
        .filter_map(|(id, record)| Some((id, T::get(record)?)));
    let facts: Vec<(u32, &T)> = facts.collect();
    Ok((T::SECTION, postcard::to_stdvec(&facts)?))
}

fn section<T: Stored>(column: &T) -> Result<(Section, Vec<u8>), postcard::Error> {
    Ok((T::SECTION, postcard::to_stdvec(column)?))
}
