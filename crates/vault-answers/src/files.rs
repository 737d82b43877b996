//! Notes, files, folders, bases and templates.

use obsidian_note::VaultPath;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::{AnswerData, AnswerItem, NameVisitor, Source, names};
use crate::list::{Items, List};
use crate::place::{AnswerText, PlaceInText};

/// The text of a note.
///
/// The app ends its output with a newline, so whether the note itself ends with one cannot be
/// read from the text (`official-cli.md` §3, "result text").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteText {
    /// The note. Absent when read from the CLI's text, which does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its text, frontmatter included.
    pub content: String,
    /// Lower-case hexadecimal SHA-256 of the file's bytes. Absent when read from the CLI's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The place of this part in the text; `None` if the text is complete.
    #[serde(flatten)]
    pub place: Option<PlaceInText>,
}

impl NoteText {
    /// A whole note, without its hash.
    pub const fn new(path: Option<String>, content: String) -> Self {
        Self {
            path,
            content,
            sha256: None,
            place: None,
        }
    }
}

/// A note picked at random, with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RandomNote {
    /// The note.
    pub path: String,
    /// Its text, frontmatter included; see [`NoteText`] about the last newline.
    pub content: String,
    /// Lower-case hexadecimal SHA-256 of the file's bytes. Absent when read from the CLI's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The place of this part in the text; `None` if the text is complete.
    #[serde(flatten)]
    pub place: Option<PlaceInText>,
}

impl RandomNote {
    /// A whole note, without its hash.
    pub const fn new(path: String, content: String) -> Self {
        Self {
            path,
            content,
            sha256: None,
            place: None,
        }
    }
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

impl FileItem {
    /// The item of a file.
    pub fn new(path: &VaultPath) -> Self {
        Self {
            path: path.to_string(),
        }
    }
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
    /// The part of its name after the last dot, as written.
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
    /// Number of files in it, at any depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Number of folders in it, at any depth, without itself.
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
    /// The kind of the view: `table`, `cards`, `list`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// One row of a base query: the view's columns in order. `path` is first, but for `format=csv|tsv|md`,
/// which have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct BaseRow {
    /// Cells by column label.
    pub cells: Map<String, Value>,
}

/// The rows of a base query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseRows {
    /// The rows in the order of the view. Cells are the texts that the view shows; null is an empty one.
    #[serde(flatten)]
    pub rows: List<BaseRow>,
    /// Facts about the view; absent if the app has answered, which prints only the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<BaseViewFacts>,
}

/// A view of a base, with what its rows do not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseViewFacts {
    /// Its name.
    pub name: String,
    /// `table`, `cards`, `list`, or one that a plugin adds.
    #[serde(rename = "type")]
    pub kind: String,
    /// Number of files that its filters keep, before its own limit.
    pub matching: usize,
    /// Its columns in their order, without `path`.
    pub columns: Vec<BaseColumn>,
    /// The groups of the rows in their order. Only where the view has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<BaseGroup>,
    /// The summaries of all rows. Only where the view has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<BaseSummary>,
}

/// A column of a base query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseColumn {
    /// The property: `file.name`, `note.status`, `formula.total`.
    pub id: String,
    /// The key of its cells.
    pub name: String,
    /// The type of its values: `string`, `number`, `boolean`, `date`, `duration`, `list`, `object`,
    /// `link`, `file`, `html`, `image`, `icon`, `regexp`; `error` where they have none, `mixed` where
    /// they differ, `empty` where there are none.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Consecutive rows of a base query with one value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseGroup {
    /// The value; null for rows without one.
    pub value: Option<String>,
    /// Number of rows.
    pub rows: usize,
    /// The summaries of these rows. Only where the view has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<BaseSummary>,
}

/// A summary of a column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseSummary {
    /// The column's name.
    pub column: String,
    /// The summary's: `Average`, or one of the base.
    pub name: String,
    /// The value; null if the property has none.
    pub value: Option<String>,
}

/// One template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateItem {
    /// Its name below the template folder, without extension.
    pub name: String,
}

impl AnswerItem for BaseViewItem {
    names!(name);
}

impl AnswerData for BaseRows {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.rows)
    }

    fn counted(&self) -> Option<usize> {
        Some(self.rows.total())
    }

    /// Cells, and what heads them.
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        for row in &mut self.rows.items {
            let cells = std::mem::take(&mut row.cells).into_iter();
            let visited = cells.map(|(mut name, mut value)| {
                visit(&mut name);
                if let Value::String(text) = &mut value {
                    visit(text);
                }
                (name, value)
            });
            row.cells = visited.collect();
        }
        for column in self.view.iter_mut().flat_map(|view| &mut view.columns) {
            visit(&mut column.name);
        }
    }
}

impl AnswerData for FileInfo {
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(vec![Source::Name(&self.path)])
    }

    names!(path, name, extension);
}

impl AnswerData for FolderInfo {
    names!(path);
}

impl AnswerData for NoteText {
    fn answer_text(&mut self) -> Option<AnswerText<'_>> {
        Some(AnswerText {
            text: &mut self.content,
            place: &mut self.place,
            sha256: Some(&mut self.sha256),
        })
    }

    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(vec![Source::Text(self.path.as_ref()?)])
    }
}

impl AnswerData for RandomNote {
    fn answer_text(&mut self) -> Option<AnswerText<'_>> {
        Some(AnswerText {
            text: &mut self.content,
            place: &mut self.place,
            sha256: Some(&mut self.sha256),
        })
    }

    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(vec![Source::Text(&self.path)])
    }

    names!(path);
}

impl AnswerData for PathAnswer {
    names!(path);
}

impl AnswerItem for FileItem {
    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Name(&self.path))
    }

    names!(path);
}

impl AnswerItem for FolderItem {
    names!(path);
}

impl AnswerItem for TemplateItem {
    names!(name);
}
