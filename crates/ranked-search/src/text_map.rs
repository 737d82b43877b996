//! A map from texts to numbers.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::cut::first_bytes;

/// Texts, each with a value. An entry has the first bytes of its text, so that finding a word
/// mostly reads one place in memory.
#[derive(Default)]
pub(crate) struct TextMap {
    entries: HashTable<TextEntry>,
    /// The texts that are longer than [`SHORT`], concatenated.
    long: Vec<u8>,
    hashing: RandomState,
}

/// The maximum number of bytes of a text that are in its entry.
const SHORT: usize = 16;

struct TextEntry {
    beginning: [u8; SHORT],
    /// The length of the text in bytes.
    length: u32,
    /// The place of a long text in the bytes of all.
    start: u32,
    value: u32,
}

impl TextMap {
    /// The value of a text, which `make` makes for a new one. `None` if `make` returns `None`, or if
    /// there are too many texts.
    pub(crate) fn get_or_insert(
        &mut self,
        text: &str,
        make: impl FnOnce() -> Option<u32>,
    ) -> Option<u32> {
        let Self {
            entries,
            long,
            hashing,
        } = self;
        let text = text.as_bytes();
        let beginning = first_bytes(text);
        let length = u32::try_from(text.len()).ok()?;
        let is_same = |entry: &TextEntry| {
            entry.beginning == beginning
                && entry.length == length
                && (text.len() <= SHORT || entry.text(long) == text)
        };
        let rehash = |entry: &TextEntry| hash(hashing, entry.text(long));
        match entries.entry(hash(hashing, text), is_same, rehash) {
            Entry::Occupied(known) => Some(known.get().value),
            Entry::Vacant(place) => {
                let value = make()?;
                let start = u32::try_from(long.len()).ok()?;
                place.insert(TextEntry {
                    beginning,
                    length,
                    start,
                    value,
                });
                if text.len() > SHORT {
                    long.extend(text);
                }
                Some(value)
            }
        }
    }

    /// Removes all texts, and keeps the memory for others.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.long.clear();
    }

    /// The texts and their values, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        self.entries
            .iter()
            .map(|entry| (entry.text(&self.long), entry.value))
    }

    /// The number of texts.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

impl TextEntry {
    fn text<'text>(&'text self, long: &'text [u8]) -> &'text [u8] {
        let length = usize::try_from(self.length).unwrap_or_default();
        self.beginning.get(..length).unwrap_or_else(|| {
            let start = usize::try_from(self.start).unwrap_or_default();
            long.get(start..start + length).unwrap_or_default()
        })
    }
}

fn hash(hashing: &RandomState, text: &[u8]) -> u64 {
    let mut hasher = hashing.build_hasher();
    hasher.write(text);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equal_texts_have_one_value(texts in prop::collection::vec("[ab\u{0}é]{0,40}", 0..40)) {
            let mut map = TextMap::default();
            let mut expected = BTreeMap::new();
            for text in &texts {
                let next = u32::try_from(expected.len()).unwrap();
                let value = *expected.entry(text.as_bytes()).or_insert(next);
                prop_assert_eq!(map.get_or_insert(text, || Some(next)), Some(value));
            }
            prop_assert_eq!(map.iter().collect::<BTreeMap<_, _>>(), expected.clone());
            prop_assert_eq!(map.len(), expected.len());
        }
    }
}
