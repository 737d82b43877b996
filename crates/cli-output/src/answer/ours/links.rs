//! One note among the others: what it holds, what is like it, and links that lead nowhere.

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::list::List;

/// What one note holds and how it is linked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteDescription {
    /// The note.
    pub path: String,
    /// The property `title`, or else the file's name with blanks for `-` and `_`.
    pub title: Option<String>,
    /// Bytes.
    pub size: u64,
    /// When it was made: milliseconds since 1970-01-01T00:00:00Z.
    pub created: i64,
    /// When it was last changed: milliseconds since 1970-01-01T00:00:00Z.
    pub modified: i64,
    /// Lines of the file.
    pub lines: usize,
    /// Words below the properties, as `wordcount` counts them.
    pub words: usize,
    /// UTF-16 code units below the properties.
    pub characters: usize,
    /// Headings, as `outline` has them.
    pub headings: usize,
    /// Its tasks.
    pub tasks: super::vault::TaskStats,
    /// Its tags, with their `#`, each once: those of the properties, then those of the text.
    pub tags: Vec<String>,
    /// Its aliases.
    pub aliases: Vec<String>,
    /// The names of its properties, in its order.
    pub properties: Vec<String>,
    /// Links and embeds in it.
    pub links: super::vault::LinkStats,
    /// Links to it.
    pub backlinks: BacklinkStats,
}

/// Links to a note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BacklinkStats {
    /// How many.
    pub total: usize,
    /// In how many files.
    pub files: usize,
}

/// The files that bear a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundNotes {
    /// The files; the one that a link with this text opens comes first.
    #[serde(flatten)]
    pub list: List<FoundNote>,
    /// Files with a name like it, where none bears it; at most 5.
    pub nearest: Vec<Candidate>,
}

/// One file that bears a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundNote {
    /// The file.
    pub path: String,
    /// What bears the name.
    pub found_by: FoundBy,
    /// Whether a link with this text opens it.
    pub opens: bool,
}

/// What of a file bears a name, casing aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// Its path, with or without `.md`.
    Path,
    /// The end of its path: its name, or its name with folders before it.
    Name,
    /// One of its aliases.
    Alias,
    /// Its property `title`.
    Title,
}

impl FoundBy {
    /// The name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Name => "name",
            Self::Alias => "alias",
            Self::Title => "title",
        }
    }
}

/// A file that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// The file.
    pub path: String,
    /// Why it may be meant.
    pub why: Likeness,
}

/// How a name is like another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Likeness {
    /// The file's name has the same letters and digits.
    Name,
    /// An alias has.
    Alias,
    /// Name or alias differ by one letter, or two that stand in each other's place.
    Spelling,
}

/// One link text that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrokenLink {
    /// The text before `#`, as written.
    pub target: String,
    /// How often it is used.
    pub count: usize,
    /// The files that use it.
    pub sources: Vec<LinkSource>,
    /// Files that may be meant; at most 5, the likeliest first.
    pub candidates: Vec<Candidate>,
}

/// A file with links of one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkSource {
    /// The file.
    pub path: String,
    /// How many of its links have the text.
    pub count: usize,
}

/// One note that is related to another.
///
/// The score is 4 for a link to it, 4 for a link from it, 2 for each file that both link to, 2 for
/// each file that links to both, and 1 for each tag that both have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedNote {
    /// The note.
    pub path: String,
    /// How close it is.
    pub score: usize,
    /// Whether the note that was asked about links to it.
    pub linked_to: bool,
    /// Whether it links to the note that was asked about.
    pub links_here: bool,
    /// Files that both link to.
    pub shared_links: usize,
    /// Files that link to both.
    pub shared_backlinks: usize,
    /// Tags that both have, casing aside.
    pub shared_tags: usize,
}
