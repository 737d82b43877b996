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
#[cfg(test)]
mod tests;

use vault_answers::OwnForm;

pub use obsidian_note::name::{
    check_new_name, forbidden_in_id, forbidden_in_new_name, is_ignorable, with_added,
};
pub use obsidian_note::path::PathError;
pub use obsidian_note::resolve::Rule;
pub use obsidian_note::{
    Anchors, CancellationToken, EditCandidate, EditDifference, EditMiss, LinkIndex,
    MAX_WHOLE_BYTES, MissKind, NoteRules, Resolution, ResolvedFile, VaultPath, Warning,
    byte_order_mark, frontmatter, plural, scan, shown, uri,
};
pub use obsidian_search::{self as search};
pub use vault_edits::{
    Bond, BondKind, Carried, Change, ChangedList, ChangedNotes, Edit, Editor, ExportedNote,
    FollowedText, ImportedNote, Instruction, LinkFollower, LinksOutOfSight, MAX_EDITS,
    MovedAnchors, Original, RedirectedLinks, State, Touched, bonds_after, exports,
    is_changed_by_commands, is_tag, joined, plan_export, plans,
};
pub use vault_files::disk::{files_open_for_writing, look_for_writers_with};
pub use vault_files::extension::{is_known_extension, path_of_part};
pub use vault_files::failpoints::Step;
pub use vault_files::file_type::{embedded_type, is_binary_extension};
pub use vault_files::link_text::NOT_IN_NAMES;
pub use vault_files::synonyms::meant;
pub use vault_files::vault::whole_characters;
pub use vault_files::{
    Arg, Args, AttachmentPlace, Collation, ContentStore, Contents, DailyNotes, Detail, EngineError,
    Failpoints, FileEntry, FileFacts, FilePieces, FolderIdentity, LinkFormat, LinkUpdates,
    ListError, Note, OperatingSystem, Overlay, PlannedBytes, PlannedContent, PlannedFile, Progress,
    PropertyStyle, RegisteredVault, Registry, RegistryError, Sight, Surroundings, Vault,
    VaultSettings, Version,
};
pub use vault_index::{
    ExcludedFiles, FileLookup, FolderWatch, Followed, IndexState, IndexedVault, NameRisks,
    PictureBases, Survey, Target,
};
pub use vault_questions::{
    AuditReport, BrokenLinkCount, Finding, FindingCount, FindingPage, FoundNotes, IndexReport,
    LinkKind, ListedLink, ListedNote, Neighborhood, NoteFacets, NoteHit, NoteOutline, NoteParts,
    NoteRequest, NoteSectionText, NoteSections, NoteTree, ReadError, ReadImage, ReadNotes, Reply,
    Severity, TreeNode, VaultStats, answer, backlinks_of, commands, near_words, reply, serves,
};

/// Returns the forms of the answers to all own commands.
pub fn own_forms() -> impl Iterator<Item = &'static OwnForm> {
    vault_questions::own_forms().chain(vault_edits::own_forms())
}
