//! The plan of a write for its caller: the files with their diffs, and one hash for all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use vault_engine::{Args, Change, Edit, EngineError, State, VaultPath, Version, shown};

pub(super) use crate::file_change::{FileChange, Happening};
use allowlist::Call;
use backend::cancel::Cancel;
use backend::{PinnedVault, engine_failure};
use protocol::{
    Deadline, Failure,
    digest::{hexadecimal, sha256},
};

/// The plan of a call that changes the vault, as in a dry run and in a request for approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// SHA-256 of the call and of each file before and after, 64 lower-case hexadecimal digits. Any other note, parameter
    /// or text gives another hash (`threats.toml` I14).
    #[serde(rename = "planHash")]
    pub hash: String,
    /// Whether the change of each file is known.
    #[serde(rename = "planned")]
    is_known: bool,
    /// The files that would change.
    pub files: Vec<FileChange>,
}

impl Planned {
    /// Returns the plan of an edit by the engine. Under path rules the app's own files are not shown, because their
    /// lists of files contain closed ones.
    pub fn from_edit(edit: &Edit, call: &Call, vault: &PinnedVault) -> Self {
        let mut files = files(&edit.changes);
        files.retain(|file| !vault.is_limited() || !file.path.starts_with('.'));
        Self::hashed(files, call, vault.root())
    }

    /// Returns the plan of a command that only the app can compute; `note` is its target, with its bytes.
    pub fn unknown(note: Option<(&VaultPath, Option<&[u8]>)>, call: &Call, root: &Path) -> Self {
        let files = note
            .into_iter()
            .map(|(path, bytes)| FileChange::new(path, Happening::Unknown, bytes.map(sha256), None))
            .collect();
        Self::hashed(files, call, root)
    }

    /// Whether all files that are removed or moved go to the vault's trash, even in two changes.
    pub fn only_fills_the_trash(&self) -> bool {
        let is_in_trash = |file: &&FileChange| file.path.starts_with(".trash");
        let (trash, others): (Vec<_>, Vec<_>) = self.files.iter().partition(is_in_trash);
        let count =
            |files: &[&FileChange], what| files.iter().filter(|file| file.change == what).count();
        let removed = count(&others, Happening::Removed);
        let trashed = count(&others, Happening::Trashed);
        removed + trashed > 0
            && removed + trashed == others.len()
            && removed <= count(&trash, Happening::Created)
    }

    /// Returns the plan of a call that changes these files below `root`.
    pub(super) fn hashed(files: Vec<FileChange>, call: &Call, root: &Path) -> Self {
        let Args { values, flags } = call.official_arguments();
        let texts: BTreeMap<_, _> = values
            .into_iter()
            .map(|(key, value)| (key, value.to_text()))
            .collect();
        let wanted = json!([call.command.id, texts, flags]);
        Self::hashed_as(files, &wanted, root)
    }

    /// Returns the plan of what `wanted` says, which is valid only for that: an undo or a redo of one run.
    pub fn hashed_as(files: Vec<FileChange>, wanted: &Value, root: &Path) -> Self {
        let subject = json!([root.as_os_str().as_encoded_bytes(), wanted, facts(&files)]);
        let hash = sha256(subject.to_string().as_bytes());
        let mut kinds = files.iter().map(|file| file.change);
        Self {
            hash,
            is_known: kinds.all(|kind| kind != Happening::Unknown),
            files,
        }
    }

    /// Whether it is certain that no file changes.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Adds a diff to each file, for a plan that is shown: the diffs cost more than the rest of a
    /// large plan. They stop at the deadline of the call (`threats.toml` E10).
    ///
    /// # Errors
    ///
    /// If a content cannot be read, or the deadline of the call has passed.
    pub fn with_diffs(
        mut self,
        changes: &[Change],
        (deadline, cancel): (Deadline, &Cancel),
    ) -> Result<Self, Failure> {
        let wanted: BTreeSet<&str> = self.files.iter().map(|row| row.path.as_str()).collect();
        let diff = |change: &Change| {
            let path = change.paths().last();
            let Some(path) = path.filter(|path| wanted.contains(path.as_str())) else {
                return Ok(None);
            };
            cancel.check()?;
            if deadline.has_passed() {
                return Err(engine_failure(EngineError::Stopped));
            }
            let diff = change.diff(deadline.left());
            Ok(diff.map(|diff| (path.to_string(), diff)))
        };
        let diffs: Vec<Option<(String, String)>> = changes
            .par_iter()
            .map(diff)
            .collect::<Result<_, Failure>>()?;
        let mut diffs: BTreeMap<String, String> = diffs.into_iter().flatten().collect();
        for row in &mut self.files {
            row.diff = diffs.remove(&row.path);
        }
        Ok(self)
    }

    /// Returns the plan for a person: one line for each file, then the diffs. Names are escaped, so that none of them
    /// can add a line or an arrow to the approved text (`threats.toml` B10, K07).
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let verb = file.change.verb();
            text += &match &file.from {
                Some(from) => {
                    format!(
                        "{verb} {} -> {}\n",
                        beside_arrow(from),
                        beside_arrow(&file.path)
                    )
                }
                None => format!("{verb} {}\n", shown::row(&file.path)),
            };
        }
        for diff in self.files.iter().filter_map(|file| file.diff.as_deref()) {
            text.push('\n');
            text += diff;
        }
        text
    }
}

/// Returns the facts about each file for the hash of a plan.
pub fn facts(files: &[FileChange]) -> Vec<Value> {
    let facts = files.iter().map(|file| {
        json!([
            file.path,
            file.change,
            file.from,
            file.before_sha256,
            file.sha256
        ])
    });
    facts.collect()
}

/// Returns a name in a row with an arrow: an arrow in the name is escaped.
fn beside_arrow(name: &str) -> String {
    shown::row(name).replace("->", "-\\u{3e}")
}

/// Returns the steps of an edit as one row for each file, even if it is both moved and changed.
pub fn files(changes: &[Change]) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    // The index of each moved file's row.
    let mut moved: BTreeMap<&VaultPath, usize> = BTreeMap::new();
    let hash = |version: &Version| Some(hexadecimal(&version.sha256));
    for change in changes {
        let row = match change {
            Change::RemoveFolder { path } => {
                FileChange::new(path, Happening::FolderRemoved, None, None)
            }
            Change::Create { path, after } => {
                FileChange::new(path, Happening::Created, None, Some(sha256(after)))
            }
            Change::Modify {
                path,
                before,
                after,
            } => {
                let after = Some(sha256(after));
                // A file that was moved before keeps its one row.
                if let Some(row) = moved.get(path).and_then(|row| files.get_mut(*row)) {
                    row.sha256 = after;
                    continue;
                }
                FileChange::new(path, Happening::Modified, Some(sha256(before)), after)
            }
            // The only hidden folder into which files are moved is the trash.
            Change::Move { from, to, version } if to.is_hidden() => {
                FileChange::new(from, Happening::Trashed, hash(version), None)
            }
            // The caller deletes a file; creating the trash folder for it is a detail.
            Change::MakeFolder { path } if path.is_hidden() => continue,
            Change::MakeFolder { path } => FileChange::new(path, Happening::FolderMade, None, None),
            // A file that makes room for another one is moved twice.
            Change::Move { from, to, .. } if moved.contains_key(from) => {
                let row = moved.remove(from).unwrap_or_default();
                if let Some(file) = files.get_mut(row) {
                    file.path = to.to_string();
                }
                moved.insert(to, row);
                continue;
            }
            Change::Move { from, to, version } => {
                moved.insert(to, files.len());
                FileChange {
                    from: Some(from.to_string()),
                    ..FileChange::new(to, Happening::Moved, hash(version), hash(version))
                }
            }
            Change::Remove { path, version } => {
                FileChange::new(path, Happening::Removed, hash(version), None)
            }
        };
        files.push(row);
    }
    files
}

/// Returns the hash of a file in this state; `None` if there is none.
pub fn hash_of(state: State) -> Option<String> {
    Some(hexadecimal(&state.version()?.sha256))
}
