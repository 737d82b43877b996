#![doc = include_str!("../README.md")]
//!
//! # Parts
//!
//! A [`SegmentBuilder`] builds the index of some notes, a [`Segment`]; [`merge()`] makes one of
//! several. [`rank()`] finds the notes that match a [`Query`] best, [`rank_like()`] those that are
//! like one note. [`snippet()`] shows why a passage was found.

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
    rank_like,
};
pub use script::joins;
pub use segment::{Arena, Segment, Tables};
pub use snippet::{Snippet, snippet};
pub use tuning::Tuning;
