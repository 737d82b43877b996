//! One writer a vault, across processes (`faults.md` H12).

use std::time::Duration;

use super::failure::{unsafe_folder, unwritable};
use super::journal_folder::Journal;
use crate::backend::obsidian::deadline::Deadline;
use crate::code::Code;
use crate::failure::Failure;
use crate::records::state_folder::{Lock, NoLock};

/// The file that is locked. It stays; the kernel frees the lock when its holder ends, however
/// that ends.
const LOCK: &str = "lock";
/// The number of the process that holds it, for messages only: a kill or a power cut may leave this
/// file empty or stale (`faults.md` H11).
const HOLDER: &str = "lock.holder";
/// Bytes of the longest number of a process, and more.
const HOLDER_BYTES: u64 = 64;

/// The right to change the vault and its journal, held until it is dropped or the process ends.
pub struct VaultLock {
    pub(super) journal: Journal,
    _lock: Lock,
}

/// Whether runs have been cut off, as far as a reader can tell.
pub enum CutOff {
    /// No run is under way and none was cut off.
    Nothing,
    /// A run was cut off. Its changes can be put right under this lock ([`VaultLock::recover`]).
    Run(Box<VaultLock>),
    /// A run has not ended, and another process holds the lock: it is at work, or puts right what
    /// was cut off.
    UnderWay,
}

impl Journal {
    /// Waits until no other process or thread changes this vault: `LOCK_TIMEOUT` when that takes
    /// longer than the deadline. An expired deadline still tries once.
    pub fn lock(&self, deadline: Deadline) -> Result<VaultLock, Failure> {
        let lock = self.lock_within(deadline.left())?;
        lock.map_or_else(|| Err(self.held_too_long()), |lock| self.held(lock))
    }

    /// Looks for runs that have not ended, for a reader. Costs one listing of a small folder where
    /// there is none; else waits for the lock, at most `patience`.
    ///
    /// The entries themselves are looked for: no other file tells this reliably after a kill or a
    /// power cut (`faults.md` H11).
    pub fn cut_off(&self, patience: Duration) -> Result<CutOff, Failure> {
        if self.open_entries()?.is_empty() && !self.holds_older_open_entries()? {
            return Ok(CutOff::Nothing);
        }
        let Some(lock) = self.lock_within(patience)? else {
            // The run may have ended while this waited, and the next one have begun.
            let is_any = !self.open_entries()?.is_empty();
            return Ok(if is_any {
                CutOff::UnderWay
            } else {
                CutOff::Nothing
            });
        };
        if self.open_entries()?.is_empty() {
            return Ok(CutOff::Nothing);
        }
        self.held(lock).map(|lock| CutOff::Run(Box::new(lock)))
    }

    /// Whether a build before the folder `open` has left runs that have not ended. Looked for once in
    /// a journal, not by each call.
    fn holds_older_open_entries(&self) -> Result<bool, Failure> {
        if !self.is_unclaimed() {
            return Ok(false);
        }
        if !self.older_open_entries()?.is_empty() {
            return Ok(true);
        }
        // Written down so that no later call looks again. A reader that may write nothing here, or
        // not now, is answered all the same.
        let _claimed = self.lock_within(Duration::ZERO);
        Ok(false)
    }

    /// None where somebody else held it the whole time.
    fn lock_within(&self, patience: Duration) -> Result<Option<Lock>, Failure> {
        self.open.create().map_err(unsafe_folder)?;
        match self.folder.lock(LOCK, patience) {
            Ok(lock) => {
                self.claim()?;
                Ok(Some(lock))
            }
            Err(NoLock::Held) => Ok(None),
            Err(NoLock::Unsafe(reason)) => Err(unwritable(&reason)),
        }
    }

    fn held(&self, lock: Lock) -> Result<VaultLock, Failure> {
        self.folder
            .scribble(HOLDER, &std::process::id().to_string())
            .map_err(|error| unwritable(&error))?;
        Ok(VaultLock {
            journal: self.clone(),
            _lock: lock,
        })
    }

    fn held_too_long(&self) -> Failure {
        let holder: Option<u32> = self
            .folder
            .read(HOLDER, HOLDER_BYTES)
            .ok()
            .flatten()
            .and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok());
        match holder {
            Some(process) => Failure::new(
                Code::LockTimeout,
                format!(
                    "Process {process} kept the vault locked. Nothing was changed; try again in a moment."
                ),
            )
            .with("process", process),
            None => Failure::new(
                Code::LockTimeout,
                "Another process kept the vault locked for writing. Nothing was changed; try again in a moment.",
            ),
        }
    }
}
