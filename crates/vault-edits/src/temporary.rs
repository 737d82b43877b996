//! The temporary files of an edit, and those that a killed edit leaves behind.

use std::collections::BTreeSet;

use obsidian_note::VaultPath;
use obsidian_note::path::PathError;
use vault_files::disk::list;
use vault_files::{EngineError, EntryKind};

use crate::Editor;
use crate::calls::Calls;
use crate::state::Touched;

/// The dot hides the files from the app and from this engine.
const PREFIX: &str = ".vault-gw-";
const SUFFIX: &str = ".tmp";
/// Comes before the suffix while the file is written, so that only a complete file has the other name.
const PART: &str = ".part";

/// The names of one run's temporary files: `.vault-gw-<run>-<n>.tmp`, and `.vault-gw-<run>-<n>.part.tmp` while one is
/// written.
pub(super) struct Temporaries<'run>(&'run str);

impl<'run> Temporaries<'run> {
    /// `run` is the edit's own name: ASCII letters, digits and hyphens, such as a UUID.
    pub(super) fn new(run: &'run str) -> Result<Self, EngineError> {
        let other = run
            .chars()
            .find(|character| !character.is_ascii_alphanumeric() && *character != '-');
        match other {
            Some(character) => Err(EngineError::path(run, PathError::Character(character))),
            None if run.is_empty() => Err(EngineError::path(run, PathError::Empty)),
            None => Ok(Self(run)),
        }
    }

    /// Returns the name of the temporary file for change `index`, from 0.
    pub(super) fn name(&self, index: usize) -> String {
        format!("{PREFIX}{}-{index}{SUFFIX}", self.0)
    }

    fn is_one(&self, name: &str) -> bool {
        name.strip_prefix(PREFIX)
            .and_then(|rest| rest.strip_prefix(self.0)?.strip_prefix('-'))
            .and_then(|rest| rest.strip_suffix(SUFFIX))
            .map(|index| index.strip_suffix(PART).unwrap_or(index))
            .is_some_and(|index| {
                !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit())
            })
    }
}

/// Returns the name of a temporary file while it is written.
pub(super) fn part_name(name: &str) -> String {
    let stem = name.strip_suffix(SUFFIX).unwrap_or(name);
    format!("{stem}{PART}{SUFFIX}")
}

impl Editor<'_> {
    /// Returns the temporary files that a killed [`Self::apply`] of the run `run` left in the vault. Walks all folders,
    /// hidden ones too, and skips those that cannot be listed.
    ///
    /// # Errors
    ///
    /// If `run` is not a valid name of a run.
    pub fn leftovers(&self, run: &str) -> Result<Vec<VaultPath>, EngineError> {
        let mut leftovers = self.leftovers_anywhere(&Temporaries::new(run)?);
        leftovers.sort();
        Ok(leftovers)
    }

    /// Removes all temporary files that a killed [`Self::apply`] of the run `run` left in the folders of these paths.
    /// Only for an edit that replaces no file: no temporary file has the only copy of a content then.
    ///
    /// # Errors
    ///
    /// If `run` is not a valid name of a run, a folder cannot be listed, or a file cannot be removed.
    pub fn remove_all_leftovers(&self, run: &str, paths: &[VaultPath]) -> Result<(), EngineError> {
        let temporaries = Temporaries::new(run)?;
        let folders: BTreeSet<VaultPath> = paths.iter().map(VaultPath::parent).collect();
        for folder in folders {
            for leftover in self.leftovers_in(&temporaries, &folder)? {
                Calls::new(self).remove_file(&self.place(&leftover)?)?;
            }
        }
        Ok(())
    }

    /// Removes the temporary files that a killed [`Self::apply`] of the run `run` left in the vault. Call it before
    /// anything is restored. Walks all folders, hidden ones too: a folder that was moved since has taken its temporary
    /// files along.
    ///
    /// Returns the files that it keeps because they may be the only copy of their content: text that another program
    /// wrote to a note at the moment when the note was replaced. All others contain a version that `touched` names, or
    /// were not complete.
    ///
    /// # Errors
    ///
    /// If `run` is not a valid name of a run, a folder of `touched` cannot be listed, or a file cannot be read or
    /// removed.
    pub fn remove_leftovers(
        &self,
        run: &str,
        touched: &[Touched],
    ) -> Result<Vec<VaultPath>, EngineError> {
        let temporaries = Temporaries::new(run)?;
        let mut leftovers = self.leftovers_anywhere(&temporaries);
        // Listed again, because here a failure counts: without access nothing can be restored there
        // either.
        let folders: BTreeSet<VaultPath> = touched.iter().map(|file| file.path.parent()).collect();
        for folder in folders {
            leftovers.extend(self.leftovers_in(&temporaries, &folder)?);
        }
        leftovers.sort();
        leftovers.dedup();
        let mut kept = Vec::new();
        for leftover in leftovers {
            if self.is_recorded_version(&leftover, touched)? {
                Calls::new(self).remove_file(&self.place(&leftover)?)?;
            } else {
                kept.push(leftover);
            }
        }
        Ok(kept)
    }

    /// Returns the temporary files of a run in the whole vault, without folders that cannot be listed.
    pub(super) fn leftovers_anywhere(&self, temporaries: &Temporaries<'_>) -> Vec<VaultPath> {
        let mut found = Vec::new();
        let mut folders = vec![VaultPath::root()];
        while let Some(path) = folders.pop() {
            let opened = self.disk().folder(&path);
            let Ok(entries) = opened
                .map_err(|_| ())
                .and_then(|opened| list(&opened).map_err(|_| ()))
            else {
                continue;
            };
            for entry in entries {
                let name = entry.name.to_string_lossy();
                match (entry.kind, path.join(&name)) {
                    (EntryKind::Folder, Ok(folder)) => folders.push(folder),
                    (EntryKind::File, Ok(file)) if temporaries.is_one(&name) => found.push(file),
                    _ => {}
                }
            }
        }
        found
    }

    /// Returns the temporary files of a run in one folder, in the order of their names.
    fn leftovers_in(
        &self,
        temporaries: &Temporaries<'_>,
        folder: &VaultPath,
    ) -> Result<Vec<VaultPath>, EngineError> {
        let opened = match self.disk().folder(folder) {
            Ok(opened) => opened,
            // The edit may have been killed before it made the folder.
            Err(blocked) if blocked.obstacle.is_absence() => return Ok(Vec::new()),
            Err(blocked) => return Err(EngineError::from_blocked_path(folder, blocked)),
        };
        let entries = list(&opened).map_err(|source| EngineError::io(folder, source))?;
        let mut found: Vec<VaultPath> = entries
            .iter()
            .filter_map(|entry| entry.name.to_str())
            .filter(|name| temporaries.is_one(name))
            .filter_map(|name| folder.join(name).ok())
            .collect();
        found.sort();
        Ok(found)
    }

    /// Whether a leftover is a version that `touched` names, or was killed while it was written.
    fn is_recorded_version(
        &self,
        leftover: &VaultPath,
        touched: &[Touched],
    ) -> Result<bool, EngineError> {
        let name = leftover.name().strip_suffix(SUFFIX);
        if name.is_some_and(|name| name.ends_with(PART)) {
            return Ok(true);
        }
        let version = self.state_at(leftover)?.version();
        let mut recorded = touched.iter().flat_map(|file| [file.before, file.after]);
        Ok(version.is_none() || recorded.any(|state| state.version() == version))
    }
}
