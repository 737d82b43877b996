//! Every occurrence of a tag, each spelling stored once.

use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};
use obsidian_note::{NoteRecord, VaultPath};
use serde::{Deserialize, Serialize};
use vault_files::{Collation, EngineError};

use super::cache::CacheSection;
use super::column::Stored;
use super::graph::place as index;
use super::tag_counts::{TagCount, tag_counts};

/// The tags of all notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tags {
    /// Every spelling with its `#`, in the order of first use.
    spellings: Vec<String>,
    /// Positions in `spellings`, for the notes that have tags, by file number, in order.
    notes: Vec<(u32, Vec<u32>)>,
    #[serde(skip)]
    by_name: CountsByName,
}

/// The counts of all tags in the order of their names, computed on first use from the other fields.
#[derive(Clone, Debug, Default)]
struct CountsByName(OnceLock<Vec<TagCount>>);

impl PartialEq for CountsByName {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for CountsByName {}

impl Tags {
    /// Returns the counts of the tags of all notes ([`tag_counts`]), in the order in which the app lists them. Sorted
    /// once: sort keys take most of the time of a long list.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn counts_by_name(&self) -> Result<&[TagCount], EngineError> {
        if let Some(kept) = self.by_name.0.get() {
            return Ok(kept);
        }
        let mut counts = tag_counts(self, |_| true);
        Collation::new()?.sort_by(&mut counts, |count| &count.tag);
        Ok(self.by_name.0.get_or_init(|| counts))
    }

    /// File numbers, each with every occurrence of a tag in the file.
    pub fn iter(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = &str>)> {
        self.notes().map(|(id, places)| {
            let tags = places.iter().filter_map(|place| self.spelling(*place));
            (id, tags)
        })
    }

    /// Every spelling with how often it is used in the files that `counts` lets through.
    pub(super) fn occurrences(
        &self,
        counts: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = (&str, usize)> {
        let mut uses = vec![0_usize; self.spellings.len()];
        for (_, places) in self.notes().filter(|(id, _)| counts(*id)) {
            for place in places {
                if let Some(uses) = uses.get_mut(index(*place)) {
                    *uses += 1;
                }
            }
        }
        let tags = self
            .spellings
            .iter()
            .zip(uses)
            .filter(|(_, uses)| *uses > 0);
        tags.map(|(tag, uses)| (tag.as_str(), uses))
    }

    /// Returns the numbers of the files that have a tag for which `wanted` is true.
    pub fn files_with(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = usize> {
        let wanted: Vec<bool> = self.spellings.iter().map(|tag| wanted(tag)).collect();
        self.notes()
            .filter(move |(_, places)| {
                let is_wanted = |place: &u32| wanted.get(index(*place)) == Some(&true);
                places.iter().any(is_wanted)
            })
            .map(|(id, _)| id)
    }

    /// Returns every occurrence of a tag in the file with this number.
    pub fn in_file(&self, number: usize) -> impl Iterator<Item = &str> {
        let found = self
            .notes
            .binary_search_by_key(&number, |(id, _)| index(*id));
        let note = found.ok().and_then(|place| self.notes.get(place));
        let places = note.map_or(&[][..], |(_, places)| places.as_slice());
        places.iter().filter_map(|place| self.spelling(*place))
    }

    /// Whether these can be the tags of this many files.
    pub(super) fn fit(&self, files: usize) -> bool {
        let is_known = |place: &u32| index(*place) < self.spellings.len();
        self.notes
            .is_sorted_by(|(left, _), (right, _)| left < right)
            && self.notes.last().is_none_or(|(id, _)| index(*id) < files)
            && self.notes().all(|(_, places)| places.iter().all(is_known))
    }

    fn notes(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let notes = self.notes.iter();
        notes.map(|(id, places)| (index(*id), places.as_slice()))
    }

    fn spelling(&self, place: u32) -> Option<&str> {
        self.spellings.get(index(place)).map(String::as_str)
    }
}

impl Stored for Tags {
    const SECTION: CacheSection = CacheSection::Tags;

    fn build_from(_files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        let mut places: HashMap<&str, u32> = HashMap::new();
        let mut tags = Self::default();
        for (id, record) in (0_u32..).zip(records) {
            if record.tags.is_empty() {
                continue;
            }
            let mut place = |tag| {
                let next = u32::try_from(places.len()).unwrap_or(u32::MAX);
                *places.entry(tag).or_insert_with(|| {
                    tags.spellings.push(tag.to_owned());
                    next
                })
            };
            let occurrences = record.tags.iter().map(|tag| place(tag)).collect();
            tags.notes.push((id, occurrences));
        }
        tags
    }
}
