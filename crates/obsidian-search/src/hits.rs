//! Collects the places where a note matches, in bounded memory.
//!
//! A query with many terms can hit one place many times, and a long note can be hit at every byte.
//! Hits beyond what an answer can show are counted and not stored.

use std::ops::Range;

/// The maximum number of hits of one note that are stored. No answer can show so many.
const MOST: usize = 1_000_000;

/// Hits in a text, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// The first hits, in order.
    pub places: Vec<Range<usize>>,
    /// The number of hits after them. A hit that several terms find may count more than once.
    pub left_out: usize,
}

/// Collects hits in any order.
#[derive(Debug)]
pub(super) struct HitCollector {
    hits: Hits,
    most: usize,
    /// The number of hits, with duplicates, at which the list is sorted and shortened. It is twice
    /// `most`, so that this does not happen at every hit.
    room: usize,
    named: usize,
}

impl HitCollector {
    pub(super) fn new() -> Self {
        Self::up_to(MOST)
    }

    fn up_to(most: usize) -> Self {
        Self {
            hits: Hits::default(),
            most,
            room: most.saturating_mul(2).max(1),
            named: 0,
        }
    }

    /// Returns the number of hits that were added so far.
    pub(super) fn named(&self) -> usize {
        self.named
    }

    pub(super) fn push(&mut self, place: Range<usize>) {
        if self.hits.places.len() >= self.room {
            self.tidy();
        }
        self.named += 1;
        self.hits.places.push(place);
    }

    pub(super) fn finish(mut self) -> Hits {
        self.tidy();
        self.hits
    }

    /// Sorts the hits, and removes duplicates and those beyond the limit.
    fn tidy(&mut self) {
        let places = &mut self.hits.places;
        places.sort_unstable_by_key(|place| (place.start, place.end));
        places.dedup();
        self.hits.left_out += places.len().saturating_sub(self.most);
        places.truncate(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_kept_once_and_in_order() {
        let mut collector = HitCollector::up_to(3);
        for start in [5, 1, 5, 1, 5, 3, 1, 9, 7] {
            collector.push(start..start + 1);
            assert!(collector.hits.places.len() <= 6);
        }
        assert_eq!(collector.named(), 9);
        let hits = collector.finish();
        assert_eq!(hits.places, [1..2, 3..4, 5..6]);
        assert_eq!(hits.left_out, 2);
    }
}
