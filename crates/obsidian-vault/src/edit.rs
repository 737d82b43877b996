//! A planned edit of a vault.

use std::time::Duration;

use obsidian_note::{VaultPath, Warning};
use vault_edits::Change;

/// The time in which the diff of one file is made short.
const DIFF_TIME: Duration = Duration::from_millis(200);

/// An edit that is planned and not applied yet. [`Vault::apply`](crate::Vault::apply) applies it.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    pub(crate) changes: Vec<Change>,
    warnings: Vec<Warning>,
}

impl Edit {
    /// Returns the steps in their order, each with the bytes or the version that the file must have before it.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns what the plan leaves undone or breaks: links that cannot follow, or links to a heading that is removed.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns every path that changes, in byte order and each once: files, the folders that are made, and for a moved
    /// file its old and its new path.
    pub fn paths(&self) -> Vec<&VaultPath> {
        let mut paths: Vec<&VaultPath> = self.changes.iter().flat_map(Change::paths).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Returns the unified diff of all texts that the edit creates or changes. `patch` and `git apply` understand it if
    /// the texts are UTF-8. Files that are only moved or removed are not in it.
    pub fn diff(&self) -> String {
        let diffs = self.changes.iter();
        diffs.filter_map(|change| change.diff(DIFF_TIME)).collect()
    }
}

impl From<vault_edits::Edit> for Edit {
    fn from(edit: vault_edits::Edit) -> Self {
        Self {
            changes: edit.changes,
            warnings: edit.warnings,
        }
    }
}
