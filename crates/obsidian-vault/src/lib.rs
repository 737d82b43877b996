#![doc = include_str!("../README.md")]

mod edit;
#[cfg(test)]
mod tests;
mod vault;

pub use bases::{Cell, Column, Group, Moment, Row, Summary, Table};
pub use edit::Edit;
pub use obsidian_note::path::PathError;
pub use obsidian_note::{
    CancellationToken, EditCandidate, EditMiss, Heading, Position, Span, TaskRecord, VaultPath,
    Warning,
};
pub use obsidian_search::{HitLine, HitLines};
pub use vault::Vault;
pub use vault_edits::{Change, Version};
pub use vault_files::{
    EngineError, FileFacts, LinkUpdates, Match, Note, PropertyStyle, Refusal, Vault as VaultFolder,
};
pub use vault_index::TagCount;
pub use vault_questions::{
    Backlink, BaseTable, Found, LinkDestination, NoteTask, UnresolvedTarget,
};
