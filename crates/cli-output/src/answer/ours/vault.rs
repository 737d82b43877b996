//! A vault as a whole: its numbers, its largest notes, and what is wrong with it.

use schemars::JsonSchema;
use serde::Serialize;

/// The numbers of a vault. Excluded files are in none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultStats {
    /// Files of every kind.
    pub files: usize,
    /// Notes among them.
    pub notes: usize,
    /// Canvases among them.
    pub canvases: usize,
    /// Bases among them.
    pub bases: usize,
    /// All other files.
    pub attachments: usize,
    /// Bytes of all files.
    pub size: u64,
    /// Bytes of all notes.
    pub notes_size: u64,
    /// Links and embeds in notes and canvases.
    pub links: LinkStats,
    /// Tags.
    pub tags: TagStats,
    /// Tasks.
    pub tasks: TaskStats,
    /// Properties.
    pub properties: PropertyStats,
    /// Notes that no link leads to.
    pub orphans: usize,
    /// Notes from which no link leads to a file.
    pub deadends: usize,
}

/// A note of which there is a copy in the export folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportedNote {
    /// The note.
    pub path: String,
    /// The copy, from the export folder on.
    pub output: String,
    /// Bytes of the copy.
    pub size: u64,
    /// Lower-case hexadecimal SHA-256 of the copy, for the audit log. It is not told: a copy of the
    /// note as it is has the note's own hash.
    #[serde(skip)]
    pub sha256: String,
    /// Whether the copy was made now; false where the very same was there already.
    pub written: bool,
}

/// Numbers of links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkStats {
    /// All.
    pub total: usize,
    /// Those that lead to a file.
    pub resolved: usize,
    /// Those that lead nowhere.
    pub unresolved: usize,
    /// How many different texts lead nowhere.
    pub unresolved_targets: usize,
}

/// Numbers of tags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagStats {
    /// Different tags, casing aside.
    pub distinct: usize,
    /// How often any stands in a note.
    pub uses: usize,
}

/// Numbers of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskStats {
    /// All.
    pub total: usize,
    /// Those whose brackets hold a blank.
    pub open: usize,
    /// All others.
    pub done: usize,
}

/// Numbers of properties.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyStats {
    /// Different names.
    pub distinct: usize,
    /// Notes that have any.
    pub notes: usize,
}

/// One note of a list by size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LargeNote {
    /// The note.
    pub path: String,
    /// Its bytes.
    pub size: u64,
}

/// What an audit looked at and how much it found. The findings themselves stand in the envelope's
/// `violations`, those that are `advice` in its `advice`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditReport {
    /// Files that were looked at.
    pub files: usize,
    /// Notes among them.
    pub notes: usize,
    /// How often each thing was found, the gravest first; the page does not change it.
    pub counts: Vec<FindingCount>,
    /// Which of the findings are told.
    pub findings: FindingPage,
    /// The findings that are told.
    #[serde(skip)]
    pub told: Vec<Finding>,
}

/// How often one thing was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingCount {
    /// The name of the finding.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How often.
    pub count: usize,
}

/// Which of the findings are told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingPage {
    /// How many there are.
    pub total: usize,
    /// How many are told.
    pub returned: usize,
    /// The index, from 0, of the first one that is told.
    pub offset: usize,
    /// Whether some are not told.
    pub truncated: bool,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something is broken or can get lost.
    Error,
    /// Something may be meant otherwise than it is taken.
    Warning,
    /// Something may be worth a look.
    Advice,
}

impl Severity {
    /// The name in arguments and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Advice => "advice",
        }
    }
}

/// One thing that an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Its stable name.
    pub code: &'static str,
    /// The file that it is about.
    pub path: String,
    /// The line in that file, from 1, where it is known.
    pub line: Option<usize>,
    /// One sentence for people.
    pub message: String,
    /// Other files that have to do with it; at most 5.
    pub candidates: Vec<String>,
}
