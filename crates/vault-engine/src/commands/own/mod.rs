//! The gateway's own commands, which the app does not have. Each has one file: its row of the
//! table, the types of its answer, their text, and the function that answers.
//!
//! What the caller may not see is left out before anything is counted, so that no list or count
//! reveals it. Lists leave out what the user has excluded ([`crate::listed_files`]).

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
mod markdown;
mod neighbors;
mod note;
mod notes_context;
mod notes_read;
mod notes_search;
mod numbers;
mod outline;
mod pair;
mod period;
mod project;
mod ranked;
mod refresh;
mod related;
mod route;
mod sections;
mod slug;
mod stats;
mod structure;
mod timestamp;
mod tree;
mod unlinked;

use command::OwnCommand;

pub use audit::{AuditReport, BrokenLinkCount, Finding, FindingCount, FindingPage, Severity};
pub use get::{NoteParts, NoteSectionText};
pub use notes_read::NoteRequest;
pub use ranked::near_words;

/// The commands, by name.
pub(super) static COMMANDS: &[&OwnCommand] = &[
    &broken::COMMAND,
    &canvas::COMMAND,
    &chunks::COMMAND,
    &compare::COMMAND,
    &link::COMMAND,
    &neighbors::COMMAND,
    &refresh::COMMAND,
    &route::COMMAND,
    &unlinked::COMMAND,
    &describe::COMMAND,
    &facets::COMMAND,
    &get::COMMAND,
    &image::COMMAND,
    &outline::COMMAND,
    &related::COMMAND,
    &sections::COMMAND,
    &tree::COMMAND,
    &find::COMMAND,
    &large::COMMAND,
    &list::COMMAND,
    &notes_search::COMMAND,
    &notes_context::COMMAND,
    &notes_read::COMMAND,
    &links_list::COMMAND,
    &audit::COMMAND,
    &stats::COMMAND,
];

#[cfg(test)]
mod testing;
