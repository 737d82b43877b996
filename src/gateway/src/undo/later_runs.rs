//! The runs that have to be undone first, in a refusal.

use std::collections::BTreeSet;

use serde_json::Value;
use uuid::Uuid;

use super::Reversals;
use backend::PinnedVault;
use protocol::failure::Failure;
use protocol::message::{first_of, for_person, message};
use store::journal::{JournalEntry, RunStanding, TouchedPath, short_id};

/// Most later runs that a refusal names.
const MOST_NAMED: usize = 5;

impl Reversals<'_> {
    /// Adds the later runs that changed the same files to the refusal of an undo, newest first: the
    /// order in which a person can undo them.
    pub(super) fn naming_later_runs(
        &self,
        failure: Failure,
        vault: &PinnedVault,
        undone: Uuid,
    ) -> Failure {
        let paths = failure.details.get("paths").and_then(Value::as_array);
        let Some(paths) =
            paths.filter(|_| self.caller.is_person() && self.caller.policy.reads_everything())
        else {
            return failure;
        };
        let listing = self
            .records
            .journal_of(vault)
            .and_then(|journal| journal.entries());
        let entries = listing.unwrap_or_default().entries;
        let touches = |file: &TouchedPath| {
            file.is_changed() && paths.iter().any(|path| path == file.path.as_str())
        };
        // The newest entry of a change shows whether it is in effect: an undo reverts it, a redo
        // repeats it.
        let mut seen = BTreeSet::new();
        let later: Vec<&JournalEntry> = entries
            .iter()
            .take_while(|listed| listed.entry.change() != undone)
            .filter(|listed| listed.standing == RunStanding::Done)
            .map(|listed| &listed.entry)
            .filter(|entry| seen.insert(entry.change()))
            .filter(|entry| entry.undoes.is_none() || entry.redoes.is_some())
            .filter(|entry| entry.files.iter().any(touches))
            .collect();
        if later.is_empty() {
            return failure;
        }
        let ids: Vec<String> = later
            .iter()
            .map(|entry| entry.change().to_string())
            .collect();
        let named = later.iter().take(MOST_NAMED).map(|entry| {
            let short = short_id(entry.change());
            format!("`vault-gw undo {short}` ({})", entry.command)
        });
        let named = first_of(named, later.len());
        let order = format!("Undo these runs first, in this order: {named}.");
        failure
            .hint(message!(
                "Later runs changed the same files. {}",
                for_person(order)
            ))
            .with("laterRuns", ids)
    }
}
