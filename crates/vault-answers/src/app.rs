//! Answers that only the app knows, or knows best: plugins, tabs, workspaces, commands, its version.

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{AnswerData, AnswerItem, names};
use crate::place::{AnswerText, PlaceInText};

/// One plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginItem {
    /// Its id.
    pub id: String,
    /// Its version. Only with `versions`, and only where the plugin has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Facts about one plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginInfo {
    /// `core` or `community`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name for people.
    pub name: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Whether it is on.
    pub enabled: bool,
    /// The description that the author gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// One open tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TabItem {
    /// The kind of the view: `markdown`, `graph`.
    pub view: String,
    /// Its title.
    pub title: String,
    /// Its id in the app. Only with `ids`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// One saved workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceItem {
    /// Its name.
    pub name: String,
    /// Whether it is the one in use.
    pub active: bool,
}

/// One command of the app's palette.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandItem {
    /// Its id, `app:open-help`.
    pub id: String,
}

/// The app's version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// The app, `1.13.7`.
    pub version: String,
    /// The installer that set it up, `1.13.4`.
    pub installer: String,
}

/// A version in the history of one file. The layout of the row is not recorded, so it stays text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryItem {
    /// The row as printed: number, time and size.
    pub text: String,
}

/// Text whose format nobody has recorded, as printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RawText {
    /// The text.
    pub text: String,
    /// The place of this part in the text; `None` if the text is complete.
    #[serde(flatten)]
    pub place: Option<PlaceInText>,
}

impl RawText {
    /// A whole text.
    pub const fn new(text: String) -> Self {
        Self { text, place: None }
    }
}

impl AnswerItem for PluginItem {
    names!(id, version);
}

impl AnswerItem for TabItem {
    names!(view, title, id);
}

impl AnswerItem for WorkspaceItem {
    names!(name);
}

impl AnswerData for PluginInfo {
    names!(name, version, author, description);
}

impl AnswerData for Version {}

impl AnswerItem for HistoryItem {}

impl AnswerData for RawText {
    fn answer_text(&mut self) -> Option<AnswerText<'_>> {
        Some(AnswerText {
            text: &mut self.text,
            place: &mut self.place,
            sha256: None,
        })
    }
}

impl AnswerItem for CommandItem {
    names!(id);
}
