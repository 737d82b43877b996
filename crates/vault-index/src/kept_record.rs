//! The record that a long-running process keeps of each note.
//!
//! As separate values, the records of a large vault would take several times the memory of the
//! cache file. So its sections are kept encoded, and a record is decoded when it is needed. Only
//! notes that changed since have decoded records.

use std::ops::Range;
use std::sync::Arc;

use obsidian_note::{NoteRecord, PropertiesText};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::cache::{CacheSection, CacheSections};
use super::tags::Tags;

/// The record of one note.
pub enum KeptRecord {
    /// The record is in the cached sections, at this number.
    Stored {
        /// The sections.
        records: Arc<StoredRecords>,
        /// The number of the note in them.
        number: usize,
    },
    /// The record of a note that was read since.
    Read(Box<NoteRecord>),
}

impl KeptRecord {
    /// The record with the facts from the `needed` sections of the cache only.
    pub(super) fn unpacked(&self, needed: impl Fn(CacheSection) -> bool) -> NoteRecord {
        let mut record = NoteRecord::default();
        if needed(CacheSection::Links) {
            record.links = self.facts(|stored| &stored.links, |read| &read.links);
        }
        if needed(CacheSection::Anchors) {
            record.anchors = self.facts(|stored| &stored.anchors, |read| &read.anchors);
        }
        if needed(CacheSection::Tags) {
            record.tags = self.tags().map(str::to_owned).collect();
        }
        if needed(CacheSection::Tasks) {
            record.tasks = self.facts(|stored| &stored.tasks, |read| &read.tasks);
        }
        if needed(CacheSection::PictureBases) {
            record.picture_bases =
                self.facts(|stored| &stored.picture_bases, |read| &read.picture_bases);
        }
        if needed(CacheSection::Properties) {
            let properties = self.properties().map(str::to_owned);
            record.properties = properties.map(PropertiesText);
        }
        record
    }

    /// Returns a list of facts, which is in one of the sections or in the record.
    fn facts<T: DeserializeOwned + Clone>(
        &self,
        stored: impl FnOnce(&StoredRecords) -> &StoredFacts,
        read: impl FnOnce(&NoteRecord) -> &Vec<T>,
    ) -> Vec<T> {
        match self {
            Self::Stored { records, number } => stored(records).fact(*number).unwrap_or_default(),
            Self::Read(record) => read(record).clone(),
        }
    }

    /// Returns every occurrence of a tag in the note, with its `#`.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        let (stored, read) = match self {
            Self::Stored { records, number } => (Some(records.tags.in_file(*number)), None),
            Self::Read(read) => (None, Some(read.tags.iter().map(String::as_str))),
        };
        stored
            .into_iter()
            .flatten()
            .chain(read.into_iter().flatten())
    }

    /// Returns the properties as the JSON text of an object; `None` if there are none.
    pub fn properties(&self) -> Option<&str> {
        match self {
            Self::Stored { records, number } => records.properties.fact(*number),
            Self::Read(read) => read.properties.as_ref().map(|text| text.0.as_str()),
        }
    }
}

/// The records of a cache file, still encoded except for the tags, which are small.
pub struct StoredRecords {
    links: StoredFacts,
    anchors: StoredFacts,
    /// The tags, which are a column of their own.
    pub(super) tags: Arc<Tags>,
    tasks: StoredFacts,
    picture_bases: StoredFacts,
    properties: StoredFacts,
}

impl StoredRecords {
    /// Returns the records of `count` files; `None` if the cache is damaged.
    pub(super) fn read(sections: &impl CacheSections, count: usize) -> Option<Self> {
        let owned = |section| Some(sections.section(section)?.into_owned());
        let links = owned(CacheSection::Links)?;
        let anchors = owned(CacheSection::Anchors)?;
        let tasks = owned(CacheSection::Tasks)?;
        let bases = owned(CacheSection::PictureBases)?;
        let properties = owned(CacheSection::Properties)?;
        let tags: Tags = postcard::from_bytes(&sections.section(CacheSection::Tags)?).ok()?;
        let (links, others) = rayon::join(
            || {
                StoredFacts::new(links, count, |links| {
                    skip_list(links, |link| skip::<(&str, u32)>(link))
                })
            },
            || {
                let anchors = StoredFacts::new(anchors, count, |anchors| {
                    skip_list(anchors, |anchor| skip::<(&str, &str, u32)>(anchor))
                })?;
                let tasks = StoredFacts::new(tasks, count, |tasks| {
                    skip_list(tasks, |task| skip::<(char, u32, &str)>(task))
                })?;
                let bases = StoredFacts::new(bases, count, |bases| {
                    skip_list(bases, |base| skip::<&str>(base))
                })?;
                let properties = StoredFacts::new(properties, count, |text| skip::<&str>(text))?;
                Some((anchors, tasks, bases, properties))
            },
        );
        let (anchors, tasks, picture_bases, properties) = others?;
        tags.fit(count).then_some(Self {
            links: links?,
            anchors,
            tags: Arc::new(tags),
            tasks,
            picture_bases,
            properties,
        })
    }
}

/// One section of the cache: pairs of a file number and that file's fact, in ascending order.
struct StoredFacts {
    section: Vec<u8>,
    /// The byte range of each file's fact, by file number; empty for a file without one.
    places: Vec<Range<u32>>,
}

impl StoredFacts {
    /// Reads the section; `None` if it is damaged.
    fn new(section: Vec<u8>, count: usize, skip: Skip) -> Option<Self> {
        let mut places = vec![0..0; count];
        let (facts, mut rest) = postcard::take_from_bytes::<usize>(&section).ok()?;
        let mut next = 0;
        for _ in 0..facts {
            let (id, fact) = postcard::take_from_bytes::<u32>(rest).ok()?;
            let id = usize::try_from(id).ok()?;
            if id < next {
                return None;
            }
            next = id + 1;
            rest = skip(fact)?;
            let at = |rest: &[u8]| u32::try_from(section.len() - rest.len()).ok();
            *places.get_mut(id)? = at(fact)?..at(rest)?;
        }
        rest.is_empty().then_some(Self { section, places })
    }

    /// Returns the fact of the file with this number.
    fn fact<'section, T: Deserialize<'section>>(&'section self, number: usize) -> Option<T> {
        let place = self.places.get(number)?;
        let place = usize::try_from(place.start).ok()?..usize::try_from(place.end).ok()?;
        // All facts were decoded once when their ranges were found, so only a missing fact has no
        // bytes.
        postcard::from_bytes(self.section.get(place)?).ok()
    }
}

/// Skips one encoded fact and returns the rest; `None` if the bytes are damaged.
type Skip = fn(&[u8]) -> Option<&[u8]>;

fn skip<'bytes, T: Deserialize<'bytes>>(bytes: &'bytes [u8]) -> Option<&'bytes [u8]> {
    let (_, rest) = postcard::take_from_bytes::<T>(bytes).ok()?;
    Some(rest)
}

fn skip_list(bytes: &[u8], skip_item: Skip) -> Option<&[u8]> {
    let (count, mut rest) = postcard::take_from_bytes::<usize>(bytes).ok()?;
    for _ in 0..count {
        rest = skip_item(rest)?;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use obsidian_note::{AnchorUse, LinkUse, TaskRecord, VaultPath};
    use proptest::prelude::*;

    use super::*;
    use crate::all_columns::encoded;

    fn notes() -> impl Strategy<Value = Vec<NoteRecord>> {
        let link = (".{0,6}", any::<u32>());
        let link = link.prop_map(|(linkpath, count)| LinkUse { linkpath, count });
        let anchor = (".{0,6}", "#.{0,6}", any::<u32>());
        let anchor = anchor.prop_map(|(linkpath, subpath, count)| AnchorUse {
            linkpath,
            subpath,
            count,
        });
        let task = (any::<char>(), any::<u32>(), ".{0,6}");
        let task = task.prop_map(|(status, line, text)| TaskRecord { status, line, text });
        let record = (
            prop::collection::vec(link, 0..4),
            prop::collection::vec(anchor, 0..3),
            prop::collection::vec("#[a-c]{1,3}", 0..4),
            prop::collection::vec(task, 0..3),
            prop::collection::vec(".{0,6}", 0..3),
            prop::option::of(r#"\{"[a-z]":1\}"#),
        );
        let record = record.prop_map(|(links, anchors, tags, tasks, picture_bases, properties)| {
            NoteRecord {
                links,
                anchors,
                tags,
                tasks,
                picture_bases,
                properties: properties.map(PropertiesText),
            }
        });
        prop::collection::vec(record, 0..6)
    }

    fn sections(records: &[NoteRecord]) -> Vec<(CacheSection, Vec<u8>)> {
        let files: Vec<VaultPath> = (0..records.len())
            .map(|number| VaultPath::file(&format!("{number}.md")).unwrap())
            .collect();
        encoded(&files, &records.iter().collect::<Vec<_>>()).unwrap()
    }

    proptest! {
        #[test]
        fn a_record_from_the_cache_is_as_it_was_read(records in notes()) {
            let stored = StoredRecords::read(&sections(&records), records.len()).unwrap();
            let stored = Arc::new(stored);
            for (number, record) in records.iter().enumerate() {
                let of_cache = KeptRecord::Stored { records: Arc::clone(&stored), number };
                let read = KeptRecord::Read(Box::new(record.clone()));
                for kept in [of_cache, read] {
                    prop_assert_eq!(&kept.unpacked(|_| true), record);
                    let only = kept.unpacked(|section| section == CacheSection::Tags);
                    let expected = NoteRecord { tags: record.tags.clone(), ..NoteRecord::default() };
                    prop_assert_eq!(only, expected);
                }
            }
        }

        #[test]
        fn a_section_that_is_cut_or_of_another_vault_is_no_cache(records in notes()) {
            let sections = sections(&records);
            let count = records.len();
            if records.last().is_some_and(|last| *last != NoteRecord::default()) {
                prop_assert!(StoredRecords::read(&sections, count - 1).is_none());
            }
            for place in 0..sections.len() {
                let mut cut = sections.clone();
                let (name, bytes) = cut.get_mut(place).unwrap();
                if matches!(name, CacheSection::Resolved | CacheSection::Unresolved) {
                    continue;
                }
                bytes.pop();
                prop_assert!(StoredRecords::read(&cut, count).is_none());
            }
        }
    }
}
