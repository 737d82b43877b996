//! One kind of fact about all notes, as commands ask for it and as the cache stores it.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cache::{Section, Sections};
use super::graph::{Resolved, Unresolved};
use super::record::{LinkUse, NoteRecord, PropertiesText, TaskRecord};
use super::snapshot::{Held, Snapshot};
use super::tags::Tags;
use crate::path::VaultPath;

/// What a command needs of the index.
pub(crate) trait Column: Sized {
    /// Made from what was found in the files; the records stand in the order of the files.
    fn of(files: &[VaultPath], records: &[&NoteRecord]) -> Self;

    /// The same from records that nobody needs any more.
    fn of_owned(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        Self::of(files, &records.iter().collect::<Vec<_>>())
    }

    /// Taken from the cache; none where that is damaged.
    fn read(files: &[VaultPath], sections: &impl Sections) -> Option<Self>;

    /// Made from records that were just found and from what was made of them for the cache,
    /// whichever costs less; `stored` is none where there is no cache.
    fn made(files: &[VaultPath], records: Vec<NoteRecord>, stored: Option<&impl Sections>) -> Self {
        let Some(column) = stored.and_then(|stored| Self::read(files, stored)) else {
            return Self::of_owned(files, records);
        };
        // Nobody need wait for a hundred thousand texts to be freed.
        rayon::spawn(move || drop(records));
        column
    }

    /// Whether it is made of what this section tells of notes.
    fn needs(section: Section) -> bool;
}

/// A column with a section of the cache for itself.
pub(crate) trait Stored: Sized + Serialize + DeserializeOwned {
    const SECTION: Section;

    /// The section that tells what of a note it is made of.
    const SOURCE: Section = Self::SECTION;

    fn made_of(files: &[VaultPath], records: &[&NoteRecord]) -> Self;

    fn made_of_owned(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        Self::made_of(files, &records.iter().collect::<Vec<_>>())
    }
}

impl<T: Stored> Column for T {
    fn of(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        T::made_of(files, records)
    }

    fn of_owned(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        T::made_of_owned(files, records)
    }

    fn read(_files: &[VaultPath], sections: &impl Sections) -> Option<Self> {
        postcard::from_bytes(&sections.section(T::SECTION)?).ok()
    }

    fn needs(section: Section) -> bool {
        section == T::SOURCE
    }
}

/// A fact of those notes that have it, by the number of the file, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PerNote<T>(Vec<(u32, T)>);

/// Where every link leads, as written.
pub(crate) type Links = PerNote<Vec<LinkUse>>;
/// Every task.
pub(crate) type Tasks = PerNote<Vec<TaskRecord>>;
/// Properties as JSON.
pub(crate) type Properties = PerNote<PropertiesText>;

impl<T> PerNote<T> {
    /// Numbers of files with what they have.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.0
            .iter()
            .filter_map(|(id, fact)| Some((usize::try_from(*id).ok()?, fact)))
    }
}

/// A fact that a record holds.
pub(crate) trait Field: Clone + Serialize + DeserializeOwned {
    const SECTION: Section;

    /// The fact; none where the note does not have it.
    fn get(record: &NoteRecord) -> Option<&Self>;

    fn take(record: NoteRecord) -> Option<Self>;

    fn put(self, record: &mut NoteRecord);
}

macro_rules! list_field {
    ($item:ty, $section:ident, $field:ident) => {
        impl Field for Vec<$item> {
            const SECTION: Section = Section::$section;

            fn get(record: &NoteRecord) -> Option<&Self> {
                Some(&record.$field).filter(|list| !list.is_empty())
            }

            fn take(record: NoteRecord) -> Option<Self> {
                Some(record.$field).filter(|list| !list.is_empty())
            }

            fn put(self, record: &mut NoteRecord) {
                record.$field = self;
            }
        }
    };
}

list_field!(LinkUse, Links, links);
list_field!(TaskRecord, Tasks, tasks);

impl Field for PropertiesText {
    const SECTION: Section = Section::Properties;

    fn get(record: &NoteRecord) -> Option<&Self> {
        record.properties.as_ref()
    }

    fn take(record: NoteRecord) -> Option<Self> {
        record.properties
    }

    fn put(self, record: &mut NoteRecord) {
        record.properties = Some(self);
    }
}

impl<T: Field> Stored for PerNote<T> {
    const SECTION: Section = T::SECTION;

    fn made_of(_files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        let facts = (0_u32..)
            .zip(records)
            .filter_map(|(id, record)| Some((id, T::get(record)?.clone())));
        Self(facts.collect())
    }

    fn made_of_owned(_files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        let facts = (0_u32..)
            .zip(records)
            .filter_map(|(id, record)| Some((id, T::take(record)?)));
        Self(facts.collect())
    }
}

impl<T: Field> PerNote<T> {
    fn put_into(self, records: &mut [NoteRecord]) -> Option<()> {
        for (id, fact) in self.0 {
            fact.put(records.get_mut(usize::try_from(id).ok()?)?);
        }
        Some(())
    }
}

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
            graph: graph(files, sections),
        })
    }

    fn needs(_section: Section) -> bool {
        true
    }

    fn made(files: &[VaultPath], records: Vec<NoteRecord>, stored: Option<&impl Sections>) -> Self {
        Self {
            records,
            graph: stored.and_then(|stored| graph(files, stored)),
        }
    }
}

fn graph(files: &[VaultPath], sections: &impl Sections) -> Option<(Resolved, Unresolved)> {
    Some((
        Resolved::read(files, sections)?,
        Unresolved::read(files, sections)?,
    ))
}

/// Every column that commands use.
pub(crate) struct All {
    pub(super) resolved: Arc<Resolved>,
    pub(super) unresolved: Arc<Unresolved>,
    pub(super) tags: Arc<Tags>,
    pub(super) tasks: Arc<Tasks>,
    pub(super) properties: Arc<Properties>,
}

impl Column for All {
    fn of(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        let (resolved, unresolved) = super::graph::of(files, records);
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

impl Held for All {
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
            let (resolved, unresolved) = super::graph::of(files, records);
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
