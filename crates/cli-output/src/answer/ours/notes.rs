//! Notes, whole or in parts, alone or in a list.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A note, or the parts of it that were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::answer::place::of_text)]
pub struct NoteParts {
    /// The note.
    pub path: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// Lower-case hexadecimal SHA-256 of the whole file. Only where the answer holds all of the file,
    /// since a write takes it for a sign that the caller has seen the whole note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Its properties; empty where they cannot be read. Not with `only=body` or `section`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter: Option<Map<String, Value>>,
    /// Its text below the properties, as stored; with `section` that section alone. Not with
    /// `only=frontmatter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Which section the text is. Only with `section`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<NoteSectionText>,
    /// What is printed: the part of the file that was asked for, as it stands there.
    #[serde(skip)]
    pub text: String,
}

/// Where the text of a section stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteSectionText {
    /// The heading's id, as in the outline.
    pub heading_id: String,
    /// The heading's text.
    pub heading_text: String,
    /// The heading's line in the file, from 1.
    pub line: usize,
}

/// One note of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedNote {
    /// The note.
    pub path: String,
    /// What its properties say. Not with `fields=path`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<NoteMetadata>,
    /// All its properties. Only with `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter: Option<Map<String, Value>>,
    /// Its text below the properties. Only with `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// What a list tells of a note besides its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteMetadata {
    /// The file's name without extension.
    pub name: String,
    /// The property `title`.
    pub title: Option<String>,
    /// The slug of the property `project`, or else of the folder below `projects/`.
    pub project: Option<String>,
    /// The tags of its properties, with their `#`, each once.
    pub tags: Vec<String>,
    /// The tags of its text that its properties do not have, each once. Only where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inline_tags: Vec<String>,
    /// The property `date`, as written.
    pub date: Option<String>,
    /// The property `updated`, as written.
    pub updated: Option<String>,
}
