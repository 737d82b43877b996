//! Answers to the gateway's own commands, which the official CLI does not have.
//!
//! No program prints these, so they have a text for people and one line of JSON, and are never read
//! back.

mod links;
mod notes;
mod structure;
mod vault;

use schemars::JsonSchema;
use serde::Serialize;

pub use links::{
    BacklinkStats, BrokenLink, Candidate, FoundBy, FoundNote, FoundNotes, Likeness, LinkSource,
    NoteDescription, RelatedNote,
};
pub use notes::{ListedNote, NoteMetadata, NoteParts, NoteSectionText};
pub use structure::{
    Facets, Inferred, NoteFacets, NoteOutline, NoteSection, NoteSections, NoteTree, OutlineHeading,
    TreeNode, TreeRoot,
};

pub use vault::{
    AuditReport, ExportedNote, Finding, FindingCount, FindingPage, LargeNote, LinkStats,
    PropertyStats, Severity, TagStats, TaskStats, VaultStats,
};

use super::list::List;

/// What one of the gateway's own commands answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Ours {
    /// The headings of a note.
    Outline(NoteOutline),
    /// The headings of a note as a tree.
    Tree(NoteTree),
    /// What the properties of a note say of it.
    Facets(NoteFacets),
    /// The sections of a note, without their text.
    Sections(NoteSections),
    /// A note, or parts of it.
    Parts(NoteParts),
    /// Notes with their properties.
    Notes(List<ListedNote>),
    /// What a note holds and how it is linked.
    Description(NoteDescription),
    /// The files that bear a name.
    Found(FoundNotes),
    /// Notes that are related to one.
    Related(List<RelatedNote>),
    /// Links that lead nowhere.
    Broken(List<BrokenLink>),
    /// The largest notes.
    Large(List<LargeNote>),
    /// The notes that were copied out of the vault.
    Exported(List<ExportedNote>),
    /// The numbers of the vault.
    Stats(VaultStats),
    /// What is wrong with the vault.
    Audit(AuditReport),
}

impl Ours {
    /// Whether there is nothing in it that was asked for.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Outline(outline) => outline.headings.is_empty(),
            Self::Tree(tree) => tree.headings == 0,
            Self::Sections(note) => note.sections.is_empty(),
            Self::Notes(list) => list.is_empty(),
            Self::Found(found) => found.list.is_empty(),
            Self::Related(list) => list.is_empty(),
            Self::Broken(list) => list.is_empty(),
            Self::Large(list) => list.is_empty(),
            Self::Exported(list) => list.is_empty(),
            Self::Facets(_)
            | Self::Parts(_)
            | Self::Description(_)
            | Self::Stats(_)
            | Self::Audit(_) => false,
        }
    }

    /// How many items its list has; none where it is no list, or one that cannot be cut.
    pub fn items(&self) -> Option<usize> {
        match self {
            Self::Outline(outline) => Some(outline.headings.items.len()),
            Self::Sections(note) => Some(note.sections.items.len()),
            Self::Notes(list) => Some(list.items.len()),
            Self::Found(found) => Some(found.list.items.len()),
            Self::Related(list) => Some(list.items.len()),
            Self::Broken(list) => Some(list.items.len()),
            Self::Large(list) => Some(list.items.len()),
            Self::Exported(list) => Some(list.items.len()),
            Self::Audit(report) => Some(report.told.len()),
            Self::Tree(_)
            | Self::Facets(_)
            | Self::Parts(_)
            | Self::Description(_)
            | Self::Stats(_) => None,
        }
    }

    /// Keeps the first `count` items of its list and says that the others are missing.
    pub fn keep_first(&mut self, count: usize) {
        match self {
            Self::Outline(outline) => outline.headings.keep_first(count),
            Self::Sections(note) => note.sections.keep_first(count),
            Self::Notes(list) => list.keep_first(count),
            Self::Found(found) => found.list.keep_first(count),
            Self::Related(list) => list.keep_first(count),
            Self::Broken(list) => list.keep_first(count),
            Self::Large(list) => list.keep_first(count),
            Self::Exported(list) => list.keep_first(count),
            Self::Audit(report) => {
                report.told.truncate(count);
                report.findings.returned = report.told.len();
                report.findings.truncated = report.findings.returned < report.findings.total;
            }
            Self::Tree(_)
            | Self::Facets(_)
            | Self::Parts(_)
            | Self::Description(_)
            | Self::Stats(_) => {}
        }
    }
}
