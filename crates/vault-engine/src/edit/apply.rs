//! Doing an edit: all of it, or nothing of it.
//!
//! New contents are written to temporary files first and waited for. Only then do they take their
//! places, each by one system call that spares what the edit has not seen; what they replace is
//! kept beside them until everything is in its place and on the disk, so that it can be put back.

mod other_writers;
mod rollback;
mod several;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use super::calls::Calls;
use super::change::{Change, Version};
use super::place::FilePlace;
use super::state::version_of;
use super::temporary::Temporaries;
use crate::disk::{FileStamp, Folder, stamp_of};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::vault::Vault;

use self::other_writers::{check_settled, is_open_for_writing};
use self::rollback::Done;
use self::several::several_at_once;

impl Vault {
    /// Does these changes in their order, or leaves everything as it was: [`EngineError::Changed`]
    /// where something is not what the changes were worked out from, [`EngineError::Write`] where
    /// the system refuses a step, [`EngineError::BeingWritten`] where another program is just
    /// writing a file that is to be replaced or removed. Only where what was done cannot be taken back either is the
    /// error [`EngineError::HalfDone`].
    ///
    /// Folders are made before anything else. `run` names this run, in ASCII letters, digits and
    /// hyphens: a process that is killed in here leaves files `.vault-gw-<run>-<n>.tmp` in the
    /// folders of the changes, for [`Self::remove_leftovers`], and each file old or new.
    ///
    /// When it returns, everything is on the disk. Nothing keeps two processes from calling this
    /// at the same time; one of them then fails with `Changed`.
    pub fn apply(&self, changes: &[Change], run: &str) -> Result<(), EngineError> {
        self.apply_restoring(changes, run, &BTreeMap::new())
    }

    /// As [`Self::apply`]. A file that is created at, or moved to, one of the paths in `originals` gets
    /// back what it had there before an earlier run.
    pub fn apply_restoring(
        &self,
        changes: &[Change],
        run: &str,
        originals: &BTreeMap<VaultPath, Original>,
    ) -> Result<(), EngineError> {
        let mut work = EditRun {
            vault: self,
            originals,
            calls: Calls::of(self),
            temporaries: Temporaries::of(run)?,
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
            Ok(()) => {
                work.drop_replaced();
                Ok(())
            }
            Err(error) => Err(work.roll_back(error)),
        }
    }
}

/// What a file had at its path before an earlier run, and gets back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Original {
    /// Its permission bits, for a file that is created: it has them before it has its name. No effect
    /// on systems without them.
    pub mode: Option<u32>,
    /// Its name on the disk, where that is spelled otherwise than the path ([`Vault::name_at`]).
    pub name: Option<OsString>,
}

/// An edit that is being done.
struct EditRun<'edit> {
    vault: &'edit Vault,
    originals: &'edit BTreeMap<VaultPath, Original>,
    calls: Calls<'edit>,
    temporaries: Temporaries<'edit>,
    /// The first number of a temporary file that no change has.
    next_temporary: usize,
    folders_made: Vec<FilePlace<'edit>>,
    /// Temporary files that have not taken their places, by the number of their change.
    waiting: BTreeMap<usize, FilePlace<'edit>>,
    done: Vec<Done<'edit>>,
    /// Folders in which names have changed.
    folders: BTreeSet<VaultPath>,
}

impl<'edit> EditRun<'edit> {
    /// Makes the folders, and writes every new content beside its place.
    fn prepare(&mut self, changes: &'edit [Change]) -> Result<(), EngineError> {
        for change in changes {
            if let Change::MakeFolder { path } = change {
                let place = self.vault.place(path)?;
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
                } => self.modify(index, path, before, after)?,
                Change::Move { from, to, version } => self.relocate(from, to, *version)?,
                Change::Remove { path, version } => self.set_aside(index, path, *version)?,
                Change::RemoveFolder { path } => {
                    let place = self.vault.place(path)?;
                    let mode = place
                        .folder()?
                        .folder(&place.name)
                        .map_err(|_| place.changed())?
                        .mode()
                        .map_err(|source| place.unreadable(source))?;
                    self.touch(&place);
                    self.calls.remove_folder(&place)?;
                    self.folders.remove(path);
                    self.done.push(Done::FolderRemoved { place, mode });
                }
            }
        }
        Ok(())
    }

    /// The place of a file that comes to this path, under the name that it had before.
    fn free_place(&self, path: &VaultPath) -> Result<FilePlace<'edit>, EngineError> {
        let mut place = self.vault.place(path)?;
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
        let (place, folder) = self.vault.place_and_folder(path)?;
        self.touch(&place);
        let Some(temporary) = self.waiting.remove(&index) else {
            return Err(place.changed());
        };
        match self.replace(&folder, &temporary, &place, before) {
            Ok(true) => {
                // Someone may have written between the comparison and the exchange.
                let replaced = temporary.open_in(&folder);
                let is_before = replaced.and_then(|file| temporary.is_in(file, before));
                let changed = place.changed();
                self.done.push(Done::Exchanged {
                    place,
                    temporary,
                    before,
                    after,
                });
                if is_before? { Ok(()) } else { Err(changed) }
            }
            Ok(false) => {
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

    /// Puts a temporary file in the place of a file of `folder` that holds `before`. True where
    /// that one now stands under the temporary name; false where it is gone.
    fn replace(
        &self,
        folder: &Folder,
        temporary: &FilePlace<'_>,
        place: &FilePlace<'_>,
        before: &[u8],
    ) -> Result<bool, EngineError> {
        let file = place.open_in(folder)?;
        Calls::check_writable(folder, place)?;
        check_settled(place, &file, &temporary.open_in(folder)?)?;
        self.calls.follow_permissions(folder, temporary, &file)?;
        if !place.is_in(file, before)? {
            return Err(place.changed());
        }
        if self.calls.exchange(folder, temporary, place)? {
            return Ok(true);
        }
        // What is replaced cannot be looked at afterwards on this file system.
        if is_open_for_writing(place)? {
            return Err(EngineError::BeingWritten {
                path: place.path.clone(),
            });
        }
        self.calls.rename_over(temporary, place)?;
        Ok(false)
    }

    fn relocate(
        &mut self,
        from: &VaultPath,
        to: &VaultPath,
        version: Version,
    ) -> Result<(), EngineError> {
        let (from, to) = (self.vault.place(from)?, self.free_place(to)?);
        self.touch(&from);
        self.touch(&to);
        let stamp = checked(&from, version)?;
        match self.calls.move_to_free(&from, &to) {
            Err(EngineError::Changed { .. }) if to.is_other_spelling_of(&from)? => {
                self.calls.rename_over(&from, &to)?;
            }
            other => other?,
        }
        let is_it = is_still(&to, stamp);
        let changed = from.changed();
        self.done.push(Done::Moved { from, to });
        if is_it { Ok(()) } else { Err(changed) }
    }

    /// A file that is to be removed gets a temporary name: it can be put back until all is done.
    fn set_aside(
        &mut self,
        index: usize,
        path: &VaultPath,
        version: Version,
    ) -> Result<(), EngineError> {
        let place = self.vault.place(path)?;
        let temporary = place.beside(&self.temporaries.name(index))?;
        self.touch(&place);
        let stamp = checked(&place, version)?;
        self.calls.move_to_free(&place, &temporary)?;
        let is_it = is_still(&temporary, stamp);
        let changed = place.changed();
        self.done.push(Done::SetAside {
            place,
            temporary,
            stamp,
        });
        if is_it { Ok(()) } else { Err(changed) }
    }

    /// Remembers that names in the folder of this place change.
    fn touch(&mut self, place: &FilePlace<'_>) {
        self.folders.insert(place.path.parent());
    }

    fn wait_for_folders(&self) -> Result<(), EngineError> {
        for path in &self.folders {
            let opened = self.vault.disk().folder(path);
            let folder = opened.map_err(|blocked| {
                EngineError::from_blocked_folder(path.as_str(), path, blocked)
            })?;
            self.calls.sync_folder(path, &folder)?;
        }
        Ok(())
    }

    /// Removes what was replaced. The edit is done by now, so a file that stays is no failure of it:
    /// it has a temporary name, which no other run uses.
    fn drop_replaced(self) {
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
        if left.is_empty() {
            return;
        }
        // Its folder may have been moved a moment ago.
        for leftover in self.vault.leftovers_anywhere(&self.temporaries) {
            let Ok(found) = self.vault.place(&leftover) else {
                continue;
            };
            if left.iter().any(|done| done.replaced_what_is_at(&found)) {
                let _removed = calls.remove_file(&found);
            }
        }
    }
}

/// The new content of one file.
struct EditContent<'edit> {
    /// The number of its change.
    index: usize,
    /// Whose place it will take.
    path: &'edit VaultPath,
    bytes: &'edit [u8],
    /// Whether a file stands there, whose permissions it gets.
    is_there: bool,
    /// Its permissions where no file stands there.
    mode: u32,
}

impl EditContent<'_> {
    /// Writes it beside its place, into a temporary file.
    fn write<'vault>(
        &self,
        vault: &'vault Vault,
        calls: Calls<'_>,
        temporaries: &Temporaries<'_>,
    ) -> Result<FilePlace<'vault>, EngineError> {
        let (target, folder) = vault.place_and_folder(self.path)?;
        let temporary = target.beside(&temporaries.name(self.index))?;
        let model = match self.is_there.then(|| target.open_in(&folder)).transpose() {
            // An earlier step of the same edit may bring it there.
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

/// The stamp of the file at a place, which holds this; `Changed` where it holds something else.
fn checked(place: &FilePlace<'_>, version: Version) -> Result<FileStamp, EngineError> {
    let mut file = place.open()?;
    let stamp = stamp_of(&file).map_err(|source| place.unreadable(source))?;
    let found = version_of(&mut file).map_err(|source| place.unreadable(source))?;
    if found == version {
        Ok(stamp)
    } else {
        Err(place.changed())
    }
}

/// Whether the file at a place is the one of this stamp, and nobody has written to it since. A
/// rename changes no more of a stamp than `changed`.
fn is_still(place: &FilePlace<'_>, stamp: FileStamp) -> bool {
    place.stamp().ok().flatten().is_some_and(|found| {
        (found.inode, found.size, found.modified) == (stamp.inode, stamp.size, stamp.modified)
    })
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
#[cfg(unix)]
mod tests;
