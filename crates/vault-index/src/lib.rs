//! The index: the facts about all notes of a vault, read in parallel and cached in a file.
//!
//! A command asks for the one [`Column`] it needs. If the cache is still valid, only that column is decoded. The cache
//! entry of a note is invalid if its size, times or inode differ (`design/backends.md`).

use std::sync::{Mutex, MutexGuard, PoisonError};

mod all_columns;
pub mod anchors;
mod cache;
pub mod chosen_view;
mod column;
#[cfg(any(test, fuzzing, feature = "testing"))]
mod damaged_cache;
mod excluded;
mod first_reading;
pub mod followed;
mod graph;
mod indexed_vault;
mod kept_names;
mod kept_record;
mod limited;
mod link_texts;
pub mod listed_files;
mod listing;
mod load;
mod lookup;
mod one_note;
mod pair;
mod pieces;
mod planned;
mod ranking;
mod reading;
mod refresh;
pub mod searched_files;
mod snapshot;
mod survey;
mod tag_counts;
mod tags;
pub mod target;
pub mod task_line;
pub mod template;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod watch;
#[cfg(any(test, fuzzing, feature = "testing"))]
mod whole;

pub use chosen_view::ChosenView;
pub use excluded::ExcludedFiles;
pub use followed::Followed;
pub use indexed_vault::{IndexState, IndexedVault, NameRisks, RankedVault};
pub use listed_files::{ListedFiles, Seen};
pub use lookup::FileLookup;
pub use one_note::OneNote;
pub use searched_files::{SearchedFiles, TextSearch};
pub use survey::Survey;
pub use target::Target;
pub use task_line::TaskLine;
pub use template::{Template, Templates};
pub use watch::{FolderWatch, Watch};

pub use column::{AnchorLinks, Column, Links, PictureBases, Properties, Tasks};
#[cfg(any(test, fuzzing, feature = "testing"))]
pub use damaged_cache::DamagedCache;
pub(crate) use first_reading::FirstReading;
pub use graph::{BacklinkCounts, ResolvedLinks, UnresolvedLinks};
pub use kept_record::KeptRecord;
pub(crate) use limited::{LimitedSnapshot, closed_notes};
pub use link_texts::LinkTexts;
pub(crate) use load::{CachedIndex, IndexWork, index_work, read_column};
pub use pair::Pair;
pub(crate) use planned::PlannedIndex;
pub(crate) use ranking::ANSWER_AFTER;
pub use ranking::{RankedIndex, SeenNotes, note_parts, query_like};
pub use snapshot::{IndexSnapshot, Indexed, KeptColumn};
pub use tag_counts::{TagCount, tag_counts};

pub use tags::Tags;

/// Locks a mutex. Poisoning is harmless here: a change under a lock is one assignment or call, and a panic ends the whole
/// reading.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a value to a short list in place of the one that `is_same` names, and drops the oldest ones over `most`.
pub(crate) fn keep_latest<T>(list: &mut Vec<T>, is_same: impl Fn(&T) -> bool, most: usize, new: T) {
    list.retain(|kept| !is_same(kept));
    let surplus = (list.len() + 1).saturating_sub(most);
    list.drain(..surplus);
    list.push(new);
}
#[cfg(test)]
pub(crate) use whole::AllColumns;
#[cfg(any(test, fuzzing, feature = "testing"))]
pub use whole::Index;
