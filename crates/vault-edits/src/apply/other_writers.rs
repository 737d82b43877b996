//! Other programs that are writing the files that an edit replaces (`threats.toml` H15).
//!
//! Most editors save a note in place: they open it, which truncates it, and write it again. An edit
//! that replaces the file in between takes the name from them, and they write into a file that is
//! then removed. So an edit removes a replaced file only if
//!
//! - no process has it open for writing, and
//! - its content is what the edit was planned from.
//!
//! Both are checked after the file lost its name, because from then on no process can open it.
//! Otherwise the edit is rolled back. A check beforehand of files that were changed within the last
//! second, or that are empty, makes that rare.
//!
//! A program that opens the note after it was replaced opens the new file. It can overwrite the edit, as it could a moment
//! later, and the edit is not made a second time: the program may have read it first, so it would be there twice. Its own
//! text is never lost. Programs of other users, in other process namespaces (a container) or on other machines are not
//! seen, and neither is one that writes through a memory map whose descriptor is closed.

use std::collections::BTreeSet;
use std::fs::File;
use std::time::Duration;

use vault_files::disk::{born, identity_of, open_for_writing, stamp_of};
use vault_files::{EngineError, FileIdentity};

use super::EditRun;
use super::rollback::Done;
use crate::Editor;
use crate::change::Change;
use crate::place::FilePlace;

/// A file that was changed less than this many nanoseconds ago may be changed again at once.
const RECENT: i64 = 1_000_000_000;
/// A file whose content last changed within this many nanoseconds after its creation never had
/// other content.
const WITHIN_ITS_MAKING: i64 = 2_000_000;
/// The time for which a recently changed file is watched on systems that cannot list open files.
const SECOND_LOOK: Duration = Duration::from_millis(30);

/// The result of one look at the open files of all processes.
pub(super) struct Writers {
    looked_at: BTreeSet<FileIdentity>,
    /// Those that a process has open for writing; `None` if open files cannot be listed.
    found: Option<BTreeSet<FileIdentity>>,
}

impl Writers {
    fn of(looked_at: BTreeSet<FileIdentity>) -> Self {
        let found = open_for_writing(&looked_at);
        Self { looked_at, found }
    }
}

/// Whether a process has the file at this place open for writing. `false` if open files cannot be
/// listed.
pub(super) fn is_open_for_writing(place: &FilePlace<'_>) -> Result<bool, EngineError> {
    let file = place.open()?;
    let identity = identity_of(&file).map_err(|source| place.unreadable(source))?;
    Ok(open_for_writing(&[identity].into()).is_some_and(|written| !written.is_empty()))
}

impl EditRun<'_> {
    /// Fails if another program seems to be writing the file at `place`. `now` is a file that was just written on the
    /// same file system, whose clock may differ from this machine's clock.
    pub(super) fn check_settled(
        &self,
        place: &FilePlace<'_>,
        file: &File,
        now: &File,
    ) -> Result<(), EngineError> {
        let unreadable = |source| place.unreadable(source);
        let stamp = stamp_of(file).map_err(unreadable)?;
        let age = stamp_of(now).map_err(unreadable)?.modified - stamp.modified;
        if age > RECENT {
            return Ok(());
        }
        let being_written = || EngineError::BeingWritten {
            path: place.path.clone(),
        };
        let is_new = born(file).is_some_and(|born| stamp.modified - born < WITHIN_ITS_MAKING);
        // The file was truncated just now, so its new content is still to come. A file that was just
        // created empty does not suggest that.
        if stamp.size == 0 && !is_new {
            return Err(being_written());
        }
        let identity = identity_of(file).map_err(unreadable)?;
        let of_edit = self
            .writers
            .get_or_init(|| Writers::of(self.replaced_files()));
        let of_file;
        // Another program may have replaced the file since the look.
        let writers = if of_edit.looked_at.contains(&identity) {
            of_edit
        } else {
            of_file = Writers::of([identity].into());
            &of_file
        };
        if let Some(written) = &writers.found {
            return if written.contains(&identity) {
                Err(being_written())
            } else {
                Ok(())
            };
        }
        std::thread::sleep(SECOND_LOOK);
        if stamp_of(file).map_err(unreadable)? == stamp {
            Ok(())
        } else {
            Err(being_written())
        }
    }

    /// Returns all files whose content the edit replaces. They are looked up together, because a look reads what every
    /// process has open: an undo of 500 changes that were just made would take seconds.
    fn replaced_files(&self) -> BTreeSet<FileIdentity> {
        let modified = self.changes.iter().filter_map(|change| match change {
            Change::Modify { path, .. } => Some(path),
            _ => None,
        });
        let places = modified.filter_map(|path| Editor(self.vault).place(path).ok());
        places
            .filter_map(|place| identity_at(&place).ok())
            .collect()
    }

    /// Syncs all folders, and at the same time looks for programs that have a replaced file open. Fails if one has, or
    /// has written to the file since it was read.
    pub(super) fn wait_and_look_for_other_writers(&self) -> Result<(), EngineError> {
        let mut replaced = BTreeSet::new();
        for done in &self.done {
            if let Some((_, temporary)) = done.replaced() {
                replaced.insert(identity_at(temporary)?);
            }
        }
        let (synced, written) = if replaced.is_empty() {
            (self.wait_for_folders(), Some(BTreeSet::new()))
        } else {
            // The sync waits for the disk, and the look-up reads `/proc`. Together they take only
            // the time of the longer one.
            std::thread::scope(|scope| {
                let look = scope.spawn(|| open_for_writing(&replaced));
                let synced = self.wait_for_folders();
                (synced, look.join().unwrap_or_default())
            })
        };
        synced?;
        let written = written.unwrap_or_default();
        for done in &self.done {
            let Some((place, temporary)) = done.replaced() else {
                continue;
            };
            if !written.is_empty() && written.contains(&identity_at(temporary)?) {
                return Err(EngineError::BeingWritten {
                    path: place.path.clone(),
                });
            }
            if !done.replaced_file_is_at(temporary)? {
                return Err(place.changed());
            }
        }
        Ok(())
    }
}

fn identity_at(place: &FilePlace<'_>) -> Result<FileIdentity, EngineError> {
    identity_of(&place.open()?).map_err(|source| place.unreadable(source))
}

impl<'edit> Done<'edit> {
    /// Returns the place of a file that this step replaced or removed, and the present place of that file.
    pub(super) fn replaced(&self) -> Option<(&FilePlace<'edit>, &FilePlace<'edit>)> {
        match self {
            Self::Exchanged {
                place, temporary, ..
            }
            | Self::SetAside {
                place, temporary, ..
            } => Some((place, temporary)),
            Self::Created { .. }
            | Self::Overwritten { .. }
            | Self::Moved { .. }
            | Self::FolderRemoved { .. } => None,
        }
    }

    /// Whether the file at `found` is that file, and still has the content that it had when this
    /// step was taken.
    pub(super) fn replaced_file_is_at(&self, found: &FilePlace<'_>) -> Result<bool, EngineError> {
        match self {
            Self::Exchanged { before, .. } => found.holds(before),
            Self::SetAside { stamp, .. } => Ok(found.is_still(*stamp)),
            Self::Created { .. }
            | Self::Overwritten { .. }
            | Self::Moved { .. }
            | Self::FolderRemoved { .. } => Ok(false),
        }
    }
}
