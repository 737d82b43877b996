//! Postings: the units of a segment in which a term occurs, and how often.

use crate::varint;

/// One unit that contains a term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) unit: u32,
    /// The number of occurrences in the text of the unit; for the head of a note, in the names of the note.
    pub(crate) text: u8,
    /// The number of occurrences in the headings above the unit; for the head of a note, in the tags and properties of
    /// the note.
    pub(crate) above: u8,
}

/// The greatest count. Greater ones are stored as this one: two counts share a byte.
pub(crate) const MAX_COUNT: u8 = 15;

// A posting is a number: the distance from the unit before, and two bits for how often the term
// occurs. They are once in the text, twice in the text, or that a further byte has both counts.
const ONCE: u64 = 0;
const TWICE: u64 = 1;
const COUNTED: u64 = 2;

/// Appends a posting. `last` is the unit of the posting before, 0 for the first.
pub(crate) fn put(bytes: &mut Vec<u8>, posting: Posting, last: u32) {
    let distance = u64::from(posting.unit.wrapping_sub(last)) << 2;
    match (posting.text, posting.above) {
        (1, 0) => varint::put(bytes, distance | ONCE),
        (2, 0) => varint::put(bytes, distance | TWICE),
        (text, above) => {
            varint::put(bytes, distance | COUNTED);
            bytes.push(text.min(MAX_COUNT) | above.min(MAX_COUNT) << 4);
        }
    }
}

/// Reads postings from bytes. If they are damaged, the last item is `None`.
pub(crate) struct Postings<'bytes> {
    bytes: &'bytes [u8],
    last: u32,
}

impl<'bytes> Postings<'bytes> {
    pub(crate) fn new(bytes: &'bytes [u8]) -> Self {
        Self { bytes, last: 0 }
    }

    fn take(&mut self) -> Option<Posting> {
        let number = varint::take(&mut self.bytes)?;
        let (text, above) = match number & 3 {
            ONCE => (1, 0),
            TWICE => (2, 0),
            COUNTED => {
                let (&counts, rest) = self.bytes.split_first()?;
                self.bytes = rest;
                (counts & MAX_COUNT, counts >> 4)
            }
            _ => return None,
        };
        self.last = self.last.checked_add(u32::try_from(number >> 2).ok()?)?;
        Some(Posting {
            unit: self.last,
            text,
            above,
        })
    }
}

impl Iterator for Postings<'_> {
    type Item = Option<Posting>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let posting = self.take();
        if posting.is_none() {
            self.bytes = &[];
        }
        Some(posting)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn postings_are_read_as_they_were_put(
            counts in prop::collection::btree_map(any::<u32>(), (0..=MAX_COUNT, 0..=MAX_COUNT), 0..50),
        ) {
            let mut bytes = Vec::new();
            let mut last = 0;
            let postings: Vec<Posting> = counts
                .into_iter()
                .map(|(unit, (text, above))| Posting { unit, text, above })
                .collect();
            for posting in &postings {
                put(&mut bytes, *posting, last);
                last = posting.unit;
            }
            let read: Option<Vec<Posting>> = Postings::new(&bytes).collect();
            prop_assert_eq!(read, Some(postings));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            Postings::new(&bytes).count();
        }
    }
}
