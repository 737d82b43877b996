//! One kind of fact about all notes, as commands ask for it and as the cache stores it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cache::{CacheSection, CacheSections};
use super::record::{LinkUse, NoteRecord, PropertiesText, TaskRecord};
use crate::path::VaultPath;

/// What a command needs of the index.
pub(crate) trait Column: Sized {
    /// Made from what was found in the files; the records stand in the order of the files.
    fn from_records(files: &[VaultPath], records: &[&NoteRecord]) -> Self;

    /// The same from records that nobody needs any more.
    fn from_owned_records(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        Self::from_records(files, &records.iter().collect::<Vec<_>>())
    }

    /// Taken from the cache; none where that is damaged.
    fn read(files: &[VaultPath], sections: &impl CacheSections) -> Option<Self>;

    /// Made from records that were just found and from what was made of them for the cache,
    /// whichever costs less; `stored` is none where there is no cache.
    fn made(
        files: &[VaultPath],
        records: Vec<NoteRecord>,
        stored: Option<&impl CacheSections>,
    ) -> Self {
        let Some(column) = stored.and_then(|stored| Self::read(files, stored)) else {
            return Self::from_owned_records(files, records);
        };
        // Nobody need wait for a hundred thousand texts to be freed.
        rayon::spawn(move || drop(records));
        column
    }

    /// Whether it is made of what this section tells of notes.
    fn needs(section: CacheSection) -> bool;
}

/// A column with a section of the cache for itself.
pub(crate) trait Stored: Sized + Serialize + DeserializeOwned {
    const SECTION: CacheSection;

    /// The section that tells what of a note it is made of.
    const SOURCE: CacheSection = Self::SECTION;

    fn made_of(files: &[VaultPath], records: &[&NoteRecord]) -> Self;

    fn made_of_owned(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        Self::made_of(files, &records.iter().collect::<Vec<_>>())
    }
}

impl<T: Stored> Column for T {
    fn from_records(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        T::made_of(files, records)
    }

    fn from_owned_records(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        T::made_of_owned(files, records)
    }

    fn read(_files: &[VaultPath], sections: &impl CacheSections) -> Option<Self> {
        postcard::from_bytes(&sections.section(T::SECTION)?).ok()
    }

    fn needs(section: CacheSection) -> bool {
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
pub(crate) trait RecordField: Clone + Serialize + DeserializeOwned {
    const SECTION: CacheSection;

    /// The fact; none where the note does not have it.
    fn get(record: &NoteRecord) -> Option<&Self>;

    fn take(record: NoteRecord) -> Option<Self>;

    fn put(self, record: &mut NoteRecord);
}

macro_rules! list_field {
    ($item:ty, $section:ident, $field:ident) => {
        impl RecordField for Vec<$item> {
            const SECTION: CacheSection = CacheSection::$section;

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

impl RecordField for PropertiesText {
    const SECTION: CacheSection = CacheSection::Properties;

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

impl<T: RecordField> Stored for PerNote<T> {
    const SECTION: CacheSection = T::SECTION;

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

impl<T: RecordField> PerNote<T> {
    pub(super) fn put_into(self, records: &mut [NoteRecord]) -> Option<()> {
        for (id, fact) in self.0 {
            fact.put(records.get_mut(usize::try_from(id).ok()?)?);
        }
        Some(())
    }
}
