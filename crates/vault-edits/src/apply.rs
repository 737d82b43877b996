//! Applies an edit as a transaction: either all of it takes effect, or nothing.
//!
//! 1. Prepare: every new content goes into a temporary file next to its place, and is synced.
//! 2. Take: each step is one atomic system call that replaces only what the edit has seen. What it
//!    replaces keeps a temporary name.
//! 3. Commit: the folders are synced, and the replaced files are checked for other writers. Then
//!    the replaced files are removed. A failure before that rolls every step back.

mod other_writers;
mod rollback;
mod several;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::{Mutex, OnceLock, PoisonError};

use obsidian_note::{CancellationToken, VaultPath};
use vault_files::disk::stamp_of;
use vault_files::{EngineError, FileStamp, Folder, Vault, Version};

use super::calls::Calls;
use super::change::Change;
use super::place::FilePlace;
use super::state::version_of;
use super::temporary::Temporaries;
use crate::Editor;

use self::other_writers::{Writers, is_open_for_writing};
use self::rollback::Done;
use self::several::several_at_once;

impl Editor<'_> {
    /// Makes these changes in their order, or leaves everything unchanged.
    ///
    /// Folders are made first. `run` is the name of this run, in ASCII letters, digits and hyphens.
    /// A process that is killed in here leaves temporary files in the folders of the changes, for
    /// [`Self::remove_leftovers`], and each file with its old or its new content.
    ///
    /// When it returns, everything is on the disk. It takes no lock: if two processes change the same
    /// file, one of them fails with [`EngineError::Changed`]. Returns the temporary files with replaced
    /// contents that the system did not let it remove.
    ///
    /// # Errors
    ///
    /// - [`EngineError::Changed`] if something is not what the changes were planned from
    /// - [`EngineError::Write`] if the system refuses a step
    /// - [`EngineError::BeingWritten`] if another program is writing a file that is to be replaced
    ///   or removed
    /// - [`EngineError::HalfDone`] only if a step failed and the rollback failed too
    pub fn apply(&self, changes: &[Change], run: &str) -> Result<Vec<VaultPath>, EngineError> {
        self.apply_restoring(changes, run, &BTreeMap::new())
    }

    /// As [`Self::apply`]. A file that is created at, or moved to, one of the paths in `originals`
    /// also gets back the mode and name that it had there before an earlier run.
    ///
    /// # Errors
    ///
    /// As [`Self::apply`].
    pub fn apply_restoring(
        &self,
        changes: &[Change],
        run: &str,
        originals: &BTreeMap<VaultPath, Original>,
    ) -> Result<Vec<VaultPath>, EngineError> {
        let mut work = EditRun {
            vault: self,
            changes,
            writers: OnceLock::new(),
            originals,
            calls: Calls::new(self),
            temporaries: Temporaries::new(run)?,
            next_temporary: changes.len(),
            folders_made: Vec::new(),
            waiting: BTreeMap::new(),
            done: Vec::new(),
            folders: BTreeSet::new(),
        };
        let outcome = work
            .prepare(changes)
            .and_then(|()| work.take_all(changes))
            .and_then(|()| work.wait_and_look_for_other_writers());
        match outcome {
            Ok(()) => Ok(work.drop_replaced()),
            Err(error) => Err(work.roll_back(error)),
        }
    }
}

/// The mode and name that a file had at its path before an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Original {
    /// Its permission bits, for a file that is created; they are set before the file gets its name.
    /// No effect on systems without them.
    pub mode: Option<u32>,
    /// Its name on disk, if that differs from the path ([`Editor::name_at`]).
    pub name: Option<OsString>,
}

/// An edit that is being applied.
struct EditRun<'edit> {
    vault: &'edit Vault,
    changes: &'edit [Change],
    /// Other programs that write to files of the edit; looked up when the first file may be one.
    writers: OnceLock<Writers>,
    originals: &'edit BTreeMap<VaultPath, Original>,
    calls: Calls<'edit>,
    temporaries: Temporaries<'edit>,
    /// The next number for a temporary file. Numbers below the count of changes are reserved for
    /// the changes.
    next_temporary: usize,
    folders_made: Vec<FilePlace<'edit>>,
    /// Temporary files that are not in their places yet, by the number of their change.
    waiting: BTreeMap<usize, FilePlace<'edit>>,
    done: Vec<Done<'edit>>,
    /// Folders in which names have changed.
    folders: BTreeSet<VaultPath>,
}

impl<'edit> EditRun<'edit> {
    /// Makes the folders, and writes every new content into a temporary file next to its place.
    fn prepare(&mut self, changes: &'edit [Change]) -> Result<(), EngineError> {
        for change in changes {
            if let Change::MakeFolder { path } = change {
                let place = Editor(self.vault).place(path)?;
                self.touch(&place);
                self.calls
                    .make_folder(&place, self.vault.new_folder_mode())?;
                self.folders_made.push(place);
            }
        }
        let mut contents = Vec::new();
        for (index, change) in changes.iter().enumerate() {
            let (path, bytes, is_there) = match change {
                Change::Create { path, after } => (path, after, false),
                Change::Modify { path, after, .. } => (path, after, true),
                Change::MakeFolder { .. }
                | Change::Move { .. }
                | Change::Remove { .. }
                | Change::RemoveFolder { .. } => continue,
            };
            let mode = self.originals.get(path).and_then(|original| original.mode);
            contents.push(EditContent {
                index,
                path,
                bytes,
                is_there,
                mode: mode.unwrap_or_else(|| self.vault.new_file_mode()),
            });
        }
        let (vault, calls, temporaries) = (self.vault, self.calls, &self.temporaries);
        let waiting = Mutex::new(&mut self.waiting);
        // Each write waits for its own fsync. In parallel, many take about as long as one.
        several_at_once(contents, |content| {
            let temporary = content.write(vault, calls, temporaries)?;
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.insert(content.index, temporary);
            Ok(())
        })
    }

    fn take_all(&mut self, changes: &'edit [Change]) -> Result<(), EngineError> {
        for (index, change) in changes.iter().enumerate() {
            match change {
                Change::MakeFolder { .. } => {}
                Change::Create { path, after } => self.create(index, path, after)?,
                Change::Modify {
                    path,
                    before,
                    after,
                } => {
                    self.modify(index, path, before, after)?;
                }
                Change::Move { from, to, version } => self.relocate(index, from, to, *version)?,
                Change::Remove { path, version } => self.set_aside(index, path, *version)?,
                Change::RemoveFolder { path } => {
                    let place = Editor(self.vault).place(path)?;
                    let mode = place
                        .folder()?
                        .folder(&place.name)
                        .map_err(|_| place.changed())?
                        .mode()
                        .map_err(|source| place.unreadable(source))?;
                    self.touch(&place);
                    self.calls.remove_folder(&place)?;
                    // A removed folder cannot be synced any more.
                    self.folders.remove(path);
                    self.done.push(Done::FolderRemoved { place, mode });
                }
            }
        }
        Ok(())
    }

    /// Returns the place of a new file at this path, under its original name if that is free.
    fn free_place(&self, path: &VaultPath) -> Result<FilePlace<'edit>, EngineError> {
        let mut place = Editor(self.vault).place(path)?;
        let original = self.originals.get(path);
        if let Some(name) = original.and_then(|original| original.name.as_ref())
            && place.stamp()?.is_none()
        {
            place.name.clone_from(name);
        }
        Ok(place)
    }

    fn create(
        &mut self,
        index: usize,
        path: &VaultPath,
        after: &'edit [u8],
    ) -> Result<(), EngineError> {
        let place = self.free_place(path)?;
        self.touch(&place);
        let Some(temporary) = self.waiting.remove(&index) else {
            return Err(place.changed());
        };
        if let Err(error) = self.calls.move_to_free(&temporary, &place) {
            // The rollback removes it.
            self.waiting.insert(index, temporary);
            return Err(error);
        }
        self.done.push(Done::Created {
            place,
            temporary,
            after,
        });
        Ok(())
    }

    fn modify(
        &mut self,
        index: usize,
        path: &VaultPath,
        before: &'edit [u8],
        after: &'edit [u8],
    ) -> Result<(), EngineError> {
        let (place, folder) = Editor(self.vault).place_and_folder(path)?;
        self.touch(&place);
        let Some(temporary) = self.waiting.remove(&index) else {
            return Err(place.changed());
        };
        match self.replace(&folder, &temporary, &place, before) {
            Ok(Some(replaced)) => {
                // Another program may have written between the comparison and the exchange. Only
                // now, under its temporary name, can no program open the replaced file any more.
                let found = replaced.open_in(&folder);
                let is_before = found.and_then(|file| replaced.is_in(file, before));
                let changed = place.changed();
                self.done.push(Done::Exchanged {
                    place,
                    temporary: replaced,
                    before,
                    after,
                });
                if is_before? { Ok(()) } else { Err(changed) }
            }
            Ok(None) => {
                self.done.push(Done::Overwritten {
                    place,
                    before,
                    after,
                });
                Ok(())
            }
            Err(error) => {
                self.waiting.insert(index, temporary);
                Err(error)
            }
        }
    }

    /// Puts a temporary file in the place of a file of `folder` with the content `before`. Returns
    /// the present place of the replaced file; `None` if it is lost.
    fn replace(
        &mut self,
        folder: &Folder,
        temporary: &FilePlace<'edit>,
        place: &FilePlace<'edit>,
        before: &[u8],
    ) -> Result<Option<FilePlace<'edit>>, EngineError> {
        let file = place.open_in(folder)?;
        Calls::check_writable(folder, place)?;
        self.check_settled(place, &file, &temporary.open_in(folder)?)?;
        // The permissions may have changed since the temporary file was prepared.
        self.calls.follow_permissions(folder, temporary, &file)?;
        // Compared as late as possible: the shorter the gap before the exchange, the rarer a
        // rollback.
        if !place.is_in(file, before)? {
            return Err(place.changed());
        }
        let replaced = self.swap(folder, temporary, place)?;
        if replaced.is_some() {
            return Ok(replaced);
        }
        // The replaced file cannot be checked afterwards, so other writers are looked for
        // beforehand.
        if is_open_for_writing(place)? {
            return Err(EngineError::BeingWritten {
                path: place.path.clone(),
            });
        }
        self.calls.rename_over(temporary, place)?;
        Ok(None)
    }

    /// Puts a temporary file in the place of a file of `folder`. Returns the present place of that file; `None`,
    /// without any change, if the file system has neither an exchange nor hard links.
    fn swap(
        &mut self,
        folder: &Folder,
        temporary: &FilePlace<'edit>,
        place: &FilePlace<'edit>,
    ) -> Result<Option<FilePlace<'edit>>, EngineError> {
        if self.calls.exchange(folder, temporary, place)? {
            return Ok(Some(temporary.clone()));
        }
        let replaced = self.next_beside(place)?;
        if !self.calls.link(place, &replaced)? {
            return Ok(None);
        }
        match self.calls.rename_over(temporary, place) {
            Ok(()) => Ok(Some(replaced)),
            Err(error) => {
                self.keep_for_removal(replaced);
                Err(error)
            }
        }
    }

    /// Returns the place of another temporary file next to a file.
    fn next_beside(&mut self, place: &FilePlace<'edit>) -> Result<FilePlace<'edit>, EngineError> {
        self.next_temporary += 1;
        place.beside(&self.temporaries.name(self.next_temporary - 1))
    }

    fn relocate(
        &mut self,
        index: usize,
        from: &VaultPath,
        to: &VaultPath,
        version: Version,
    ) -> Result<(), EngineError> {
        let (from, to) = (Editor(self.vault).place(from)?, self.free_place(to)?);
        self.touch(&from);
        self.touch(&to);
        let stamp = checked(&from, version)?;
        let aside = from.beside(&self.temporaries.name(index))?;
        self.calls.move_or_respell(&from, &to, &aside)?;
        // Another program may have written between the check and the rename.
        let is_it = to.is_still(stamp);
        let changed = from.changed();
        self.done.push(Done::Moved { from, to });
        if is_it { Ok(()) } else { Err(changed) }
    }

    /// Gives a file that is to be removed a temporary name, so that it can be restored until the
    /// commit.
    fn set_aside(
        &mut self,
        index: usize,
        path: &VaultPath,
        version: Version,
    ) -> Result<(), EngineError> {
        let place = Editor(self.vault).place(path)?;
        let temporary = place.beside(&self.temporaries.name(index))?;
        self.touch(&place);
        let stamp = checked(&place, version)?;
        self.calls.move_to_free(&place, &temporary)?;
        let is_it = temporary.is_still(stamp);
        let changed = place.changed();
        self.done.push(Done::SetAside {
            place,
            temporary,
            stamp,
        });
        if is_it { Ok(()) } else { Err(changed) }
    }

    /// Records that a name changes in the folder of this place, which must then be synced.
    fn touch(&mut self, place: &FilePlace<'_>) {
        self.folders.insert(place.path.parent());
    }

    fn wait_for_folders(&self) -> Result<(), EngineError> {
        for path in &self.folders {
            let opened = self.vault.disk().folder(path);
            let folder = opened.map_err(|blocked| EngineError::from_blocked_path(path, blocked))?;
            self.calls.sync_folder(path, &folder)?;
        }
        Ok(())
    }

    /// Removes the replaced files. The edit is already committed, so a file that cannot be removed is not a failure: no
    /// other run uses its temporary name. Returns the files that are left.
    fn drop_replaced(self) -> Vec<VaultPath> {
        let calls = self.calls;
        let left = Mutex::new(Vec::new());
        let _all = several_at_once(self.done, |done| {
            let Some((_, temporary)) = done.replaced() else {
                return Ok(());
            };
            let removed = calls
                .remove_file(temporary)
                .or_else(|_| calls.remove_file(temporary));
            if removed.is_err() {
                let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
                left.push(done);
            }
            Ok::<(), EngineError>(())
        });
        let left = left.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut kept = Vec::new();
        if left.is_empty() {
            return kept;
        }
        // Another program may have moved the folder a moment ago.
        for leftover in Editor(self.vault).leftovers_anywhere(&self.temporaries) {
            let Ok(found) = Editor(self.vault).place(&leftover) else {
                continue;
            };
            let is_it = |done: &Done<'_>| {
                let replaced = done.replaced();
                replaced.is_some_and(|(_, temporary)| temporary.name == found.name)
                    && done.replaced_file_is_at(&found).unwrap_or_default()
            };
            if left.iter().any(is_it) && calls.remove_file(&found).is_err() {
                kept.push(leftover);
            }
        }
        kept
    }
}

/// The new content for one file.
struct EditContent<'edit> {
    /// The index of its change, which numbers the temporary file.
    index: usize,
    /// The path of the file.
    path: &'edit VaultPath,
    bytes: &'edit [u8],
    /// Whether the file exists; the new content then gets its permissions.
    is_there: bool,
    /// The permission bits for a file that does not exist yet.
    mode: u32,
}

impl EditContent<'_> {
    /// Writes the content into a temporary file in the same folder.
    fn write<'vault>(
        &self,
        vault: &'vault Vault,
        calls: Calls<'_>,
        temporaries: &Temporaries<'_>,
    ) -> Result<FilePlace<'vault>, EngineError> {
        let (target, folder) = Editor(vault).place_and_folder(self.path)?;
        let temporary = target.beside(&temporaries.name(self.index))?;
        let model = match self.is_there.then(|| target.open_in(&folder)).transpose() {
            // An earlier step of the same edit may move the file there.
            Err(EngineError::Changed { .. }) => None,
            other => other?,
        };
        if model.is_some() {
            Calls::check_writable(&folder, &target)?;
        }
        calls.write_new(&folder, &temporary, self.bytes, self.mode, model.as_ref())?;
        Ok(temporary)
    }
}

/// The stamp of the file at a place; [`EngineError::Changed`] if its content is not `version`.
fn checked(place: &FilePlace<'_>, version: Version) -> Result<FileStamp, EngineError> {
    let file = place.open()?;
    let stamp = stamp_of(&file).map_err(|source| place.unreadable(source))?;
    let found = version_of(file, &place.path, &CancellationToken::default(), |_| ())?;
    if found == version {
        Ok(stamp)
    } else {
        Err(place.changed())
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
#[cfg(unix)]
mod tests;
