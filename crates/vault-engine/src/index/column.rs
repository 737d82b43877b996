//! One kind of fact about all notes, as commands ask for it and as the cache stores it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cache::{Section, Sections};
use super::graph::{Resolved, Unresolved};
use super::record::{LinkUse, NoteRecord, PropertiesText, TaskRecord};
use crate::path::VaultPath;

/// What a command needs of the index.
pub(crate) trait Column: Sized {
    /// Made from what was found in the files; the records stand in the order of the files.
    fn of(files: &[VaultPath], records: &[NoteRecord]) -> Self;

    /// Taken from the cache; none where that is damaged.
    fn read(sections: &impl Sections) -> Option<Self>;
}

/// A column with a section of the cache for itself.
pub(crate) trait Stored: Sized + Serialize + DeserializeOwned {
    const SECTION: Section;

    fn made_of(files: &[VaultPath], records: &[NoteRecord]) -> Self;
}

impl<T: Stored> Column for T {
    fn of(files: &[VaultPath], records: &[NoteRecord]) -> Self {
        T::made_of(files, records)
    }

    fn read(sections: &impl Sections) -> Option<Self> {
        postcard::from_bytes(&sections.section(T::SECTION)?).ok()
    }
}

/// A fact of those notes that have it, by the number of the file, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PerNote<T>(Vec<(u32, T)>);

/// Where every link leads, as written.
pub(crate) type Links = PerNote<Vec<LinkUse>>;
/// Every occurrence of a tag.
pub(crate) type Tags = PerNote<Vec<String>>;
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

    fn put(self, record: &mut NoteRecord);
}

macro_rules! list_field {
    ($item:ty, $section:ident, $field:ident) => {
        impl Field for Vec<$item> {
            const SECTION: Section = Section::$section;

            fn get(record: &NoteRecord) -> Option<&Self> {
                Some(&record.$field).filter(|list| !list.is_empty())
            }

            fn put(self, record: &mut NoteRecord) {
                record.$field = self;
            }
        }
    };
}

list_field!(LinkUse, Links, links);
list_field!(String, Tags, tags);
list_field!(TaskRecord, Tasks, tasks);

impl Field for PropertiesText {
    const SECTION: Section = Section::Properties;

    fn get(record: &NoteRecord) -> Option<&Self> {
        record.properties.as_ref()
    }

    fn put(self, record: &mut NoteRecord) {
        record.properties = Some(self);
    }
}

impl<T: Field> Stored for PerNote<T> {
    const SECTION: Section = T::SECTION;

    fn made_of(_files: &[VaultPath], records: &[NoteRecord]) -> Self {
        let facts = (0_u32..)
            .zip(records)
            .filter_map(|(id, record)| Some((id, T::get(record)?.clone())));
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

/// The records of `count` files as the cache has them; none where that is damaged.
pub(super) fn records(sections: &impl Sections, count: usize) -> Option<Vec<NoteRecord>> {
    let mut records = vec![NoteRecord::default(); count];
    Links::read(sections)?.put_into(&mut records)?;
    Tags::read(sections)?.put_into(&mut records)?;
    Tasks::read(sections)?.put_into(&mut records)?;
    Properties::read(sections)?.put_into(&mut records)?;
    Some(records)
}

/// Every column that commands use.
pub(crate) struct All {
    pub(super) resolved: Resolved,
    pub(super) unresolved: Unresolved,
    pub(super) tags: Tags,
    pub(super) tasks: Tasks,
    pub(super) properties: Properties,
}

impl Column for All {
    fn of(files: &[VaultPath], records: &[NoteRecord]) -> Self {
        let (resolved, unresolved) = super::graph::of(files, records);
        Self {
            resolved,
            unresolved,
            tags: Tags::of(files, records),
            tasks: Tasks::of(files, records),
            properties: Properties::of(files, records),
        }
    }

    fn read(sections: &impl Sections) -> Option<Self> {
        Some(Self {
            resolved: Resolved::read(sections)?,
            unresolved: Unresolved::read(sections)?,
            tags: Tags::read(sections)?,
            tasks: Tasks::read(sections)?,
            properties: Properties::read(sections)?,
        })
    }
}

/// The bytes of every section but the listing.
pub(super) fn encoded(
    files: &[VaultPath],
    records: &[NoteRecord],
) -> Result<Vec<(Section, Vec<u8>)>, postcard::Error> {
    let (graph, fields) = rayon::join(
        || {
            let (resolved, unresolved) = super::graph::of(files, records);
            Ok([section(&resolved)?, section(&unresolved)?])
        },
        || {
            Ok([
                section(&Links::of(files, records))?,
                section(&Tags::of(files, records))?,
                section(&Tasks::of(files, records))?,
                section(&Properties::of(files, records))?,
            ])
        },
    );
    Ok(graph?.into_iter().chain(fields?).collect())
}

fn section<T: Stored>(column: &T) -> Result<(Section, Vec<u8>), postcard::Error> {
    Ok((T::SECTION, postcard::to_stdvec(column)?))
}
