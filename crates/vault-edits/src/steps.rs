//! `notes:change`: several changes as one, each planned on the result of the changes before.
//!
//! The steps are commands with their own checks. So a layer above plans them one by one, each in
//! the vault [after](Editor::after) the steps before it, and [joins](joined) their changes.

use std::collections::BTreeMap;

use cli_output::{AnswerData, OwnForm};
use obsidian_note::VaultPath;
use schemars::JsonSchema;
use serde::Serialize;
use vault_files::{Call, EngineError, Overlay, Vault, Version};

use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use crate::Editor;

pub(super) const CHANGE: EditCommand = EditCommand::own("notes:change", not_alone, &FORM);

static FORM: OwnForm = OwnForm::new::<ChangedNotes>("changed-notes");

/// The results of several steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedNotes {
    /// The steps, in their order.
    pub steps: Vec<StepDone>,
}

/// The result of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepDone {
    /// Its command.
    pub command: String,
    /// The confirmation of the command.
    pub done: String,
}

impl AnswerData for ChangedNotes {
    /// Returns the answer of each step on its own lines.
    fn text(&self) -> String {
        let lines: Vec<&str> = self.steps.iter().map(|step| step.done.as_str()).collect();
        lines.join("\n")
    }
}

fn not_alone(_call: &Call<'_>) -> Result<Edit, EngineError> {
    Err(EngineError::argument("changes", "planned step by step"))
}

impl Editor<'_> {
    /// Returns the vault as it will be after these planned changes: every read and every plan shows their result.
    /// [`Self::apply`] and the journal work on the actual folder.
    #[must_use]
    pub fn after(&self, changes: &[Change]) -> Vault {
        let overlay = self.changed_overlay(changes, 0);
        self.0.clone().with_overlay(overlay)
    }

    /// As [`Self::after`]; files with new content have `modified` as the time of their last change,
    /// in milliseconds since 1970. A file that no change touches is always the folder's present one.
    /// [`Vault::overlay`] of the result is the draft after these changes. A file that is back at its
    /// state in the folder is in it no more. A changed file goes to the trash as it is in the folder,
    /// and a new one nowhere.
    #[must_use]
    pub fn after_at(&self, changes: &[Change], modified: i64) -> Vault {
        let overlay = self.changed_overlay(changes, modified);
        let paths = changes.iter().flat_map(Change::paths);
        let overlay = self.without_unchanged(overlay, paths);
        self.0.clone().with_overlay(overlay)
    }

    /// Returns the planned changes with these added.
    fn changed_overlay(&self, changes: &[Change], modified: i64) -> Overlay {
        let overlay = self.overlay().map(|overlay| overlay.as_ref().clone());
        let mut overlay = overlay.unwrap_or_default();
        for change in changes {
            match change {
                Change::MakeFolder { path } => overlay.set_folder(path.clone(), true),
                Change::Create { path, after } => {
                    overlay.put(path.clone(), after.clone(), true, modified);
                }
                Change::Modify { path, after, .. } => {
                    overlay.put(path.clone(), after.clone(), false, modified);
                }
                Change::Move { from, to, .. } => overlay.rename(from, to.clone()),
                Change::Remove { path, .. } => overlay.remove(path.clone()),
                Change::RemoveFolder { path } => overlay.set_folder(path.clone(), false),
            }
        }
        overlay
    }
}

/// The planned changes of one file.
#[derive(Default)]
struct PlannedFileChange {
    /// Its path now; `None` for a new file.
    origin: Option<VaultPath>,
    /// Its content now, if a step gave it.
    version: Option<Version>,
    /// Its bytes now, if a step changes them.
    before: Option<Vec<u8>>,
    /// All of its bytes afterwards; `None` if they stay.
    after: Option<Vec<u8>>,
}

impl PlannedFileChange {
    fn with_origin(path: &VaultPath) -> Self {
        Self {
            origin: Some(path.clone()),
            ..Self::default()
        }
    }
}

/// Combines the changes of several steps into one edit: a file that is changed, moved and changed again is moved once,
/// and changed once at its new path.
///
/// # Errors
///
/// [`EngineError::Argument`] if files exchange their paths, which no order of moves can do, or if a step removes
/// something; [`EngineError::Changed`] if a step was not planned on the result of the steps before it.
pub fn joined<'steps>(
    steps: impl IntoIterator<Item = &'steps [Change]>,
) -> Result<Vec<Change>, EngineError> {
    let mut changes = Vec::new();
    let mut planned: BTreeMap<VaultPath, PlannedFileChange> = BTreeMap::new();
    for change in steps.into_iter().flatten() {
        let (path, file) = match change {
            Change::MakeFolder { .. } => {
                changes.push(change.clone());
                continue;
            }
            Change::Create { path, after } => {
                let new = PlannedFileChange {
                    after: Some(after.clone()),
                    ..PlannedFileChange::default()
                };
                must_be_free(&planned, path)?;
                (path, new)
            }
            Change::Modify {
                path,
                before,
                after,
            } => {
                let mut file = planned
                    .remove(path)
                    .unwrap_or_else(|| PlannedFileChange::with_origin(path));
                match &file.after {
                    Some(planned) if planned != before => {
                        return Err(EngineError::Changed { path: path.clone() });
                    }
                    Some(_) => {}
                    None => {
                        file.version = Some(Version::from_bytes(before));
                        file.before = Some(before.clone());
                    }
                }
                file.after = Some(after.clone());
                (path, file)
            }
            Change::Move { from, to, version } => {
                let mut file = planned
                    .remove(from)
                    .unwrap_or_else(|| PlannedFileChange::with_origin(from));
                file.version.get_or_insert(*version);
                must_be_free(&planned, to)?;
                (to, file)
            }
            Change::Remove { .. } | Change::RemoveFolder { .. } => {
                return Err(refused("steps that remove nothing"));
            }
        };
        planned.insert(path.clone(), file);
    }
    changes.extend(in_order(&planned)?);
    for (path, file) in planned {
        match (file.origin, file.before, file.after) {
            (None, _, Some(after)) => changes.push(Change::Create { path, after }),
            (Some(_), Some(before), Some(after)) if before != after => {
                changes.push(Change::modify(path, before, after));
            }
            _ => {}
        }
    }
    Ok(changes)
}

fn must_be_free(
    planned: &BTreeMap<VaultPath, PlannedFileChange>,
    path: &VaultPath,
) -> Result<(), EngineError> {
    if planned.contains_key(path) {
        return Err(EngineError::Changed { path: path.clone() });
    }
    Ok(())
}

/// Returns the moves, each after the moves that free its new path. Compares without case, because disks may not
/// distinguish it.
fn in_order(planned: &BTreeMap<VaultPath, PlannedFileChange>) -> Result<Vec<Change>, EngineError> {
    let folded = |path: &VaultPath| path.as_str().to_lowercase();
    let mut waiting: Vec<(&VaultPath, &VaultPath, Version)> = planned
        .iter()
        .filter_map(|(to, file)| {
            let from = file.origin.as_ref().filter(|from| *from != to)?;
            Some((from, to, file.version?))
        })
        .collect();
    let mut moves = Vec::new();
    while !waiting.is_empty() {
        let is_free = |to: &VaultPath, from: &VaultPath| {
            let mut others = waiting.iter().filter(|(other, ..)| *other != from);
            others.all(|(other, ..)| folded(other) != folded(to))
        };
        let next = waiting.iter().position(|(from, to, _)| is_free(to, from));
        let Some(next) = next else {
            return Err(refused("moves by which no files exchange their places"));
        };
        let (from, to, version) = waiting.remove(next);
        moves.push(Change::Move {
            from: from.clone(),
            to: to.clone(),
            version,
        });
    }
    Ok(moves)
}

fn refused(rule: &'static str) -> EngineError {
    EngineError::argument("changes", rule)
}
