//! One writer a vault, across processes (`faults.md` H12).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{Journal, unsafe_folder, unwritable};
use crate::backend::obsidian::deadline::Deadline;
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::state_folder::{Lock, NoLock};

/// The file that is locked. It stays; the kernel frees the lock when its holder ends, however
/// that ends.
const LOCK: &str = "lock";
/// Who holds it, for messages; empty once its holder has left nothing undone. So one look at its
/// size tells whether a run may have been cut off.
const HOLDER: &str = "lock.holder";
/// Bytes of the longest number of a process, and more.
const HOLDER_BYTES: u64 = 64;

/// The right to change the vault and its journal, held until it is dropped or the process ends.
pub struct VaultLock {
    pub(super) journal: Journal,
    /// How many runs have not ended.
    pub(super) unfinished: AtomicUsize,
    _lock: Lock,
}

impl Journal {
    /// Waits until no other process or thread changes this vault: `LOCK_TIMEOUT` when that takes
    /// longer than the deadline. An expired deadline still tries once.
    pub fn lock(&self, deadline: Deadline) -> Result<VaultLock, Failure> {
        let lock = self.lock_within(deadline.left())?;
        lock.map_or_else(|| Err(self.held_too_long()), |lock| self.held(lock))
    }

    /// The lock where a run may have been cut off and nobody is at work: then what it left has to
    /// be seen to ([`VaultLock::recover`]) before the vault is read. Costs one look at a file where
    /// all is well, and waits for nobody.
    pub fn lock_if_cut_off(&self) -> Result<Option<VaultLock>, Failure> {
        let is_held = |(size, _)| size > 0;
        if !self.folder.state_of(HOLDER).is_some_and(is_held) {
            return Ok(None);
        }
        let lock = self.lock_within(Duration::ZERO)?;
        lock.map(|lock| self.held(lock)).transpose()
    }

    /// None where somebody else held it the whole time.
    fn lock_within(&self, patience: Duration) -> Result<Option<Lock>, Failure> {
        self.folder.create().map_err(unsafe_folder)?;
        match self.folder.lock(LOCK, patience) {
            Ok(lock) => Ok(Some(lock)),
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
            unfinished: AtomicUsize::new(0),
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
