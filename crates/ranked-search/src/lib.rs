//! Ranked search in notes: text in, postings and scores out.
//!
//! A [`SegmentBuilder`] builds the index of some notes, a [`Segment`]; [`merge()`] makes one of
//! several. [`rank()`] finds the notes that match a [`Query`] best. Notes that the caller may not
//! see count in neither results nor scores. [`snippet()`] shows why a passage was found.
//!
//! The crate accesses no files: an index consists of bytes that its user keeps. Damaged bytes never
//! cause a panic.
//!
//! ```
//! use ranked_search::{NoteText, Query, Searched, Segment, SegmentBuilder, Tuning, rank};
//!
//! let mut builder = SegmentBuilder::default();
//! for (name, body) in [("Bread", "Flour, water and salt."), ("Tea", "Leaves in hot water.")] {
//!     builder.add(&NoteText { names: &[name], facets: &[], body }).unwrap();
//! }
//! let (tables, arena) = builder.finish().unwrap();
//! let segment = Segment::new(tables, Box::new(arena)).unwrap();
//! let searched = [Searched { segment: &segment, open: &[true, true] }];
//! let found = rank(&Query::new("leaf water"), &searched, &Tuning::default(), &|| false).unwrap();
//! let best = found.notes.iter().max_by(|left, right| left.score.total_cmp(&right.score)).unwrap();
//! assert_eq!(best.note, 1);
//! ```

mod builder;
mod cut;
mod found;
mod language;
mod merge;
mod near;
mod normal;
mod passages;
mod posting;
mod query;
mod rank;
mod scoring;
mod script;
mod segment;
mod snippet;
mod spelling;
mod stop_words;
mod terms;
#[cfg(test)]
mod tests;
mod text_map;
mod title;
mod tuning;
mod varint;
mod words;

pub use builder::{NoteText, SegmentBuilder};
pub use cut::boundary;
pub use merge::{MergedSegment, merge};
pub use near::{NearTerm, TermDistance, near_terms, word_of};
pub use passages::{Passage, passages};
pub use query::Query;
pub use rank::{
    Named, PASSAGES_OF_A_NOTE, RankError, RankedNote, RankedPassage, Ranking, Searched, rank,
};
pub use script::joins;
pub use segment::{Arena, Segment, Tables};
pub use snippet::{Snippet, snippet};
pub use tuning::Tuning;
