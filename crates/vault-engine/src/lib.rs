//! A headless Obsidian vault: the semantics of a plain folder of notes, without the app.
//!
//! Synchronous. It knows nothing of gateways, processes, environment variables or clocks: such
//! inputs are passed in as [`Surroundings`].

mod args;
pub use obsidian_note::byte_order_mark;
mod call;
mod chosen_view;
mod collation;
mod commands;
mod config_file;
mod contents;
mod core_plugins;
mod daily;
mod disk;
mod edit;
mod error;
mod excluded;
mod extension;
mod failpoints;
mod file_type;
mod followed;
pub use obsidian_note::frontmatter;
/// Access to private parsers, for the fuzz targets.
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    pub use crate::index::{DamagedCache, Index};
}
mod index;
mod indexed_vault;
mod json_list;
mod link_text;
mod listed_files;
mod lookup;
use obsidian_note::name;
mod one_note;
mod page;
use obsidian_note::path;
mod periodic;
mod progress;
mod property_types;
mod registry;
pub use obsidian_note::scan;
pub use obsidian_search as search;
mod search_files;
mod searched_files;
mod shapes;
mod sight;
mod surroundings;
mod survey;
mod synonyms;
mod target;
mod task_line;
mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod vault;
mod vault_settings;
mod version;
mod watch;

pub use crate::args::{Arg, Args};
pub use crate::collation::Collation;
pub use crate::commands::{
    AuditReport, BrokenLinkCount, Finding, FindingCount, FindingPage, FoundNotes, IndexReport,
    LinkKind, ListedLink, ListedNote, Neighborhood, NoteFacets, NoteHit, NoteOutline, NoteParts,
    NoteRequest, NoteSectionText, NoteSections, NoteTree, ReadError, ReadImage, ReadNotes, Reply,
    Severity, TreeNode, VaultStats, answer, commands, near_words, reply, serves,
};
pub use crate::contents::{Contents, Detail, FileEntry};
pub use crate::daily::DailyNotes;
pub use crate::disk::{FolderIdentity, files_open_for_writing, look_for_writers_with};
pub use crate::edit::{
    Change, ChangedList, ChangedNotes, Edit, Editor, ExportedNote, ImportedNote, Instruction,
    LinksOutOfSight, MAX_EDITS, Original, State, StepDone, Touched, Version, exports,
    is_changed_by_commands, is_tag, joined, plan_export, plans,
};
pub use crate::error::EngineError;
pub use crate::excluded::ExcludedFiles;
pub use crate::extension::is_known_extension;
pub use crate::failpoints::{Failpoints, Step};
pub use crate::followed::Followed;
pub use crate::indexed_vault::{IndexState, IndexedVault, NameRisks};
pub use crate::json_list::ListError;
pub use crate::lookup::FileLookup;
pub use crate::progress::Progress;
pub use crate::registry::{OperatingSystem, RegisteredVault, Registry, RegistryError};
pub use crate::shapes::shapes;
pub use crate::sight::Sight;
pub use crate::surroundings::Surroundings;
pub use crate::survey::Survey;
pub use crate::synonyms::meant;
pub use crate::vault::{
    ContentStore, FileFacts, FilePieces, LinkUpdates, Note, Overlay, PlannedBytes, PlannedContent,
    PlannedFile, PropertyStyle, Vault, whole_characters,
};
pub use crate::vault_settings::{AttachmentPlace, LinkFormat, VaultSettings};
pub use crate::watch::FolderWatch;
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
