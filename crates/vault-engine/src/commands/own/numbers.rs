//! Counts of links and tasks, for a note and for a vault.

use schemars::JsonSchema;
use serde::Serialize;

/// Numbers of links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkStats {
    /// All.
    pub(super) total: usize,
    /// Those that lead to a file.
    pub(super) resolved: usize,
    /// Those that lead nowhere: every single link counts.
    pub(super) unresolved: usize,
    /// How many different texts lead nowhere, which is what `unresolved` and `links:broken` list.
    pub(super) unresolved_targets: usize,
}

/// Numbers of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaskStats {
    /// All.
    pub(super) total: usize,
    /// Those whose brackets hold a blank.
    pub(super) open: usize,
    /// All others.
    pub(super) done: usize,
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
