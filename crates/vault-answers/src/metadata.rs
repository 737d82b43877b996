//! Aliases, properties, tags, tasks, headings and counts.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::{AnswerData, AnswerItem, NameVisitor, Source, names};
use crate::files::FileItem;
use crate::list::{Items, List};
use crate::task_fields::TaskFields;

/// One alias.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AliasItem {
    /// The alias.
    pub alias: String,
    /// The notes that bear it. Only with `verbose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
}

/// One property name of the vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyItem {
    /// The property.
    pub name: String,
    /// Its type: `text`, `multitext`, `number`, `checkbox`, `date`, `datetime`, `tags`,
    /// `aliases`, `unknown`. Only with `format=json`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Number of notes that have it. Only with `counts` or `format=json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
}

/// The number of notes that have one property: `properties name=…`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyCount {
    /// The property, as it was asked for.
    pub name: String,
    /// Number of notes that have it.
    pub count: usize,
}

/// The properties of one note, in the order of its frontmatter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteProperties {
    /// Values by key. `format=tsv` carries texts only, and leaves nulls out.
    pub properties: Map<String, Value>,
}

/// The value of one property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyValue {
    /// The property, as it was asked for.
    pub name: String,
    /// The value's lines: one for a scalar, one for each element of a list, none where the value
    /// is empty. The CLI prints texts, so types are not shown.
    pub values: Vec<String>,
}

/// One tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagItem {
    /// The tag, with its `#`.
    pub tag: String,
    /// Number of its occurrences. Only with `counts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
}

/// The files that have one tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagFiles {
    /// The tag, with its `#`.
    pub tag: String,
    /// Number of its occurrences, including nested tags. Only with `verbose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The files.
    pub files: List<FileItem>,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskItem {
    /// The character between the brackets.
    pub status: String,
    /// The whole line, list marker and brackets included.
    pub text: String,
    /// The note. Only with `format=json|tsv|csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its line, from 1. Only with `format=json|tsv|csv`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The fields that the Tasks plugin reads from the text.
    #[serde(flatten)]
    pub fields: TaskFields,
}

impl TaskItem {
    /// A task by its text.
    pub fn new(status: String, text: String) -> Self {
        Self {
            fields: TaskFields::parse(&text),
            status,
            text,
            path: None,
            line: None,
        }
    }

    /// The same with its place.
    #[must_use]
    pub fn with_place(self, path: Option<String>, line: Option<usize>) -> Self {
        Self { path, line, ..self }
    }
}

/// One heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadingItem {
    /// Its level, 1 to 6. Not with `format=tree` (the default), which draws nesting, not levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Level of the item in the tree, from 1. Only with `format=tree`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Its text, inline markup kept.
    pub heading: String,
    /// Its line, from 1. Only with `format=json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// Word and character counts. With `words` or `characters` only that one is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WordCount {
    /// Words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<usize>,
    /// UTF-16 code units, frontmatter left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<usize>,
}

impl AnswerItem for AliasItem {
    names!(alias, paths);
}

impl AnswerData for WordCount {
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(Vec::new())
    }
}

impl AnswerItem for HeadingItem {
    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Target)
    }
}

impl AnswerItem for PropertyItem {
    names!(name);
}

impl AnswerData for PropertyCount {}

impl AnswerData for NoteProperties {
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(vec![Source::Target])
    }

    fn counted(&self) -> Option<usize> {
        Some(self.properties.len())
    }
}

impl AnswerData for PropertyValue {
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(vec![Source::Target])
    }
}

impl AnswerItem for TagItem {
    /// Tags of a whole vault have no target.
    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Target)
    }

    names!(tag);
}

impl AnswerData for TagFiles {
    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.files)
    }

    fn counted(&self) -> Option<usize> {
        Some(self.files.total())
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.tag);
        self.files.each_name(visit);
    }
}

impl AnswerItem for TaskItem {
    fn source(&self) -> Option<Source<'_>> {
        Some(self.path.as_deref().map_or(Source::Target, Source::Text))
    }

    names!(path);
}
