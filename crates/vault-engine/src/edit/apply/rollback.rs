//! Rollback of an edit that could not be finished.

use std::io;
use std::time::Duration;

use super::EditRun;
use super::other_writers::is_open_for_writing;
use crate::disk::FileStamp;
use crate::edit::place::FilePlace;
use crate::error::EngineError;
use crate::path::VaultPath;

/// How often it is tried to restore a replaced file that others write to, and the pause between:
/// 40 ms in total.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(2);

/// One step that was taken, and what is needed to roll it back.
pub(super) enum Done<'edit> {
    Created {
        place: FilePlace<'edit>,
        /// Where its content was before.
        temporary: FilePlace<'edit>,
        after: &'edit [u8],
    },
    /// The replaced file is at the temporary place.
    Exchanged {
        place: FilePlace<'edit>,
        temporary: FilePlace<'edit>,
        before: &'edit [u8],
        after: &'edit [u8],
    },
    /// The replaced file is gone; only its bytes are known.
    Overwritten {
        place: FilePlace<'edit>,
        before: &'edit [u8],
        after: &'edit [u8],
    },
    Moved {
        from: FilePlace<'edit>,
        to: FilePlace<'edit>,
    },
    /// The file to remove is at the temporary place.
    SetAside {
        place: FilePlace<'edit>,
        temporary: FilePlace<'edit>,
        /// Of the file, when it was set aside.
        stamp: FileStamp,
    },
    FolderRemoved {
        place: FilePlace<'edit>,
        mode: u32,
    },
}

impl<'edit> EditRun<'edit> {
    /// Rolls back every step, the last one first, and removes the temporary files. The error is
    /// `error`, or `HalfDone` with the first step that could not be rolled back.
    pub(super) fn roll_back(mut self, error: EngineError) -> EngineError {
        let mut stuck = None;
        // A step that is stuck does not stop the rollback: the fewer steps stay, the better.
        while let Some(done) = self.done.pop() {
            stuck = stuck.or(self.roll_back_one(done).err());
        }
        for place in std::mem::take(&mut self.waiting).values() {
            stuck = stuck.or(self.calls.remove_file(place).err());
        }
        while let Some(place) = self.folders_made.pop() {
            match self.calls.remove_folder(&place) {
                // Another program uses it by now, or has removed it.
                Ok(()) | Err(EngineError::Changed { .. }) => {}
                Err(failure) => stuck = stuck.or(Some(failure)),
            }
            self.folders.remove(&place.path);
        }
        // A failed sync is no error here: the caller was never told that the edit is durable.
        let _synced = self.wait_for_folders();
        match stuck {
            None => error,
            Some(
                EngineError::Write { path, source }
                | EngineError::Io { path, source }
                | EngineError::HalfDone { path, source },
            ) => EngineError::HalfDone { path, source },
            Some(
                EngineError::Changed { path }
                | EngineError::BeingWritten { path }
                | EngineError::Symlink { path },
            ) => EngineError::HalfDone {
                path,
                source: io::Error::other("another program wrote there meanwhile"),
            },
            Some(other) => EngineError::HalfDone {
                path: VaultPath::root(),
                source: io::Error::other(other.to_string()),
            },
        }
    }

    fn roll_back_one(&mut self, done: Done<'edit>) -> Result<(), EngineError> {
        match done {
            Done::Created {
                place,
                temporary,
                after,
            } => {
                self.calls.move_to_free(&place, &temporary)?;
                // Checked after the move, from when on no program can open it under its own name.
                if temporary.holds(after)? {
                    self.keep_for_removal(temporary);
                    return Ok(());
                }
                self.calls.move_to_free(&temporary, &place)?;
                Err(place.changed())
            }
            Done::Exchanged {
                place,
                temporary,
                after,
                ..
            } => self.give_back(&place, temporary, after),
            Done::Overwritten {
                place,
                before,
                after,
            } => {
                if !place.holds(after)? {
                    return Err(place.changed());
                }
                let temporary = self.write_beside(&place, before)?;
                self.calls.rename_over(&temporary, &place)
            }
            Done::Moved { from, to } => self.calls.move_or_respell(&to, &from),
            Done::SetAside {
                place, temporary, ..
            } => self.calls.move_to_free(&temporary, &place),
            Done::FolderRemoved { place, mode } => self.calls.make_folder(&place, mode),
        }
    }

    /// Puts a replaced file back. The file that took its place is removed then, so no other program
    /// may have written to it, or be about to (`faults.md` H15).
    fn give_back(
        &mut self,
        place: &FilePlace<'edit>,
        temporary: FilePlace<'edit>,
        after: &[u8],
    ) -> Result<(), EngineError> {
        for _attempt in 0..ATTEMPTS {
            if place.holds(after)? && !is_open_for_writing(place)? {
                self.exchange_back(place, &temporary)?;
                if is_untouched(&temporary, after)? {
                    self.keep_for_removal(temporary);
                    return Ok(());
                }
                // Another program has written to the new file in between: its version stays.
                self.exchange_back(place, &temporary)?;
            }
            let is_superseded = !place.begins_with(after)?;
            if is_superseded && !is_open_for_writing(&temporary)? {
                // Another program has saved the whole file since. That would have overwritten the
                // replaced content without this edit too.
                self.keep_for_removal(temporary);
                return Ok(());
            }
            if !is_superseded && self.keep_what_was_added(place, &temporary, after)? {
                self.keep_for_removal(temporary);
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        Err(place.changed())
    }

    /// If another program has appended to the file that took the place: restores the replaced
    /// content, followed by what was appended. Returns whether it did.
    fn keep_what_was_added(
        &mut self,
        place: &FilePlace<'edit>,
        replaced: &FilePlace<'edit>,
        after: &[u8],
    ) -> Result<bool, EngineError> {
        let now = place.read()?;
        let added = now.strip_prefix(after).unwrap_or_default();
        // Read after the look for open files: what a program wrote before it closed the file is in
        // what is read then.
        if added.is_empty() || is_open_for_writing(place)? || is_open_for_writing(replaced)? {
            return Ok(false);
        }
        let mut whole = replaced.read()?;
        whole.extend_from_slice(added);
        let temporary = self.put_in_place(place, &whole)?;
        self.merge_displaced(place, temporary, now, whole)?;
        Ok(true)
    }

    /// Puts these bytes in the place of a file. Returns where that file is now.
    fn put_in_place(
        &mut self,
        place: &FilePlace<'edit>,
        bytes: &[u8],
    ) -> Result<FilePlace<'edit>, EngineError> {
        let temporary = self.write_beside(place, bytes)?;
        self.exchange_back(place, &temporary)?;
        Ok(temporary)
    }

    /// Writes these bytes into a new temporary file beside a file, with its permissions.
    fn write_beside(
        &mut self,
        place: &FilePlace<'edit>,
        bytes: &[u8],
    ) -> Result<FilePlace<'edit>, EngineError> {
        let temporary = place.beside(&self.temporaries.name(self.next_temporary))?;
        self.next_temporary += 1;
        let folder = place.folder()?;
        let model = place.open_in(&folder)?;
        self.calls
            .write_new(&folder, &temporary, bytes, 0, Some(&model))?;
        Ok(temporary)
    }

    /// Brings to `place` what other programs still write to a file that was displaced from there.
    ///
    /// `seen` is the part of the displaced file that the place holds already, `ours` what this edit
    /// has put in the place. The displaced file is removed only when no program has it open and all
    /// of it is in the place. Otherwise it keeps its temporary name, for recovery.
    fn merge_displaced(
        &mut self,
        place: &FilePlace<'edit>,
        mut displaced: FilePlace<'edit>,
        mut seen: Vec<u8>,
        mut ours: Vec<u8>,
    ) -> Result<(), EngineError> {
        for _attempt in 0..ATTEMPTS {
            if is_open_for_writing(&displaced)? {
                std::thread::sleep(PAUSE);
                continue;
            }
            let found = displaced.read()?;
            let current = place.read()?;
            if found == seen || !current.starts_with(&ours) {
                // All of it is in the place, or another program has saved the whole file since.
                self.keep_for_removal(displaced);
                return Ok(());
            }
            if let Some(added) = found.strip_prefix(seen.as_slice()) {
                ours = [current.as_slice(), added].concat();
                let next = self.put_in_place(place, &ours)?;
                self.keep_for_removal(std::mem::replace(&mut displaced, next));
            } else {
                // A program had it open to save the whole file: that version belongs in the place.
                self.exchange_back(place, &displaced)?;
                ours = found;
            }
            seen = current;
        }
        Err(place.changed())
    }

    fn exchange_back(
        &self,
        place: &FilePlace<'_>,
        temporary: &FilePlace<'_>,
    ) -> Result<(), EngineError> {
        if self.calls.exchange(&place.folder()?, temporary, place)? {
            Ok(())
        } else {
            Err(place.changed())
        }
    }

    /// Marks a temporary file for removal. All that it holds is safe elsewhere.
    fn keep_for_removal(&mut self, temporary: FilePlace<'edit>) {
        self.waiting.insert(self.next_temporary, temporary);
        self.next_temporary += 1;
    }
}

/// Whether no program has written to a file since its name was taken, or is about to.
///
/// Open files are looked for first: what a program wrote before it closed the file is then seen by
/// the comparison (`faults.md` H15).
fn is_untouched(place: &FilePlace<'_>, bytes: &[u8]) -> Result<bool, EngineError> {
    Ok(!is_open_for_writing(place)? && place.holds(bytes)?)
}
