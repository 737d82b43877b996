//! Notes, files, folders, bases and templates.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The text of a note.
///
/// The app ends its output with a newline, so whether the note itself ends with one cannot be
/// read from the text (`official-cli.md` §3, "result text").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::place::add_place_in_text)]
pub struct NoteText {
    /// The note. Absent when read from the CLI's text, which does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its text, frontmatter included.
    pub content: String,
    /// Lower-case hexadecimal SHA-256 of the file's bytes. Absent when read from the CLI's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A note picked at random, with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::place::add_place_in_text)]
pub struct RandomNote {
    /// The note.
    pub path: String,
    /// Its text, frontmatter included; see [`NoteText`] about the last newline.
    pub content: String,
    /// Lower-case hexadecimal SHA-256 of the file's bytes. Absent when read from the CLI's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// One vault path, of a file that need not exist (`daily:path`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathAnswer {
    /// The path.
    pub path: String,
}

/// One file of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileItem {
    /// Its path.
    pub path: String,
}

/// One folder of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderItem {
    /// Its path; `/` is the vault itself.
    pub path: String,
}

/// Facts about one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileInfo {
    /// Its path.
    pub path: String,
    /// Its name, as the app prints it.
    pub name: String,
    /// What follows the last dot of its name, as written.
    pub extension: String,
    /// Bytes.
    pub size: u64,
    /// When it was made: milliseconds since 1970-01-01T00:00:00Z.
    pub created: i64,
    /// When it was last changed: milliseconds since 1970-01-01T00:00:00Z.
    pub modified: i64,
}

/// Facts about one folder. With `info=` only the fact that was asked for is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderInfo {
    /// Its path; `/` is the vault itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How many files it holds, at any depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// How many folders it holds, at any depth, without itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folders: Option<usize>,
    /// Bytes of all its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// One view of a base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseViewItem {
    /// The view's name.
    pub name: String,
    /// What kind of view: `table`, `cards`, `list`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// One row of a base query: the view's columns in order, `path` first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct BaseRow {
    /// Cells by column label.
    pub cells: Map<String, Value>,
}

/// One template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateItem {
    /// Its name below the template folder, without extension.
    pub name: String,
}
