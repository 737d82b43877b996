//! Plans the changes that restore earlier states, for undo and rollback.

use std::collections::{BTreeMap, BTreeSet};

use vault_engine::{Change, Editor, EngineError, Original, State, Vault, VaultPath, Version};

use super::blobs;
use super::disk_name::DiskName;
use super::enclosed::Enclosed;
use super::entry::{TouchedPath, is_same_content};
use super::open::{changed, read_file};
use crate::state_folder::StateFolder;
use backend::engine_failure;
use protocol::{Code, Failure, Issue};

/// A path whose state before the run is restored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back<'run> {
    pub(super) file: &'run TouchedPath,
    /// The state of the path now.
    pub(super) now: State,
}

/// The changes of a restoration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restoration {
    /// The changes in their order; [`Self::apply`] makes them.
    pub changes: Vec<Change>,
    /// The earlier names and permissions of files that are created or moved.
    originals: BTreeMap<VaultPath, Original>,
}

impl Restoration {
    /// A restoration of exactly these changes.
    pub fn new(changes: Vec<Change>) -> Self {
        Self {
            changes,
            originals: BTreeMap::new(),
        }
    }

    /// Restores all files or none. A folder that cannot be removed afterwards only causes a warning.
    ///
    /// Folders are removed one by one after the files. Until the files are committed, removed ones
    /// keep a temporary name in their folder, so the folder is not empty before.
    ///
    /// # Errors
    ///
    /// As [`Editor::apply`]: if a file differs from the plan, or cannot be written.
    pub fn apply(&self, vault: &Vault, run: &str) -> Result<Vec<Issue>, EngineError> {
        let (folders, files): (Vec<Change>, Vec<Change>) = self
            .changes
            .iter()
            .cloned()
            .partition(|change| matches!(change, Change::RemoveFolder { .. }));
        let left = Editor(vault).apply_restoring(&files, run, &self.originals)?;
        let seen = left.iter().filter(|path| vault.sees_folder(&path.parent()));
        let mut warnings: Vec<Issue> = seen.map(temporary_file_left).collect();
        for folder in folders {
            if let Change::RemoveFolder { path } = &folder
                && Editor(vault)
                    .apply(std::slice::from_ref(&folder), run)
                    .is_err()
            {
                warnings.push(folder_kept(path.as_str()));
            }
        }
        Ok(warnings)
    }
}

/// Plans how to restore these paths. Reads the files whose content will be replaced.
///
/// A file that was only moved is moved back, which keeps its inode and times. A folder is removed only
/// if it is empty then.
pub(super) fn plan(
    folder: &StateFolder,
    enclosed: &Enclosed,
    vault: &Vault,
    places: &[Back<'_>],
) -> Result<Restoration, Failure> {
    let standing = places;
    let mut places = places.to_vec();
    places.retain(|place| !is_same_content(&place.file.before, &place.now));
    let mut work = RestoreWork {
        standing,
        folder,
        enclosed,
        vault,
        vanishing: places
            .iter()
            .copied()
            .filter(|place| place.file.before == State::Absent && place.now.version().is_some())
            .collect(),
        places,
        folders: BTreeSet::new(),
        moves: Vec::new(),
        contents: Vec::new(),
        originals: BTreeMap::new(),
    };
    for place in work.places.clone() {
        work.put_back(place)?;
    }
    Ok(work.in_order())
}

/// Returns the warning that a folder is not removed.
pub fn folder_kept(path: &str) -> Issue {
    let message = format!("The folder `{path}` was not removed, because it is in use.");
    Issue::new("FOLDER_NOT_REMOVED", message).with_path(path)
}

/// Returns the folders that were not removed, as these warnings say.
pub fn kept_folders(warnings: &[Issue]) -> impl Iterator<Item = &str> {
    let kept = warnings.iter();
    let kept = kept.filter(|issue| issue.code == "FOLDER_NOT_REMOVED");
    kept.filter_map(|issue| issue.path.as_deref())
}

/// Returns the warning about a temporary file that could not be removed after an edit.
pub fn temporary_file_left(path: &VaultPath) -> Issue {
    let message = format!(
        "The temporary file `{path}` could not be removed. It contains the text from before the change."
    );
    Issue::new("TEMPORARY_FILE_LEFT", message).with_path(path.as_str())
}

struct RestoreWork<'a> {
    /// All paths of the run, also those that have their earlier content.
    standing: &'a [Back<'a>],
    folder: &'a StateFolder,
    /// Inline contents of the entry to undo or roll back.
    enclosed: &'a Enclosed,
    vault: &'a Vault,
    places: Vec<Back<'a>>,
    /// Files that did not exist before and are not yet used as the source of a move.
    vanishing: Vec<Back<'a>>,
    /// Folders to create first.
    folders: BTreeSet<VaultPath>,
    moves: Vec<Change>,
    contents: Vec<Change>,
    originals: BTreeMap<VaultPath, Original>,
}

impl<'a> RestoreWork<'a> {
    fn put_back(&mut self, Back { file, now }: Back<'a>) -> Result<(), Failure> {
        let path = &file.path;
        let State::File { mode, size, sha256 } = file.before else {
            return match (file.before, now) {
                (State::Folder, State::File { .. }) => Err(in_the_way(path)),
                (State::Folder, State::Absent) => {
                    self.make_folders_above(path)?;
                    self.folders.insert(path.clone());
                    Ok(())
                }
                _ => Ok(()),
            };
        };
        let wanted = Version { size, sha256 };
        if now == State::Folder {
            return Err(in_the_way(path));
        }
        if let Some(now) = now.version() {
            let before = self.current(path, &now)?;
            return self.replace(path, before, &wanted);
        }
        self.make_folders_above(path)?;
        let name = file.name.as_ref().map(|DiskName(name)| name.clone());
        let original = Original {
            mode: Some(mode),
            name,
        };
        self.originals.insert(path.clone(), original);
        let Some((from, version)) = self.take_source(path, &wanted) else {
            self.contents.push(Change::Create {
                path: path.clone(),
                after: self.content(&wanted)?,
            });
            return Ok(());
        };
        self.moves.push(Change::Move {
            from: from.clone(),
            to: path.clone(),
            version,
        });
        if version == wanted {
            return Ok(());
        }
        let before = self.current(from, &version)?;
        self.replace(path, before, &wanted)
    }

    /// Creates the missing folders above a path, including folders that other programs removed. If a file or another
    /// entry is in the place of a folder, it is kept and nothing is restored (`threats.toml` H16).
    fn make_folders_above(&mut self, path: &VaultPath) -> Result<(), Failure> {
        let mut above = path.parent();
        while !above.is_root() && !self.folders.contains(&above) {
            match Editor(self.vault).state_at(&above) {
                Ok(State::Folder) => break,
                Ok(State::Absent) => {}
                Ok(State::File { .. }) => return Err(in_the_way(&above)),
                // For example, a symlink is at this path.
                Err(error) => return Err(engine_failure(error)),
            }
            let parent = above.parent();
            self.folders.insert(above);
            above = parent;
        }
        Ok(())
    }

    fn replace(
        &mut self,
        path: &VaultPath,
        before: Vec<u8>,
        wanted: &Version,
    ) -> Result<(), Failure> {
        let after = self.content(wanted)?;
        self.contents.push(Change::Modify {
            path: path.clone(),
            before,
            after,
        });
        Ok(())
    }

    /// Returns the file that was moved away from this path, else one with the same content.
    fn take_source(
        &mut self,
        path: &VaultPath,
        wanted: &Version,
    ) -> Option<(&'a VaultPath, Version)> {
        let was_here = |source: &Back<'_>| source.file.moved_from.as_ref() == Some(path);
        let has_it = |source: &Back<'_>| source.now.version() == Some(*wanted);
        let found = self.vanishing.iter().position(was_here);
        let at = found.or_else(|| self.vanishing.iter().position(has_it))?;
        let source = self.vanishing.remove(at);
        Some((&source.file.path, source.now.version()?))
    }

    /// Reads the content at a path and checks that it is this version.
    fn current(&self, path: &VaultPath, version: &Version) -> Result<Vec<u8>, Failure> {
        let bytes = read_file(self.vault, path, version.size)?;
        if Version::from_bytes(&bytes) == *version {
            Ok(bytes)
        } else {
            Err(changed(path))
        }
    }

    /// Reads a content, from a path that has it now or from the journal.
    fn content(&self, version: &Version) -> Result<Vec<u8>, Failure> {
        let standing = self
            .standing
            .iter()
            .find(|place| place.now.version() == Some(*version));
        match standing {
            Some(place) => self.current(&place.file.path, version),
            None => blobs::read(self.folder, self.enclosed, version),
        }
    }

    /// Orders the changes: create folders, then move files, so that later changes find them in place;
    /// removals last, deepest first.
    fn in_order(self) -> Restoration {
        // Byte order puts each folder after its parents.
        let mut changes: Vec<Change> = self
            .folders
            .into_iter()
            .map(|path| Change::MakeFolder { path })
            .collect();
        changes.extend(self.moves);
        changes.extend(self.contents);
        for place in self.vanishing {
            if let Some(version) = place.now.version() {
                changes.push(Change::Remove {
                    path: place.file.path.clone(),
                    version,
                });
            }
        }
        let made = self.places.iter();
        let made = made.filter(|place| place.file.before == State::Absent);
        let (folders, files): (Vec<&Back<'_>>, Vec<&Back<'_>>) =
            made.partition(|place| place.now == State::Folder);
        let mut leaving: BTreeSet<&VaultPath> =
            files.iter().map(|place| &place.file.path).collect();
        // A folder sorts before its content.
        for path in folders.iter().rev().map(|place| &place.file.path) {
            if is_emptied(self.vault, path, &leaving) {
                leaving.insert(path);
                changes.push(Change::RemoveFolder { path: path.clone() });
            }
        }
        Restoration {
            changes,
            originals: self.originals,
        }
    }
}

/// Whether a folder contains only paths that will be removed. If unsure, the folder is kept.
fn is_emptied(vault: &Vault, path: &VaultPath, leaving: &BTreeSet<&VaultPath>) -> bool {
    let Ok(entries) = fs_err::read_dir(vault.root().join(path.as_str())) else {
        return false;
    };
    entries.into_iter().all(|entry| {
        entry.is_ok_and(|entry| {
            let name = entry.file_name();
            let inside = name.to_str().and_then(|name| path.join(name).ok());
            inside.is_some_and(|inside| leaving.contains(&inside))
        })
    })
}

/// Returns the failure if a folder has replaced a file or the reverse. No command does that.
fn in_the_way(path: &VaultPath) -> Failure {
    Code::PreconditionFailed
        .failure(format!(
            "Another file or folder is now at `{path}`. Nothing was changed."
        ))
        .with("path", path.as_str())
}
