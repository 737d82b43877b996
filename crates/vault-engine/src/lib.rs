//! A headless Obsidian vault: the semantics of a plain folder of notes, without the app. Its parts are crates of their
//! own, which this one gathers under one name.
//!
//! Synchronous. It knows nothing of gateways, processes, environment variables or clocks: such
//! inputs are passed in as [`Surroundings`].

/// Access to private parsers, for the fuzz targets.
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    pub use vault_index::{DamagedCache, Index};
}
mod shapes;
#[cfg(test)]
mod tests;

pub use crate::shapes::shapes;
pub use obsidian_note::cancellation::CancellationToken;
pub use obsidian_note::edit_miss::{EditCandidate, EditDifference, EditMiss, MissKind};
pub use obsidian_note::limits::MAX_WHOLE_BYTES;
pub use obsidian_note::name::{
    check_new_name, forbidden_in_id, forbidden_in_new_name, is_ignorable,
};
pub use obsidian_note::note_rules::NoteRules;
pub use obsidian_note::path::{PathError, VaultPath};
pub use obsidian_note::resolve::{LinkIndex, Resolution, ResolvedFile, Rule};
pub use obsidian_note::warning::Warning;
pub use obsidian_note::{byte_order_mark, frontmatter, scan};
pub use obsidian_search::{self as search};
pub use vault_edits::{
    Change, ChangedList, ChangedNotes, Edit, Editor, ExportedNote, ImportedNote, Instruction,
    LinksOutOfSight, MAX_EDITS, Original, State, StepDone, Touched, exports,
    is_changed_by_commands, is_tag, joined, plan_export, plans,
};
pub use vault_files::args::{Arg, Args};
pub use vault_files::collation::Collation;
pub use vault_files::contents::{Contents, Detail, FileEntry};
pub use vault_files::daily::DailyNotes;
pub use vault_files::disk::{FolderIdentity, files_open_for_writing, look_for_writers_with};
pub use vault_files::error::EngineError;
pub use vault_files::extension::is_known_extension;
pub use vault_files::failpoints::{Failpoints, Step};
pub use vault_files::json_list::ListError;
pub use vault_files::progress::Progress;
pub use vault_files::registry::{OperatingSystem, RegisteredVault, Registry, RegistryError};
pub use vault_files::sight::Sight;
pub use vault_files::surroundings::Surroundings;
pub use vault_files::synonyms::meant;
pub use vault_files::vault::{
    ContentStore, FileFacts, FilePieces, LinkUpdates, Note, Overlay, PlannedBytes, PlannedContent,
    PlannedFile, PropertyStyle, Vault, whole_characters,
};
pub use vault_files::vault_settings::{AttachmentPlace, LinkFormat, VaultSettings};
pub use vault_files::version::Version;
pub use vault_index::excluded::ExcludedFiles;
pub use vault_index::followed::Followed;
pub use vault_index::indexed_vault::{IndexState, IndexedVault, NameRisks};
pub use vault_index::lookup::FileLookup;
pub use vault_index::survey::Survey;
pub use vault_index::watch::FolderWatch;
pub use vault_questions::{
    AuditReport, BrokenLinkCount, Finding, FindingCount, FindingPage, FoundNotes, IndexReport,
    LinkKind, ListedLink, ListedNote, Neighborhood, NoteFacets, NoteHit, NoteOutline, NoteParts,
    NoteRequest, NoteSectionText, NoteSections, NoteTree, ReadError, ReadImage, ReadNotes, Reply,
    Severity, TreeNode, VaultStats, answer, commands, near_words, reply, serves,
};
