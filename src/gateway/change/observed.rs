//! What really changed in the folder while the official program ran (`design.md` §10).
//!
//! The app rewrites links, and plugins act on changes. Two walks that read no file tell which files
//! are other files now; the plan tells which of them were expected.

use std::collections::{BTreeMap, BTreeSet};

use vault_engine::{Contents, Detail, FileEntry, VaultPath};

use super::planned::{FileChange, Happening};
use crate::backend::PinnedVault;
use crate::gateway::precondition::sha256;
use crate::issue::Issue;

/// How many files a warning names.
const NAMED: usize = 20;

/// The folder before the run.
pub(super) struct Observer {
    before: Option<Contents>,
}

/// What became of the files.
pub(super) struct Observed {
    /// The files that changed, planned or not.
    pub(super) changes: Vec<FileChange>,
    /// The paths that changed and are not in the plan.
    pub(super) beyond: Vec<VaultPath>,
    /// What the caller should know.
    pub(super) warnings: Vec<Issue>,
}

impl Observer {
    /// Looks at the folder. Where that fails, nothing is known of other files afterwards.
    pub(super) fn before(vault: &PinnedVault) -> Self {
        Self {
            before: walk(vault),
        }
    }

    /// Looks again, and compares with the plan.
    pub(super) fn after(self, planned: &[FileChange], vault: &PinnedVault) -> Observed {
        let expected: BTreeSet<&str> = planned
            .iter()
            .flat_map(|file| [Some(file.path.as_str()), file.from.as_deref()])
            .flatten()
            .collect();
        let differing = match (self.before, walk(vault)) {
            (Some(before), Some(after)) => differences(&before, &after),
            _ => BTreeMap::new(),
        };
        let mut changes = Vec::new();
        let mut others = Vec::new();
        for file in planned {
            let (row, as_planned) = look(file, vault);
            if !as_planned {
                others.push(row.path.clone());
            }
            // What the app left as it was is no change.
            if row.from.is_some()
                || row.change == Happening::FolderMade
                || row.sha256 != row.before_sha256
            {
                changes.push(row);
            }
        }
        let mut beyond = Vec::new();
        for (path, change) in differing {
            if expected.contains(path.as_str()) {
                continue;
            }
            changes.push(FileChange {
                path: path.to_string(),
                change,
                from: None,
                before_sha256: None,
                sha256: hash_of(&path, vault),
                diff: None,
            });
            beyond.push(path);
        }
        let mut warnings = Vec::new();
        if !others.is_empty() {
            warnings.push(
                Issue::new(
                    "NOT_AS_PLANNED",
                    "The app left other content than was worked out beforehand. `meta.changes` tells what is there now.",
                )
                .with("paths", others),
            );
        }
        if !beyond.is_empty() {
            let named: Vec<&str> = beyond.iter().take(NAMED).map(VaultPath::as_str).collect();
            warnings.push(
                Issue::new(
                    "CHANGED_BEYOND_PLAN",
                    format!(
                        "{} files changed that the plan does not name; `undo` does not put these back.",
                        beyond.len()
                    ),
                )
                .with("paths", named)
                .with("count", beyond.len()),
            );
        }
        Observed {
            changes,
            beyond,
            warnings,
        }
    }
}

fn walk(vault: &PinnedVault) -> Option<Contents> {
    vault
        .engine
        .contents(&VaultPath::root(), Detail::Stamps)
        .ok()
}

/// The files that are new, gone, or no longer the same.
fn differences(before: &Contents, after: &Contents) -> BTreeMap<VaultPath, Happening> {
    let by_path = |contents: &Contents| -> BTreeMap<VaultPath, FileEntry> {
        contents
            .files
            .iter()
            .map(|file| (file.path.clone(), file.clone()))
            .collect()
    };
    let (before, after) = (by_path(before), by_path(after));
    let mut changed = BTreeMap::new();
    for (path, file) in &after {
        match before.get(path) {
            None => changed.insert(path.clone(), Happening::Created),
            Some(old) if old != file => changed.insert(path.clone(), Happening::Modified),
            Some(_) => None,
        };
    }
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        changed.insert(path.clone(), Happening::Removed);
    }
    changed
}

/// The row of a planned file as it is now, and whether that is what was planned.
fn look(planned: &FileChange, vault: &PinnedVault) -> (FileChange, bool) {
    let now = VaultPath::file(&planned.path)
        .ok()
        .and_then(|path| hash_of(&path, vault));
    let as_planned = match planned.change {
        Happening::Created
        | Happening::Modified
        | Happening::Moved
        | Happening::Trashed
        | Happening::Removed => {
            // The vault's own settings are no notes, which alone can be looked at here.
            planned.path.starts_with('.') || now == planned.sha256
        }
        Happening::Unknown | Happening::FolderMade | Happening::FolderRemoved => true,
    };
    let change = match planned.change {
        Happening::Unknown if now.is_none() && planned.before_sha256.is_some() => {
            Happening::Removed
        }
        Happening::Unknown if planned.before_sha256.is_none() => Happening::Created,
        Happening::Unknown => Happening::Modified,
        known => known,
    };
    let row = FileChange {
        change,
        sha256: now,
        diff: None,
        ..planned.clone()
    };
    (row, as_planned)
}

fn hash_of(path: &VaultPath, vault: &PinnedVault) -> Option<String> {
    vault
        .engine
        .read_bytes(path)
        .ok()
        .map(|bytes| sha256(&bytes))
}
