//! How a note is built: headings, their tree, sections, and what its properties say.

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::list::List;

/// The headings of one note as `CommonMark` has them, those in quotes and lists included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteOutline {
    /// The note.
    pub path: String,
    /// The property `title`, or else the file's name with blanks for `-` and `_`; null where that
    /// leaves nothing.
    pub title: Option<String>,
    /// The headings, at most 500.
    pub headings: List<OutlineHeading>,
}

/// One heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineHeading {
    /// Its level, 1 to 6.
    pub level: u8,
    /// Its text without markup; may be empty.
    pub text: String,
    /// `h<level>-<slug>-<number>`: the text in lower case with a hyphen for all that is neither a
    /// letter of ASCII nor a digit, and which heading of the note it is, from 0001.
    pub id: String,
    /// Its line in the file, from 1.
    pub line: usize,
}

/// The headings of one note, each below the nearest one before it of a lower level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteTree {
    /// The note.
    pub path: String,
    /// As in the outline.
    pub title: Option<String>,
    /// The note itself.
    pub root: TreeRoot,
    /// How many headings the note has.
    pub headings: usize,
    /// Whether headings beyond the 500th were left out.
    pub truncated: bool,
}

/// The root of a tree of headings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeRoot {
    /// The headings that are below no other.
    pub children: Vec<TreeNode>,
}

/// One heading of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    /// As in the outline.
    pub id: String,
    /// Its level, 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// Its line in the file, from 1.
    pub line: usize,
    /// The headings below it.
    pub children: Vec<TreeNode>,
}

/// What the properties of one note, and its place, say of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteFacets {
    /// The note.
    pub path: String,
    /// From its properties.
    pub facets: Facets,
    /// From its path.
    pub inferred: Inferred,
    /// Whether a list had more than 100 values or a value more than 256 UTF-16 code units.
    pub truncated: bool,
}

/// The facets of one note. Slugs are in lower case, with a hyphen for all that is neither a letter
/// of ASCII nor a digit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Facets {
    /// The slug of the property `project`, or else of the folder below `projects/`.
    pub project: Option<String>,
    /// Slugs of the property `tags`.
    pub tags: Vec<String>,
    /// The property `date`; a YAML date as an instant in UTC.
    pub date: Option<String>,
    /// The property `updated`, likewise.
    pub updated: Option<String>,
    /// The slug of the property `causal_chain_id`.
    pub causal_chain_id: Option<String>,
    /// Slugs of the property `entity`.
    pub entity: Vec<String>,
    /// The slug of the property `episode_id`.
    pub episode_id: Option<String>,
}

/// What the path of a note tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inferred {
    /// Its folder; null at the top of the vault.
    pub folder: Option<String>,
}

/// The sections of one note, without their text: `note:get section=<headingId>` gives that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteSections {
    /// The note.
    pub path: String,
    /// As in the outline.
    pub title: Option<String>,
    /// The sections in the order of the note, at most 500.
    pub sections: List<NoteSection>,
}

/// One section: a heading and what follows up to the next one of the same or a higher rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteSection {
    /// The slug of the note's path, a colon, and `headingId`.
    pub section_id: String,
    /// The heading's id, as in the outline.
    pub heading_id: String,
    /// The heading's level, 1 to 6.
    pub level: u8,
    /// The headings from the outermost one to this.
    pub heading_path: Vec<String>,
    /// The heading's text.
    pub heading_text: String,
    /// The heading's line in the file, from 1.
    pub line: usize,
    /// The sections right below it.
    pub child_section_ids: Vec<String>,
    /// Whether there is more in it than headings.
    pub body_available: bool,
}
