//! Links between notes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{AnswerItem, NameVisitor, Source, names};
use crate::list::List;

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

impl AnswerItem for LinkItem {
    fn source(&self) -> Option<Source<'_>> {
        Some(match self {
            Self::File { path } => Source::Name(path),
            Self::Unresolved { .. } => Source::Target,
        })
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        match self {
            Self::File { path } => visit(path),
            Self::Unresolved { target } => visit(target),
        }
    }
}

impl AnswerItem for BacklinkItem {
    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Name(&self.path))
    }

    names!(path);

    fn counted(list: &List<Self>) -> usize {
        // The sum of the counts, not the number of files (`official-cli.md` §5.2).
        let counts: Option<usize> = list.items.iter().map(|item| item.count).sum();
        counts.unwrap_or(list.total())
    }
}

impl AnswerItem for UnresolvedItem {
    names!(link, sources);
}
