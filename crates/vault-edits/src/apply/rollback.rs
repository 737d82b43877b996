//! Rollback of an edit that could not be finished.

use std::time::Duration;

use vault_files::{EngineError, FileStamp};

use super::EditRun;
use super::other_writers::is_open_for_writing;
use crate::calls::half_done;
use crate::place::FilePlace;

/// The number of attempts to restore a replaced file while others write to it, and the pause in between: 40 ms in
/// total.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(2);

/// One step that was taken, and what is needed to roll it back.
pub(super) enum Done<'edit> {
    Created {
        place: FilePlace<'edit>,
        /// The place of its content before it got its name.
        temporary: FilePlace<'edit>,
        after: &'edit [u8],
    },
    /// The replaced file now has the temporary name.
    Exchanged {
        place: FilePlace<'edit>,
        temporary: FilePlace<'edit>,
        before: &'edit [u8],
        after: &'edit [u8],
    },
    /// The replaced file is lost; only its bytes are known.
    Overwritten {
        place: FilePlace<'edit>,
        before: &'edit [u8],
        after: &'edit [u8],
    },
    Moved {
        from: FilePlace<'edit>,
        to: FilePlace<'edit>,
    },
    /// The file that is to be removed now has the temporary name.
    SetAside {
        place: FilePlace<'edit>,
        temporary: FilePlace<'edit>,
        /// The stamp of the file when it was set aside.
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
        // A step that cannot be rolled back does not stop the rollback: the fewer steps stay, the
        // better.
        while let Some(done) = self.done.pop() {
            stuck = stuck.or(self.roll_back_one(done).err());
        }
        for place in std::mem::take(&mut self.waiting).values() {
            stuck = stuck.or(self.calls.remove_file(place).err());
        }
        while let Some(place) = self.folders_made.pop() {
            match self.calls.remove_folder(&place) {
                // Another program already uses the folder, or has removed it.
                Ok(()) | Err(EngineError::Changed { .. }) => {}
                Err(failure) => stuck = stuck.or(Some(failure)),
            }
            self.folders.remove(&place.path);
        }
        // A failed sync is not an error here: the caller was never promised that the edit is durable.
        let _synced = self.wait_for_folders();
        stuck.map_or(error, half_done)
    }

    fn roll_back_one(&mut self, done: Done<'edit>) -> Result<(), EngineError> {
        match done {
            Done::Created {
                place,
                temporary,
                after,
            } => {
                self.calls.move_to_free(&place, &temporary)?;
                // Checked after the move, because from then on no program can open it under its own
                // name.
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
            Done::Moved { from, to } => {
                let aside = self.next_beside(&to)?;
                self.calls.move_or_respell(&to, &from, &aside)
            }
            Done::SetAside {
                place, temporary, ..
            } => self.calls.move_to_free(&temporary, &place),
            Done::FolderRemoved { place, mode } => self.calls.make_folder(&place, mode),
        }
    }

    /// Puts a replaced file back. The file that took its place is then removed, so it must be
    /// certain that no other program has written or will write to it (`threats.toml` H15).
    fn give_back(
        &mut self,
        place: &FilePlace<'edit>,
        mut temporary: FilePlace<'edit>,
        after: &[u8],
    ) -> Result<(), EngineError> {
        for attempt in 0..ATTEMPTS {
            // A look at open files takes milliseconds, in which a program could read the new content and later save it
            // without the replaced one. So the first attempt looks only after the exchange.
            if place.holds(after)? && (attempt == 0 || !is_open_for_writing(place)?) {
                let given = temporary.read()?;
                let displaced = self.exchange_back(place, &temporary)?;
                if is_untouched(&displaced, after)? {
                    self.keep_for_removal(displaced);
                    return Ok(());
                }
                // Another program has written to the new file in between, so its version stays.
                temporary = self.give_to_newest(place, displaced, given)?;
            }
            let is_superseded = !place.begins_with(after)?;
            if is_superseded && !is_open_for_writing(&temporary)? {
                // Another program has saved the whole file since. It would have overwritten the
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

    /// Gives the place to the newest version. Another program may save again before each exchange, and that version is
    /// then the displaced file. `given` is the content that this edit put in the place last. Returns the present place
    /// of the version before the newest.
    fn give_to_newest(
        &mut self,
        place: &FilePlace<'edit>,
        mut newest: FilePlace<'edit>,
        mut given: Vec<u8>,
    ) -> Result<FilePlace<'edit>, EngineError> {
        for _attempt in 0..ATTEMPTS {
            let next = newest.read()?;
            let displaced = self.exchange_back(place, &newest)?;
            if displaced.holds(&given)? {
                return Ok(displaced);
            }
            (newest, given) = (displaced, next);
        }
        // The newest version keeps its temporary name, for recovery.
        Err(place.changed())
    }

    /// If another program has only appended to the file that took the place: restores the replaced
    /// content with the appended text. Returns whether it did.
    fn keep_what_was_added(
        &mut self,
        place: &FilePlace<'edit>,
        replaced: &FilePlace<'edit>,
        after: &[u8],
    ) -> Result<bool, EngineError> {
        let now = place.read()?;
        let added = now.strip_prefix(after).unwrap_or_default();
        // Read after the look-up of open files, so that it includes everything that a program wrote
        // before it closed the file.
        if added.is_empty() || is_open_for_writing(place)? || is_open_for_writing(replaced)? {
            return Ok(false);
        }
        let mut whole = replaced.read()?;
        whole.extend_from_slice(added);
        let temporary = self.put_in_place(place, &whole)?;
        self.merge_displaced(place, temporary, now, whole)?;
        Ok(true)
    }

    /// Puts these bytes in the place of a file. Returns the present place of that file.
    fn put_in_place(
        &mut self,
        place: &FilePlace<'edit>,
        bytes: &[u8],
    ) -> Result<FilePlace<'edit>, EngineError> {
        let temporary = self.write_beside(place, bytes)?;
        self.exchange_back(place, &temporary)
    }

    /// Writes these bytes into a new temporary file next to a file, with its permissions.
    fn write_beside(
        &mut self,
        place: &FilePlace<'edit>,
        bytes: &[u8],
    ) -> Result<FilePlace<'edit>, EngineError> {
        let temporary = self.next_beside(place)?;
        let folder = place.folder()?;
        let model = place.open_in(&folder)?;
        self.calls
            .write_new(&folder, &temporary, bytes, 0, Some(&model))?;
        Ok(temporary)
    }

    /// Merges what other programs still write to a file that was displaced from `place`.
    ///
    /// `seen` is the part of the displaced file that the place has already, `ours` the content that
    /// this edit wrote there. The displaced file is removed only when no program has it open and
    /// the place has all of its content. Otherwise it keeps its temporary name, for recovery.
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
                // The place has all of its content, or another program has saved the whole file
                // since.
                self.keep_for_removal(displaced);
                return Ok(());
            }
            if let Some(added) = found.strip_prefix(seen.as_slice()) {
                ours = [current.as_slice(), added].concat();
                let next = self.put_in_place(place, &ours)?;
                self.keep_for_removal(std::mem::replace(&mut displaced, next));
            } else {
                // A program had it open to save the whole file, so that version belongs in the
                // place.
                displaced = self.exchange_back(place, &displaced)?;
                ours = found;
            }
            seen = current;
        }
        Err(place.changed())
    }

    /// Puts a temporary file in the place of a file. Returns the present place of that file.
    fn exchange_back(
        &mut self,
        place: &FilePlace<'edit>,
        temporary: &FilePlace<'edit>,
    ) -> Result<FilePlace<'edit>, EngineError> {
        self.swap(&place.folder()?, temporary, place)?
            .ok_or_else(|| place.changed())
    }

    /// Marks a temporary file for removal. Its content is safe elsewhere.
    pub(super) fn keep_for_removal(&mut self, temporary: FilePlace<'edit>) {
        self.waiting.insert(self.next_temporary, temporary);
        self.next_temporary += 1;
    }
}

/// Whether no program has written to a file since its name was taken, or still has it open for
/// that.
///
/// Open files are looked up first: the comparison then sees everything that a program wrote before
/// it closed the file (`threats.toml` H15).
fn is_untouched(place: &FilePlace<'_>, bytes: &[u8]) -> Result<bool, EngineError> {
    Ok(!is_open_for_writing(place)? && place.holds(bytes)?)
}
