//! Counts of links and tasks, for a note and for a vault.

use schemars::JsonSchema;
use serde::Serialize;

/// Numbers of links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkStats {
    /// All.
    pub total: usize,
    /// Links that lead to a file.
    pub resolved: usize,
    /// Links that lead to no file; each single link counts.
    pub unresolved: usize,
    /// Number of different texts of such links, as `unresolved` and `links:broken` list them.
    pub unresolved_targets: usize,
}

/// Numbers of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskStats {
    /// All.
    pub total: usize,
    /// Tasks with a blank in their brackets.
    pub open: usize,
    /// All others.
    pub done: usize,
}

impl TaskStats {
    /// Counts tasks by the character between their brackets.
    pub(super) fn add(&mut self, statuses: impl Iterator<Item = char>) {
        for status in statuses {
            self.total += 1;
            if status == ' ' {
                self.open += 1;
            } else {
                self.done += 1;
            }
        }
    }
}
