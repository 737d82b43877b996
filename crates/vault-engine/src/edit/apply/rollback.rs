//! Rollback of an edit that could not be finished.

use std::io;
use std::time::Duration;

use super::EditRun;
use super::other_writers::is_open_for_writing;
use crate::disk::FileStamp;
use crate::edit::place::FilePlace;
use crate::error::EngineError;
use crate::path::VaultPath;

/// How often a replaced file is tried to be given back while others write it, and the pause between.
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
    /// What stood there stands at the temporary place now.
    Exchanged {
        place: FilePlace<'edit>,
        temporary: FilePlace<'edit>,
        before: &'edit [u8],
        after: &'edit [u8],
    },
    /// What stood there is gone.
    Overwritten {
        place: FilePlace<'edit>,
        before: &'edit [u8],
        after: &'edit [u8],
    },
    Moved {
        from: FilePlace<'edit>,
        to: FilePlace<'edit>,
    },
    /// What is to be removed stands at the temporary place.
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
        while let Some(done) = self.done.pop() {
            stuck = stuck.or(self.roll_back_one(done).err());
        }
        for place in std::mem::take(&mut self.waiting).values() {
            stuck = stuck.or(self.calls.remove_file(place).err());
        }
        while let Some(place) = self.folders_made.pop() {
            match self.calls.remove_folder(&place) {
                // Somebody else uses it by now, or has removed it.
                Ok(()) | Err(EngineError::Changed { .. }) => {}
                Err(failure) => stuck = stuck.or(Some(failure)),
            }
            self.folders.remove(&place.path);
        }
        // What was taken back is as durable as what stood there before: nobody was told otherwise.
        let _synced = self.wait_for_folders();
        match stuck {
            None => error,
            Some(EngineError::Write { path, source } | EngineError::Io { path, source }) => {
                EngineError::HalfDone { path, source }
            }
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
                let temporary = place.beside(&self.temporaries.name(self.next_temporary))?;
                self.next_temporary += 1;
                let folder = place.folder()?;
                let file = place.open_in(&folder)?;
                self.calls
                    .write_new(&folder, &temporary, before, 0, Some(&file))?;
                self.calls.rename_over(&temporary, &place)
            }
            Done::Moved { from, to } => match self.calls.move_to_free(&to, &from) {
                Err(EngineError::Changed { .. }) if from.is_other_spelling_of(&to)? => {
                    self.calls.rename_over(&to, &from)
                }
                other => other,
            },
            Done::SetAside {
                place, temporary, ..
            } => self.calls.move_to_free(&temporary, &place),
            Done::FolderRemoved { place, mode } => self.calls.make_folder(&place, mode),
        }
    }

    /// Gives a replaced file its place again. What took its place is to be removed then, so nobody
    /// else may have written to it, or be about to (`faults.md` H15).
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
                // The newest version belongs in the place.
                self.exchange_back(place, &temporary)?;
            }
            let is_superseded = !place.begins_with(after)?;
            if is_superseded && !is_open_for_writing(&temporary)? {
                // Somebody has written the whole file anew since. What the replaced one holds was
                // overwritten by that, as it would have been without this edit.
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

    /// Where somebody has appended to what took a file's place: puts the replaced file's content
    /// there, followed by what was appended. Whether that was so and is done.
    fn keep_what_was_added(
        &mut self,
        place: &FilePlace<'edit>,
        replaced: &FilePlace<'edit>,
        after: &[u8],
    ) -> Result<bool, EngineError> {
        let now = place.read()?;
        let added = now.strip_prefix(after).unwrap_or_default();
        // The replaced file is read only after the look at who has it open: what was written to it
        // until then is read.
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
        let temporary = place.beside(&self.temporaries.name(self.next_temporary))?;
        self.next_temporary += 1;
        let folder = place.folder()?;
        let model = place.open_in(&folder)?;
        self.calls
            .write_new(&folder, &temporary, bytes, 0, Some(&model))?;
        self.exchange_back(place, &temporary)?;
        Ok(temporary)
    }

    /// Brings to `place` what other programs still write to a file that was displaced from there.
    ///
    /// `seen` is what of the displaced file the place holds already, `ours` what this edit has put
    /// in the place. The displaced file is given up only when nobody has it open and everything in
    /// it is in the place. Otherwise it keeps its temporary name, for recovery.
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
                // All of it is in the place, or somebody has saved the whole file anew since.
                self.keep_for_removal(displaced);
                return Ok(());
            }
            if let Some(added) = found.strip_prefix(seen.as_slice()) {
                ours = [current.as_slice(), added].concat();
                let next = self.put_in_place(place, &ours)?;
                self.keep_for_removal(std::mem::replace(&mut displaced, next));
            } else {
                // Somebody had it open to save the whole file anew: that belongs in the place.
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

    /// A temporary file that holds nothing but the edit's own bytes again.
    fn keep_for_removal(&mut self, temporary: FilePlace<'edit>) {
        self.waiting.insert(self.next_temporary, temporary);
        self.next_temporary += 1;
    }
}

/// Whether nobody has written to a file whose name was taken, or is about to.
///
/// The look at who has it open comes first: whatever was written by a program
/// that closed it before that look is seen by the comparison (`faults.md` H15).
fn is_untouched(place: &FilePlace<'_>, bytes: &[u8]) -> Result<bool, EngineError> {
    Ok(!is_open_for_writing(place)? && place.holds(bytes)?)
}
