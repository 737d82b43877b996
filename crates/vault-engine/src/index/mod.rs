//! The index: the facts about all notes of a vault, read in parallel and cached in a file.
//!
//! A command asks for the one [`Column`] it needs. If the cache is still valid, only that column is decoded. The cache
//! entry of a note is invalid if its size, times or inode differ (`design/backends.md`).

mod all_columns;
mod cache;
mod column;
#[cfg(any(test, fuzzing, feature = "testing"))]
mod damaged_cache;
mod first_reading;
mod graph;
mod kept_names;
mod kept_record;
mod limited;
mod link_texts;
mod listing;
mod load;
mod pair;
mod pieces;
mod planned;
mod ranking;
mod reading;
mod refresh;
mod snapshot;
mod tag_counts;
mod tags;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(any(test, fuzzing, feature = "testing"))]
mod whole;

pub(crate) use column::{Column, Links, Properties, Tasks};
#[cfg(any(test, fuzzing, feature = "testing"))]
pub use damaged_cache::DamagedCache;
pub(crate) use first_reading::FirstReading;
pub(crate) use graph::{BacklinkCounts, ResolvedLinks, UnresolvedLinks};
pub(crate) use kept_record::KeptRecord;
pub(crate) use limited::{LimitedSnapshot, closed_notes};
pub(crate) use link_texts::LinkTexts;
pub(crate) use load::{CachedIndex, IndexWork, index_work, read_column};
pub(crate) use pair::Pair;
pub(crate) use planned::PlannedIndex;
pub(crate) use ranking::{ANSWER_AFTER, RankedIndex, note_parts};
pub(crate) use snapshot::{IndexSnapshot, Indexed, KeptColumn};
pub(crate) use tag_counts::{TagCount, tag_counts};
pub(crate) use tags::Tags;
#[cfg(test)]
pub(crate) use whole::AllColumns;
#[cfg(any(test, fuzzing, feature = "testing"))]
pub use whole::Index;
