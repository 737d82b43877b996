//! Several columns of the index at once: all that the cache file contains.

use std::marker::PhantomData;
use std::sync::Arc;

use obsidian_note::{AnchorUse, LinkUse, NoteRecord, PropertiesText, TaskRecord, VaultPath};

use super::cache::{CacheSection, CacheSections};
use super::column::{Column, PerNote, RecordField, Stored};
use super::graph::{self, ResolvedLinks, UnresolvedLinks};
use super::kept_record::{KeptRecord, StoredRecords};
use super::tags::Tags;

/// The records of `count` files decoded from the `needed` sections of the cache; `None` if one is
/// damaged.
pub(super) fn records(
    sections: &impl CacheSections,
    count: usize,
    needed: impl Fn(CacheSection) -> bool,
) -> Option<Vec<NoteRecord>> {
    let mut records = vec![NoteRecord::default(); count];
    put::<Vec<LinkUse>>(sections, &needed, &mut records)?;
    put::<Vec<AnchorUse>>(sections, &needed, &mut records)?;
    put::<Vec<TaskRecord>>(sections, &needed, &mut records)?;
    put::<Vec<String>>(sections, &needed, &mut records)?;
    put::<PropertiesText>(sections, &needed, &mut records)?;
    if needed(CacheSection::Tags) {
        for (id, tags) in Tags::read(&[], sections)?.iter() {
            records.get_mut(id)?.tags = tags.map(str::to_owned).collect();
        }
    }
    Some(records)
}

/// Puts the field of a section into the records, if it is `needed`; `None` if the section is damaged.
fn put<T: RecordField>(
    sections: &impl CacheSections,
    needed: &impl Fn(CacheSection) -> bool,
    records: &mut [NoteRecord],
) -> Option<()> {
    if needed(T::SECTION) {
        PerNote::<T>::read(&[], sections)?.put_into(records)?;
    }
    Some(())
}

/// The records of the notes, as far as column `C` is made of them.
pub(super) struct RecordsFor<C> {
    pub(super) records: Vec<NoteRecord>,
    column: PhantomData<fn() -> C>,
}

impl<C> RecordsFor<C> {
    const fn new(records: Vec<NoteRecord>) -> Self {
        Self {
            records,
            column: PhantomData,
        }
    }
}

impl<C: Column> Column for RecordsFor<C> {
    fn from_records(_files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        Self::new(records.iter().copied().cloned().collect())
    }

    fn from_owned_records(_files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        Self::new(records)
    }

    fn read(files: &[VaultPath], sections: &impl CacheSections) -> Option<Self> {
        records(sections, files.len(), C::needs).map(Self::new)
    }

    fn needs(section: CacheSection) -> bool {
        C::needs(section)
    }
}

/// All data that a long-running process keeps of a vault.
pub(super) struct WholeIndex {
    /// The records of the notes, in the order of the files.
    pub(super) records: Vec<KeptRecord>,
    /// The columns that need not be recomputed.
    pub(super) tags: Option<Arc<Tags>>,
    pub(super) graph: Option<(ResolvedLinks, UnresolvedLinks)>,
}

impl Column for WholeIndex {
    fn from_records(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        let sections = encoded(files, records).ok();
        // Encoded records take a fraction of the memory.
        sections
            .and_then(|sections| Self::read(files, &sections))
            .unwrap_or_else(|| Self {
                records: records
                    .iter()
                    .map(|&record| KeptRecord::Read(Box::new(record.clone())))
                    .collect(),
                tags: None,
                graph: None,
            })
    }

    fn read(files: &[VaultPath], sections: &impl CacheSections) -> Option<Self> {
        let records = Arc::new(StoredRecords::read(sections, files.len())?);
        let record = |number| KeptRecord::Stored {
            records: Arc::clone(&records),
            number,
        };
        Some(Self {
            records: (0..files.len()).map(record).collect(),
            tags: Some(Arc::clone(&records.tags)),
            graph: stored_graph(files, sections),
        })
    }

    fn needs(_section: CacheSection) -> bool {
        true
    }
}

fn stored_graph(
    files: &[VaultPath],
    sections: &impl CacheSections,
) -> Option<(ResolvedLinks, UnresolvedLinks)> {
    Some((
        ResolvedLinks::read(files, sections)?,
        UnresolvedLinks::read(files, sections)?,
    ))
}

/// Returns the bytes of every section but the listing.
pub(super) fn encoded(
    files: &[VaultPath],
    records: &[&NoteRecord],
) -> Result<Vec<(CacheSection, Vec<u8>)>, postcard::Error> {
    let (graph, fields) = rayon::join(
        || {
            let (resolved, unresolved) = graph::resolve_all(files, records);
            Ok([section(&resolved)?, section(&unresolved)?])
        },
        || {
            Ok([
                facts::<Vec<LinkUse>>(records)?,
                facts::<Vec<AnchorUse>>(records)?,
                section(&Tags::from_records(files, records))?,
                facts::<Vec<TaskRecord>>(records)?,
                facts::<Vec<String>>(records)?,
                facts::<PropertiesText>(records)?,
            ])
        },
    );
    Ok(graph?.into_iter().chain(fields?).collect())
}

/// Returns the section of a `PerNote`, encoded without copying the facts.
fn facts<T: RecordField>(
    records: &[&NoteRecord],
) -> Result<(CacheSection, Vec<u8>), postcard::Error> {
    let facts = (0_u32..)
        .zip(records)
        .filter_map(|(id, record)| Some((id, T::get(record)?)));
    let facts: Vec<(u32, &T)> = facts.collect();
    Ok((T::SECTION, postcard::to_stdvec(&facts)?))
}

fn section<T: Stored>(column: &T) -> Result<(CacheSection, Vec<u8>), postcard::Error> {
    Ok((T::SECTION, postcard::to_stdvec(column)?))
}
