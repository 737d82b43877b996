//! A headless Obsidian vault: the semantics of a plain folder of notes, without the app.
//!
//! Synchronous. It knows nothing of gateways, processes, environment variables or clocks: such
//! inputs are passed in as [`Surroundings`].

mod args;
pub mod byte_order_mark;
mod call;
mod cancellation;
mod chosen_view;
mod collation;
mod commands;
mod config_file;
mod contents;
mod core_plugins;
mod daily;
mod disk;
mod edit;
mod edit_miss;
mod error;
mod excluded;
mod extension;
mod failpoints;
mod file_type;
mod followed;
pub mod frontmatter;
/// Access to private parsers, for the fuzz targets.
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    pub use crate::index::{DamagedCache, Index};
}
mod index;
mod indexed_vault;
mod json_list;
mod limits;
mod link_text;
mod listed_files;
mod lookup;
mod name;
mod note_parts;
mod note_record;
mod note_rules;
mod one_note;
mod page;
mod path;
mod path_error;
mod periodic;
mod progress;
mod property_types;
mod registry;
mod resolve;
pub mod scan;
pub mod search;
mod search_files;
mod searched_files;
mod sha256;
mod shapes;
mod sight;
mod surroundings;
mod survey;
mod synonyms;
mod target;
mod task_line;
mod template;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod uri;
mod vault;
mod vault_settings;
mod version;
mod warning;
mod watch;
mod word_counter;

pub use args::{Arg, Args};
pub use cancellation::CancellationToken;
pub use collation::Collation;
pub use commands::{
    AuditReport, BrokenLinkCount, Finding, FindingCount, FindingPage, FoundNotes, IndexReport,
    LinkKind, ListedLink, ListedNote, Neighborhood, NoteFacets, NoteHit, NoteOutline, NoteParts,
    NoteRequest, NoteSectionText, NoteSections, NoteTree, ReadError, ReadImage, ReadNotes, Reply,
    Severity, TreeNode, VaultStats, answer, commands, near_words, reply, serves,
};
pub use contents::{Contents, Detail, FileEntry};
pub use daily::DailyNotes;
pub use disk::{FolderIdentity, files_open_for_writing, look_for_writers_with};
pub use edit::{
    Change, ChangedList, ChangedNotes, Edit, Editor, ExportedNote, ImportedNote, Instruction,
    LinksOutOfSight, MAX_EDITS, Original, State, StepDone, Touched, Version, exports,
    is_changed_by_commands, is_tag, joined, plan_export, plans,
};
pub use edit_miss::{EditCandidate, EditDifference, EditMiss, MissKind};
pub use error::EngineError;
pub use excluded::ExcludedFiles;
pub use extension::is_known_extension;
pub use failpoints::{Failpoints, Step};
pub use followed::Followed;
pub use indexed_vault::{IndexState, IndexedVault, NameRisks};
pub use json_list::ListError;
pub use limits::MAX_WHOLE_BYTES;
pub use lookup::FileLookup;
pub use name::{check_new_name, forbidden_in_id, forbidden_in_new_name, is_ignorable};
pub use note_rules::NoteRules;
pub use path::{PathError, VaultPath};
pub use progress::Progress;
pub use registry::{OperatingSystem, RegisteredVault, Registry, RegistryError};
pub use resolve::{LinkIndex, Resolution, ResolvedFile, Rule};
pub use shapes::shapes;
pub use sight::Sight;
pub use surroundings::Surroundings;
pub use survey::Survey;
pub use synonyms::meant;
pub use vault::{
    ContentStore, FileFacts, FilePieces, LinkUpdates, Note, Overlay, PlannedBytes, PlannedContent,
    PlannedFile, PropertyStyle, Vault, whole_characters,
};
pub use vault_settings::{AttachmentPlace, LinkFormat, VaultSettings};
pub use warning::Warning;
pub use watch::FolderWatch;
