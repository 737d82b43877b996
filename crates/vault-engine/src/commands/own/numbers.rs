//! Counts of links and tasks, for a note and for a vault.

use schemars::JsonSchema;
use serde::Serialize;

/// Numbers of links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkStats {
    /// All.
    pub total: usize,
    /// Those that lead to a file.
    pub resolved: usize,
    /// Those that lead nowhere: every single link counts.
    pub unresolved: usize,
    /// How many different texts lead nowhere, which is what `unresolved` and `links:broken` list.
    pub unresolved_targets: usize,
}

/// Numbers of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskStats {
    /// All.
    pub total: usize,
    /// Those whose brackets hold a blank.
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
