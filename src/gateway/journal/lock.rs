//! One writer a vault, across processes (`faults.md` H12).

use std::fs::{File, TryLockError};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::{Journal, unwritable};
use crate::backend::obsidian::deadline::Deadline;
use crate::code::Code;
use crate::failure::Failure;

/// The file that is locked. It stays; the kernel frees the lock when its holder ends, however
/// that ends.
const LOCK: &str = "lock";
/// Who holds it, for messages; empty once its holder has left nothing undone. So one look at its
/// size tells whether a run may have been cut off.
const HOLDER: &str = "lock.holder";
/// The first and the longest wait between two attempts: long enough to cost nothing, short enough
/// not to be noticed.
const FIRST_WAIT: Duration = Duration::from_millis(1);
const LONGEST_WAIT: Duration = Duration::from_millis(25);

/// The right to change the vault and its journal, held until it is dropped or the process ends.
pub struct VaultLock {
    pub(super) journal: Journal,
    /// How many runs have not ended.
    pub(super) unfinished: AtomicUsize,
    /// Closing it frees the lock.
    _file: File,
}

impl Journal {
    /// Waits until no other process or thread changes this vault: `LOCK_TIMEOUT` when that takes
    /// longer than the deadline. An expired deadline still tries once.
    pub fn lock(&self, deadline: Deadline) -> Result<VaultLock, Failure> {
        self.folder.make()?;
        let file = self
            .folder
            .lock_file(LOCK)
            .map_err(|error| unwritable(&error))?;
        let mut wait = FIRST_WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return self.held(file),
                Err(TryLockError::WouldBlock) if deadline.has_passed() => {
                    return Err(self.held_too_long());
                }
                Err(TryLockError::WouldBlock) => {
                    thread::sleep(wait.min(deadline.left()));
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
                Err(TryLockError::Error(error)) => return Err(unwritable(&error)),
            }
        }
    }

    /// The lock where a run may have been cut off and nobody is at work: then what it left has to
    /// be seen to ([`VaultLock::recover`]) before the vault is read. Costs one look at a file where
    /// all is well, and waits for nobody.
    pub fn lock_if_cut_off(&self) -> Result<Option<VaultLock>, Failure> {
        if self.folder.size(HOLDER).unwrap_or_default() == 0 {
            return Ok(None);
        }
        self.folder.make()?;
        let file = self
            .folder
            .lock_file(LOCK)
            .map_err(|error| unwritable(&error))?;
        match file.try_lock() {
            Ok(()) => self.held(file).map(Some),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(unwritable(&error)),
        }
    }

    fn held(&self, file: File) -> Result<VaultLock, Failure> {
        self.folder
            .scribble(HOLDER, &std::process::id().to_string())
            .map_err(|error| unwritable(&error))?;
        Ok(VaultLock {
            journal: self.clone(),
            unfinished: AtomicUsize::new(0),
            _file: file,
        })
    }

    fn held_too_long(&self) -> Failure {
        let holder: Option<u32> = self
            .folder
            .read(HOLDER)
            .ok()
            .and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok());
        match holder {
            Some(process) => Failure::new(
                Code::LockTimeout,
                format!(
                    "Process {process} was writing to the vault the whole time. Nothing was changed; try again in a moment."
                ),
            )
            .with("process", process),
            None => Failure::new(
                Code::LockTimeout,
                "Another process was writing to the vault the whole time. Nothing was changed; try again in a moment.",
            ),
        }
    }
}

impl Drop for VaultLock {
    fn drop(&mut self) {
        if self.unfinished.load(Ordering::Relaxed) == 0 {
            // Where that fails the next call looks into the journal in vain.
            self.journal.folder.scribble(HOLDER, "").ok();
        }
    }
}
