//! A column: one kind of fact about all notes, as commands use it and as the cache stores it.

use obsidian_note::{AnchorUse, LinkUse, NoteRecord, PropertiesText, TaskRecord, VaultPath};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cache::{CacheSection, CacheSections};

/// A column of the index, in the form that a command needs.
pub trait Column: Sized {
    /// Builds the column; `records` are in the order of `files`.
    fn from_records(files: &[VaultPath], records: &[&NoteRecord]) -> Self;

    /// Returns the same from owned records, which saves copies.
    fn from_owned_records(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        Self::from_records(files, &records.iter().collect::<Vec<_>>())
    }

    /// Decodes the column from the cache; `None` if it is damaged.
    fn read(files: &[VaultPath], sections: &impl CacheSections) -> Option<Self>;

    /// Whether the column depends on this section.
    fn needs(section: CacheSection) -> bool;
}

/// A column that has its own section in the cache.
pub(crate) trait Stored: Sized + Serialize + DeserializeOwned {
    const SECTION: CacheSection;

    /// The section from which the column is computed.
    const SOURCE: CacheSection = Self::SECTION;

    fn build_from(files: &[VaultPath], records: &[&NoteRecord]) -> Self;

    fn build_from_owned(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        Self::build_from(files, &records.iter().collect::<Vec<_>>())
    }
}

impl<T: Stored> Column for T {
    fn from_records(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        T::build_from(files, records)
    }

    fn from_owned_records(files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
        T::build_from_owned(files, records)
    }

    fn read(_files: &[VaultPath], sections: &impl CacheSections) -> Option<Self> {
        postcard::from_bytes(&sections.section(T::SECTION)?).ok()
    }

    fn needs(section: CacheSection) -> bool {
        section == T::SOURCE
    }
}

/// One fact for each note that has it, by file number, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerNote<T>(Vec<(u32, T)>);

/// The links of all notes, as written.
pub type Links = PerNote<Vec<LinkUse>>;
/// The links of all notes to headings and blocks, as written.
pub type AnchorLinks = PerNote<Vec<AnchorUse>>;
/// The tasks of all notes.
pub type Tasks = PerNote<Vec<TaskRecord>>;
/// The bases in code blocks of all notes that may show pictures.
pub type PictureBases = PerNote<Vec<String>>;
/// The properties of all notes, each note's as JSON.
pub type Properties = PerNote<PropertiesText>;

impl<T> PerNote<T> {
    /// Returns all facts, each with the number of its file.
    pub fn as_slice(&self) -> &[(u32, T)] {
        &self.0
    }

    /// Returns a fact by its index among all facts.
    pub fn get(&self, place: usize) -> Option<&T> {
        self.0.get(place).map(|(_, fact)| fact)
    }

    /// Returns the fact of the file with this number.
    pub fn of_file(&self, id: usize) -> Option<&T> {
        let id = u32::try_from(id).ok()?;
        let place = self.0.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.get(place)
    }

    /// File numbers with their facts.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.0
            .iter()
            .filter_map(|(id, fact)| Some((usize::try_from(*id).ok()?, fact)))
    }
}

/// A field of a record that has a column.
pub trait RecordField: Clone + Serialize + DeserializeOwned {
    const SECTION: CacheSection;

    /// Returns the fact; `None` if the note does not have it.
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
list_field!(AnchorUse, Anchors, anchors);
list_field!(TaskRecord, Tasks, tasks);
list_field!(String, PictureBases, picture_bases);

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

    fn build_from(_files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        let facts = (0_u32..)
            .zip(records)
            .filter_map(|(id, record)| Some((id, T::get(record)?.clone())));
        Self(facts.collect())
    }

    fn build_from_owned(_files: &[VaultPath], records: Vec<NoteRecord>) -> Self {
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
