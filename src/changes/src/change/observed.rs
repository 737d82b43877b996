//! Detects changes in the folder while the official program ran (`design/writes.md`).
//!
//! The planned paths are compared by content, including hidden ones. Two walks that read no file
//! find other changes: the app updates links, and plugins react to changes.

use std::collections::{BTreeMap, BTreeSet};

use vault_engine::{
    Change, Contents, Detail, Editor, EngineError, FileEntry, State, Touched, VaultPath,
};

use super::planned::{FileChange, Happening, hash_of};
use backend::PinnedVault;
use protocol::Issue;

/// Most files that a warning names.
const NAMED: usize = 20;

/// The files of the folder before the run, to compare with later.
pub(super) struct Observer {
    before: Option<Contents>,
    /// The planned paths with their states before and after, without the trash.
    pub(super) touched: Vec<Touched>,
    /// The old and new paths of files that the plan moves, except into the trash.
    pub(super) moves: Vec<(VaultPath, VaultPath)>,
    /// The files that the plan moves to the trash.
    pub(super) trashed: BTreeSet<VaultPath>,
    /// Whether files that the command trashes go to the vault's own trash.
    has_own_trash: bool,
    /// The target of the command, changed or not.
    note: Option<VaultPath>,
}

/// The files of the folder at a later time, compared with those before.
pub(super) struct Snapshot {
    /// The state of each planned path, `None` if it cannot be read.
    states: BTreeMap<VaultPath, Option<State>>,
    /// Files that differ from before, planned or not; `None` if the folder cannot be walked. Only
    /// notes and canvases are compared by more than their name.
    pub(super) differing: Option<BTreeMap<VaultPath, Happening>>,
    /// Files that should go to the vault's own trash, and are neither there nor at their old path.
    pub(super) lost: BTreeSet<VaultPath>,
}

/// The changes that were found.
#[derive(Default)]
pub struct Observed {
    /// The files that changed, planned or not.
    pub changes: Vec<FileChange>,
    /// The paths that changed and are not in the plan.
    pub beyond: Vec<VaultPath>,
    /// The paths in `beyond` that the caller may know.
    seen_beyond: Vec<VaultPath>,
}

impl Observer {
    /// Records the folder before the run. `changes` is the engine's plan; without one, `note` is
    /// the target of the command. If the walk fails, files beyond the plan are not compared
    /// afterwards.
    pub(super) fn before(
        vault: &PinnedVault,
        changes: Option<&[Change]>,
        note: Option<&VaultPath>,
    ) -> Result<Self, EngineError> {
        let touched = match (changes, note) {
            (Some(changes), _) => Editor(&vault.engine).touched(changes)?,
            (None, Some(note)) => {
                let state = Editor(&vault.engine).state_at(note)?;
                vec![Touched {
                    path: note.clone(),
                    before: state,
                    after: state,
                }]
            }
            (None, None) => Vec::new(),
        };
        let steps = || changes.unwrap_or_default().iter();
        let from_and_to = |change: &Change| match change {
            Change::Move { from, to, .. } => Some((from.clone(), to.clone())),
            _ => None,
        };
        let (trashed, moves): (Vec<_>, Vec<_>) = steps()
            .filter_map(from_and_to)
            .partition(|(_, to)| to.is_hidden());
        Ok(Self {
            before: walk(vault),
            // The plan moves a deleted file into `.trash`; the app may use the system's trash, so
            // only the old path is compared.
            touched: touched
                .into_iter()
                .filter(|touched| touched.path.components().next() != Some(".trash"))
                .collect(),
            moves,
            has_own_trash: !trashed.is_empty() && Editor(&vault.engine).has_own_trash(),
            trashed: trashed.into_iter().map(|(from, _)| from).collect(),
            note: note.cloned(),
        })
    }

    /// Returns the planned paths and the target of the command.
    pub(super) fn known(&self) -> impl Iterator<Item = &VaultPath> {
        let touched = self.touched.iter().map(|touched| &touched.path);
        touched.chain(&self.note)
    }

    /// Reads the folder again and compares it with the state before.
    pub(super) fn look(&self, vault: &PinnedVault) -> Snapshot {
        let state = |touched: &Touched| {
            let state = Editor(&vault.engine).state_at(&touched.path).ok();
            (touched.path.clone(), state)
        };
        let states: BTreeMap<VaultPath, Option<State>> = self.touched.iter().map(state).collect();
        let is_lost = |touched: &&Touched| {
            let version = touched.before.version();
            self.has_own_trash
                && self.trashed.contains(&touched.path)
                && states.get(&touched.path) == Some(&Some(State::Absent))
                && version.is_some_and(|version| !Editor(&vault.engine).trash_holds(&version))
        };
        let lost = self.touched.iter().filter(is_lost);
        Snapshot {
            lost: lost.map(|touched| touched.path.clone()).collect(),
            states,
            differing: match (&self.before, walk(vault)) {
                (Some(before), Some(after)) => Some(differences(before, &after)),
                _ => None,
            },
        }
    }

    /// Returns the changes up to `snapshot`, with rows only for files that the caller may know (`seen`), in the order
    /// of the plan (`order`).
    pub(super) fn changes(
        &self,
        snapshot: &Snapshot,
        order: &[FileChange],
        seen: &PinnedVault,
    ) -> Observed {
        let mut rows = Vec::new();
        let mut shown = BTreeSet::new();
        // A move that happened as planned is one row, not a removal and a creation.
        for (from, to) in &self.moves {
            let (Some(source), Some(target)) = (self.touched_at(from), self.touched_at(to)) else {
                continue;
            };
            let (old, new) = (snapshot.state_of(from), snapshot.state_of(to));
            let (Some(State::Absent), Some(State::File { .. })) = (old, new) else {
                continue;
            };
            if same(source.before, State::Absent) || !same(target.before, State::Absent) {
                continue;
            }
            shown.extend([from, to]);
            let before = hash_of(source.before);
            rows.push(FileChange {
                from: Some(from.to_string()),
                ..FileChange::new(to, Happening::Moved, before, new.and_then(hash_of))
            });
        }
        for touched in &self.touched {
            let Some(now) = snapshot.state_of(&touched.path) else {
                continue;
            };
            if shown.contains(&touched.path) || same(now, touched.before) {
                continue;
            }
            // A file that is neither in the trash nor at its old path was permanently deleted.
            let is_lost = snapshot.lost.contains(&touched.path);
            let is_trashed = self.trashed.contains(&touched.path) && !is_lost;
            let Some(change) = happening(touched.before, now, is_trashed) else {
                continue;
            };
            // The app creates the folder for its settings itself.
            if change == Happening::FolderMade && touched.path.is_hidden() {
                continue;
            }
            let (before, after) = (hash_of(touched.before), hash_of(now));
            rows.push(FileChange::new(&touched.path, change, before, after));
        }
        let place = |row: &FileChange| order.iter().position(|planned| planned.path == row.path);
        rows.sort_by_key(|row| place(row).unwrap_or(usize::MAX));
        let (mut beyond, mut seen_beyond) = (Vec::new(), Vec::new());
        for (path, change) in snapshot.differing.iter().flatten() {
            if self.touched_at(path).is_some() {
                continue;
            }
            beyond.push(path.clone());
            if !seen.engine.sees(path) {
                continue;
            }
            seen_beyond.push(path.clone());
            let now = Editor(&seen.engine).state_at(path).ok();
            rows.push(FileChange::new(path, *change, None, now.and_then(hash_of)));
        }
        Observed {
            changes: rows,
            beyond,
            seen_beyond,
        }
    }

    /// Returns the states of a planned path.
    pub(super) fn touched_at(&self, path: &VaultPath) -> Option<&Touched> {
        self.touched.iter().find(|touched| touched.path == *path)
    }
}

impl Snapshot {
    /// Returns the state of a planned path; `None` if the path cannot be read.
    pub(super) fn state_of(&self, path: &VaultPath) -> Option<State> {
        self.states.get(path).copied().flatten()
    }
}

impl Observed {
    /// Returns a warning if files changed that are not in the plan.
    pub fn beyond_plan(&self) -> Option<Issue> {
        if self.seen_beyond.is_empty() {
            return None;
        }
        let named = self.seen_beyond.iter().take(NAMED).map(VaultPath::as_str);
        let warning = Issue::new(
            "CHANGED_BEYOND_PLAN",
            match self.seen_beyond.len() {
                1 => "While the command ran, 1 unexpected file was written. `undo` does not restore this file.".to_owned(),
                files => format!(
                    "While the command ran, {files} unexpected files were written. `undo` does not restore these files."
                ),
            },
        );
        Some(
            warning
                .with("paths", named.collect::<Vec<_>>())
                .with("count", self.seen_beyond.len()),
        )
    }
}

/// Whether two states have the same content. File modes are ignored.
pub(super) fn same(one: State, other: State) -> bool {
    match (one, other) {
        (State::File { sha256: one, .. }, State::File { sha256: other, .. }) => one == other,
        (State::Absent, State::Absent) | (State::Folder, State::Folder) => true,
        _ => false,
    }
}

/// Returns the kind of change at a path, from its states before and after.
pub fn happening(before: State, now: State, is_trashed: bool) -> Option<Happening> {
    Some(match (before, now) {
        (State::Absent, State::File { .. }) => Happening::Created,
        (State::Absent, State::Folder) => Happening::FolderMade,
        (State::Folder, State::Absent) => Happening::FolderRemoved,
        (State::File { .. }, State::Absent) if is_trashed => Happening::Trashed,
        (State::File { .. }, State::Absent | State::Folder) => Happening::Removed,
        (State::File { .. } | State::Folder, State::File { .. }) => Happening::Modified,
        (State::Absent, State::Absent) | (State::Folder, State::Folder) => return None,
    })
}

fn walk(vault: &PinnedVault) -> Option<Contents> {
    vault
        .engine
        .contents(&VaultPath::root(), Detail::Stamps)
        .ok()
}

/// The files that are new, missing, or different.
fn differences(before: &Contents, after: &Contents) -> BTreeMap<VaultPath, Happening> {
    fn by_path(contents: &Contents) -> BTreeMap<&VaultPath, &FileEntry> {
        let files = contents.files.iter();
        files.map(|file| (&file.path, file)).collect()
    }
    let (before, after) = (by_path(before), by_path(after));
    let mut changed = BTreeMap::new();
    for (path, file) in &after {
        let change = match before.get(path) {
            None => Happening::Created,
            Some(old) if old == file => continue,
            Some(old) if old.is_as_long_as(file) => Happening::Touched,
            Some(_) => Happening::Modified,
        };
        changed.insert((*path).clone(), change);
    }
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        changed.insert((*path).clone(), Happening::Removed);
    }
    changed
}
