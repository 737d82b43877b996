//! The change that `undo` or `redo` without an id means, as in an editor: `undo` means the last
//! change, new or repeated; `redo` means the change that was undone last, until there is a new
//! change.

use std::collections::BTreeMap;

use protocol::words;
use uuid::Uuid;

use super::entry::{RunKind, TouchedPath};
use super::list::ListedRun;
use super::origin::{Owner, RunOrigin};

words! {
    /// A direction through the history.
    pub enum Direction {
        /// Backwards: a change is undone.
        Undo = "undo",
        /// Forwards: an undone change is repeated.
        Redo = "redo",
    }
}

impl Direction {
    /// Returns the direction of a command; `None` if it is neither `undo` nor `redo`.
    pub fn from_command(command: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|direction| direction.name() == command)
    }
}

/// The changes of a journal, or of one owner.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// The changes in effect, the last one at the end.
    pub(super) done: Vec<Uuid>,
    /// The changes that can be redone; the change undone last is at the end.
    pub(super) undone: Vec<Uuid>,
    /// The newest change that ended the chance to redo older ones. They can be redone only by their
    /// id.
    pub(super) cut_by: Option<Uuid>,
}

impl History {
    /// Replays the runs, which are listed newest first. With `requester`, only the runs of its owner
    /// count.
    pub(super) fn replay(runs: &[ListedRun], requester: Option<&RunOrigin>) -> Self {
        let owner = requester.map(|requester| &requester.owner);
        let owners: BTreeMap<Uuid, &Owner> = runs
            .iter()
            .map(|listed| (listed.entry.run_id, &listed.entry.origin.owner))
            .collect();
        let mut history = Self::default();
        for ListedRun { entry, .. } in runs.iter().rev() {
            let change = entry.change();
            let is_of = |run: Uuid| owner.is_none_or(|owner| owners.get(&run) == Some(&owner));
            // The entry of the change itself may be pruned already.
            let is_own = if owners.contains_key(&change) {
                is_of(change)
            } else {
                is_of(entry.run_id)
            };
            let is_changed = entry.files.iter().any(TouchedPath::is_changed);
            if !(is_own && is_changed && entry.took_effect()) {
                continue;
            }
            match entry.kind() {
                RunKind::Change => {
                    if !history.undone.is_empty() {
                        history.cut_by = Some(change);
                    }
                    history.undone.clear();
                    history.done.push(change);
                }
                RunKind::Undo => {
                    remove(&mut history.done, change);
                    // Only the owner who undid a change may redo it.
                    if requester.is_none_or(|requester| requester.may_redo(&entry.origin)) {
                        history.undone.push(change);
                    }
                    history.cut_by = None;
                }
                RunKind::Redo => {
                    remove(&mut history.undone, change);
                    history.done.push(change);
                    history.cut_by = None;
                }
            }
        }
        history
    }
}

/// Removes a change; searches from the end, where it usually is.
fn remove(changes: &mut Vec<Uuid>, change: Uuid) {
    if let Some(at) = changes.iter().rposition(|other| *other == change) {
        changes.remove(at);
    }
}

/// Returns the listed run with this id.
pub(super) fn run_in(runs: &[ListedRun], run: Uuid) -> Option<&ListedRun> {
    runs.iter().find(|listed| listed.entry.run_id == run)
}

/// The newest run of this kind for a change.
pub(super) fn newest_of(runs: &[ListedRun], change: Uuid, kind: RunKind) -> Option<&ListedRun> {
    runs.iter().find(|ListedRun { entry, .. }| {
        entry.change() == change && entry.kind() == kind && entry.took_effect()
    })
}

/// Whether the newest undo or redo of a change is an undo.
pub(super) fn is_undone(runs: &[ListedRun], change: Uuid) -> bool {
    let mut about = runs
        .iter()
        .map(|listed| &listed.entry)
        .filter(|entry| entry.change() == change && entry.took_effect());
    about
        .next()
        .is_some_and(|entry| entry.kind() == RunKind::Undo)
}
