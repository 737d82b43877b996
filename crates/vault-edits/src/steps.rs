//! `notes:change`: several changes as one, each planned on the result of the changes before.
//!
//! The steps are commands with their own checks. So a layer above plans them one by one, each in
//! the vault [after](Editor::after) the steps before it, and [joins](joined) their changes.
//!
//! Only the joined result of all plans is written: a file is moved once and written once. Files exchange their paths
//! by a path between two steps. If another file has that path before or after them, or a file and a folder take the
//! path of each other, the error names the first step that cannot be made with those before it.

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::VaultPath;
use schemars::JsonSchema;
use serde::Serialize;
use vault_answers::{AnswerData, OwnForm};
use vault_files::{Call, EngineError, Overlay, PlannedFile, Vault, Version};

use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use crate::Editor;

pub(super) const CHANGE: EditCommand = EditCommand::own("notes:change", not_alone, &FORM);

static FORM: OwnForm = OwnForm::new::<ChangedNotes>("changed-notes");

/// The results of several steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedNotes {
    /// The confirmation of each step, in their order.
    pub steps: Vec<String>,
}

impl AnswerData for ChangedNotes {
    /// Returns the answer of each step on its own lines.
    fn text(&self) -> String {
        self.steps.join("\n")
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
    /// state in the folder is in it no more.
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

/// Combines the changes of several steps into one edit with the same result: a file that is changed, moved and changed
/// again is moved once, and changed once at its new path. A file that exists only between two steps is not made. If
/// files exchange their paths, one of them is first moved to a path where it was between two steps.
///
/// # Errors
///
/// [`EngineError::Argument`] if that path is not free when it is needed, or a file and a folder take the path of each
/// other; [`EngineError::Changed`] if a step was not planned on the result of the steps before it.
pub fn joined<'steps>(
    steps: impl IntoIterator<Item = &'steps [Change]>,
) -> Result<Vec<Change>, EngineError> {
    let mut joined = Joined::default();
    for change in steps.into_iter().flatten() {
        joined.add(change)?;
    }
    joined.changes()
}

/// The result of several steps, compared with the state before the first of them.
#[derive(Default)]
struct Joined<'steps> {
    /// The files and folders that differ.
    after: Overlay,
    /// The files that a step changed, moved or removed, by their paths before the first step.
    before: BTreeMap<VaultPath, Original<'steps>>,
}

/// A file before the first step.
struct Original<'steps> {
    version: Version,
    /// Its bytes, if a step changes them.
    bytes: Option<&'steps [u8]>,
    /// The first path that a step gave it.
    first_to: Option<&'steps VaultPath>,
}

impl<'steps> Joined<'steps> {
    fn add(&mut self, change: &'steps Change) -> Result<(), EngineError> {
        match change {
            Change::MakeFolder { path } => self.set_folder(path, true),
            Change::RemoveFolder { path } => self.set_folder(path, false),
            Change::Create { path, after } => {
                self.must_be_free(path)?;
                self.after.put(path.clone(), after.clone(), true, 0);
            }
            Change::Modify {
                path,
                before,
                after,
            } => {
                self.must_be(path, Version::from_bytes(before), Some(before))?;
                self.after.put(path.clone(), after.clone(), false, 0);
            }
            Change::Move { from, to, version } => {
                self.must_be(from, *version, None)?;
                self.must_be_free(to)?;
                let origin = match self.after.files.get(from) {
                    Some(PlannedFile::Bytes(planned)) => planned.origin.as_ref(),
                    Some(PlannedFile::From(origin)) => Some(origin),
                    Some(PlannedFile::Gone) | None => Some(from),
                };
                if let Some(original) = origin.and_then(|origin| self.before.get_mut(origin)) {
                    original.first_to.get_or_insert(to);
                }
                self.after.rename(from, to.clone());
            }
            Change::Remove { path, version } => {
                self.must_be(path, *version, None)?;
                self.after.remove(path.clone());
            }
        }
        Ok(())
    }

    /// Plans that a folder is made or removed. Both together leave it as it was.
    fn set_folder(&mut self, path: &VaultPath, exists: bool) {
        if self.after.folders.remove(path).is_none() {
            self.after.set_folder(path.clone(), exists);
        }
    }

    /// Checks that the file at this path has this content, and remembers its content before the first step.
    fn must_be(
        &mut self,
        path: &VaultPath,
        version: Version,
        bytes: Option<&'steps [u8]>,
    ) -> Result<(), EngineError> {
        let changed = || EngineError::Changed { path: path.clone() };
        let origin = match self.after.files.get(path) {
            Some(PlannedFile::Bytes(planned)) => {
                let is_planned_on = planned.content.version() == version;
                return is_planned_on.then_some(()).ok_or_else(changed);
            }
            Some(PlannedFile::Gone) => return Err(changed()),
            Some(PlannedFile::From(origin)) => origin.clone(),
            None => path.clone(),
        };
        let original = self.before.entry(origin).or_insert(Original {
            version,
            bytes: None,
            first_to: None,
        });
        original.bytes = original.bytes.or(bytes);
        let is_planned_on = original.version == version;
        is_planned_on.then_some(()).ok_or_else(changed)
    }

    fn must_be_free(&self, path: &VaultPath) -> Result<(), EngineError> {
        match self.after.files.get(path) {
            None | Some(PlannedFile::Gone) => Ok(()),
            Some(PlannedFile::Bytes(_) | PlannedFile::From(_)) => {
                Err(EngineError::Changed { path: path.clone() })
            }
        }
    }

    /// Returns the changes that lead to the result: folders are made, files are removed and moved, texts are written,
    /// and at last folders are removed.
    fn changes(&self) -> Result<Vec<Change>, EngineError> {
        let (mut moves, mut texts) = (Vec::new(), Vec::new());
        let mut kept = BTreeSet::new();
        for (path, file) in &self.after.files {
            let (origin, planned) = match file {
                PlannedFile::Gone => continue,
                PlannedFile::From(origin) => (Some(origin), None),
                PlannedFile::Bytes(planned) => (planned.origin.as_ref(), Some(planned)),
            };
            let original = origin.and_then(|origin| Some((origin, self.before.get(origin)?)));
            kept.extend(origin);
            if let Some((origin, original)) = original.filter(|(origin, _)| *origin != path) {
                moves.push((origin.clone(), path.clone(), original.version));
            }
            let Some(planned) = planned else { continue };
            let path = path.clone();
            let after = planned.content.bytes().map(<[u8]>::to_vec);
            let after = after.map_err(|source| EngineError::Planned {
                path: path.clone(),
                source,
            })?;
            match original.and_then(|(_, original)| original.bytes) {
                Some(before) => texts.extend(Change::modified(path, before.to_vec(), after)),
                None => texts.push(Change::Create { path, after }),
            }
        }
        let leave =
            |path: &&VaultPath| self.after.files.contains_key(*path) && !kept.contains(*path);
        let removed = self.before.iter().filter(|(path, _)| leave(path));
        let removed: Vec<Change> = removed
            .map(|(path, original)| Change::Remove {
                path: path.clone(),
                version: original.version,
            })
            .collect();
        let ordered = in_order(moves, |from| Ok(self.path_between(from)))?;
        let (mut changes, emptied) = self.folders(removed.iter().chain(&ordered))?;
        changes.extend(removed);
        changes.extend(ordered);
        changes.extend(texts);
        changes.extend(emptied);
        Ok(changes)
    }

    /// Returns a path where the file was between two steps, and that no other file has before or after them.
    fn path_between(&self, from: &VaultPath) -> Option<VaultPath> {
        let path = self.before.get(from)?.first_to?;
        let is_used =
            self.before.contains_key(path)
                || self.after.files.iter().any(|(other, file)| {
                    *file != PlannedFile::Gone && folded(other) == folded(path)
                });
        (!is_used && !path.is_hidden()).then(|| path.clone())
    }

    /// Returns the changes that make folders, and those that remove folders. `leaving` are the changes by which files
    /// leave their paths. A folder of the trash is made only for a file that goes there.
    fn folders<'change>(
        &self,
        leaving: impl Iterator<Item = &'change Change>,
    ) -> Result<(Vec<Change>, Vec<Change>), EngineError> {
        let Overlay { files, folders } = &self.after;
        let present: Vec<&VaultPath> = files
            .iter()
            .filter(|(_, file)| **file != PlannedFile::Gone)
            .map(|(path, _)| path)
            .collect();
        let is_needed = |folder: &VaultPath| {
            !folder.is_hidden() || present.iter().any(|path| path.is_below(folder))
        };
        let left: BTreeSet<String> = leaving
            .filter_map(|change| change.paths().next())
            .map(folded)
            .collect();
        let taken: BTreeSet<String> = present.iter().map(|path| folded(path)).collect();
        let (mut made, mut removed) = (Vec::new(), Vec::new());
        for (folder, exists) in folders {
            let path = folder.clone();
            let others = if *exists { &left } else { &taken };
            if others.contains(&folded(folder)) {
                return Err(refused(
                    "a list in which no file takes the path of a folder, and no folder takes the path of a file",
                ));
            }
            if !*exists {
                removed.push(Change::RemoveFolder { path });
            } else if is_needed(folder) {
                made.push(Change::MakeFolder { path });
            }
        }
        // In byte order a folder comes before its subfolders, which must be removed first.
        removed.reverse();
        Ok((made, removed))
    }
}

/// Returns a path for comparisons without case, because disks may not distinguish it.
fn folded(path: &VaultPath) -> String {
    path.as_str().to_lowercase()
}

/// Returns the moves, each after the moves that free its new path. If files exchange their paths, one of them is first
/// moved to the free path that `between` returns for it.
pub(super) fn in_order(
    mut waiting: Vec<(VaultPath, VaultPath, Version)>,
    between: impl Fn(&VaultPath) -> Result<Option<VaultPath>, EngineError>,
) -> Result<Vec<Change>, EngineError> {
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for (from, ..) in &waiting {
        *left.entry(folded(from)).or_default() += 1;
    }
    let mut moves = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let is_free = |(from, to, _): &(VaultPath, VaultPath, Version)| {
            let (from, to) = (folded(from), folded(to));
            left.get(&to).is_none_or(|count| from == to && *count == 1)
        };
        let (mut free, mut blocked): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_free);
        if free.is_empty() {
            for (from, _, version) in &mut blocked {
                if let Some(path) = between(from)? {
                    *left.entry(folded(&path)).or_default() += 1;
                    free.push((std::mem::replace(from, path.clone()), path, *version));
                    break;
                }
            }
        }
        if free.is_empty() {
            return Err(refused(
                "a list in which files exchange their paths only by a path that is free",
            ));
        }
        for (from, to, version) in free {
            left.entry(folded(&from)).and_modify(|count| *count -= 1);
            moves.push(Change::Move { from, to, version });
        }
        left.retain(|_, count| *count > 0);
        waiting = blocked;
    }
    Ok(moves)
}

fn refused(rule: &'static str) -> EngineError {
    EngineError::argument("changes", rule)
}

#[cfg(test)]
mod tests;
