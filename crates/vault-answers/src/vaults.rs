//! The vault, and the vaults the app knows.

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{AnswerData, AnswerItem, names};

/// Facts about the vault. With `info=` only the fact that was asked for is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultInfo {
    /// Its name: the last segment of its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its folder as the app prints it: an absolute path of the machine, not a vault path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of files in it, of every extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Number of folders in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folders: Option<usize>,
    /// Bytes of all its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// One vault that the app knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultItem {
    /// Its name.
    pub name: String,
    /// Its folder: an absolute path of the machine. Only with `verbose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl AnswerItem for VaultItem {
    names!(name, path);
}

impl AnswerData for VaultInfo {
    names!(name, path);
}
