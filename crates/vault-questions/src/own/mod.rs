//! The gateway's own commands, which the app does not have. Each has one file: its row of the
//! table, the types of its answer, their text, and the function that answers.
//!
//! Files that the caller may not see are left out before anything is counted, so that no list or count reveals them.
//! Lists leave out files that the user has excluded ([`vault_index::listed_files`]).
//!
//! `cargo xtask generate` writes the list of modules and `COMMANDS`, from the files of this folder.

mod audit;
mod broken;
mod canvas;
mod chunks;
mod command;
mod compare;
mod condition;
mod describe;
mod doubtful;
mod facets;
mod filter;
mod find;
mod get;
mod graph;
mod image;
mod javascript;
mod large;
mod likeness;
mod link;
mod links_list;
mod list;
mod neighbors;
mod note;
mod notes_context;
mod notes_read;
mod notes_search;
mod numbers;
mod outline;
mod period;
mod prelude;
mod project;
mod ranked;
mod refresh;
mod related;
mod route;
mod sections;
mod stats;
mod structure;
mod timestamp;
mod tree;
mod unlinked;

use command::OwnCommand;

pub use audit::{AuditReport, BrokenLinkCount, Finding, FindingCount, FindingPage, Severity};
pub use facets::NoteFacets;
pub use find::FoundNotes;
pub use get::{NoteParts, NoteSectionText};
pub use image::ReadImage;
pub use links_list::{LinkKind, ListedLink};
pub use list::ListedNote;
pub use neighbors::Neighborhood;
pub(crate) use notes_read::level;
pub use notes_read::{NoteRequest, ReadError, ReadNotes};
pub use notes_search::NoteHit;
pub use outline::NoteOutline;
pub(crate) use period::named_day;
pub use ranked::near_words;
pub use refresh::IndexReport;
pub use sections::NoteSections;
pub use stats::VaultStats;
pub use tree::{NoteTree, TreeNode};

/// The commands, by the names of their files.
pub(super) static COMMANDS: &[&OwnCommand] = &[
    &audit::COMMAND,
    &broken::COMMAND,
    &canvas::COMMAND,
    &chunks::COMMAND,
    &compare::COMMAND,
    &describe::COMMAND,
    &facets::COMMAND,
    &find::COMMAND,
    &get::COMMAND,
    &image::COMMAND,
    &large::COMMAND,
    &link::COMMAND,
    &links_list::COMMAND,
    &list::COMMAND,
    &neighbors::COMMAND,
    &notes_context::COMMAND,
    &notes_read::COMMAND,
    &notes_search::COMMAND,
    &outline::COMMAND,
    &refresh::COMMAND,
    &related::COMMAND,
    &route::COMMAND,
    &sections::COMMAND,
    &stats::COMMAND,
    &tree::COMMAND,
    &unlinked::COMMAND,
];

#[cfg(test)]
mod testing;
