//! Links between notes.

use schemars::JsonSchema;
use serde::Serialize;

/// One outgoing link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum LinkItem {
    /// A link to a file.
    File {
        /// The file.
        path: String,
    },
    /// A link that leads nowhere.
    Unresolved {
        /// The link's text before `#`, as written.
        target: String,
    },
}

/// One file that links here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BacklinkItem {
    /// The file that links here.
    pub path: String,
    /// Number of its links that do. Only with `counts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
}

/// One link text that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnresolvedItem {
    /// The link's text before `#`, as written.
    pub link: String,
    /// Number of its uses. Only with `counts` or `verbose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The files that use it. Only with `verbose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<String>>,
}
