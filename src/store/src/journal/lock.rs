//! The lock that allows one writer per vault, across processes (`threats.toml` H12).

use std::time::Duration;

use super::journal_folder::Journal;
use crate::error::StoreError;
use crate::state_folder::Lock;
use protocol::{Code, Deadline, Failure};

/// The lock file. It is never removed: the kernel releases the lock when its holder ends, and removing
/// the file would let two processes lock two different inodes.
const LOCK: &str = "lock";
/// Contains the process id of the holder, for messages only. After a kill or a power failure the file
/// may be empty or stale (`threats.toml` H11).
const HOLDER: &str = "lock.holder";
/// Length of the file in bytes. It is overwritten in place, because a truncation would have to wait for the disk.
const HOLDER_BYTES: usize = 64;

/// The lock on a vault and its journal, kept until it is dropped or the process ends.
pub struct VaultLock {
    pub(super) journal: Journal,
    _lock: Lock,
}

/// Whether there are interrupted runs, as far as a reader can tell.
pub enum CutOff {
    /// Runs are neither in progress nor interrupted.
    Nothing,
    /// A run was interrupted. It can be recovered under this lock ([`VaultLock::recover`]).
    Run(Box<VaultLock>),
    /// A run has not ended and another process holds the lock: it makes the change, or recovers the
    /// run.
    UnderWay,
}

impl VaultLock {
    /// Returns the journal that is locked.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
}

impl Journal {
    /// Acquires the lock. An expired deadline still tries once.
    ///
    /// # Errors
    ///
    /// `LOCK_TIMEOUT` if another process or thread holds the lock until the deadline, `IO_ERROR` if
    /// the journal cannot be written, `CONFIG_INVALID` if others can write to its folder.
    pub fn lock(&self, deadline: Deadline) -> Result<VaultLock, Failure> {
        let lock = self.lock_within(deadline.left())?;
        lock.map_or_else(|| Err(self.lock_timeout()), |lock| self.record_holder(lock))
    }

    /// Looks for interrupted runs on behalf of a reader. Without any it costs one listing of a small
    /// folder; otherwise it waits for the lock, at most `patience`.
    ///
    /// It lists the entries themselves. A marker file would not be reliable after a kill or a power
    /// failure (`threats.toml` H11).
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the journal cannot be read or its lock file cannot be written.
    pub fn cut_off(&self, patience: Duration) -> Result<CutOff, Failure> {
        if self.open_entries()?.is_empty() {
            return Ok(CutOff::Nothing);
        }
        let Some(lock) = self.lock_within(patience)? else {
            // A race: the run may have ended while this waited, and another one may have begun.
            let is_any = !self.open_entries()?.is_empty();
            return Ok(if is_any {
                CutOff::UnderWay
            } else {
                CutOff::Nothing
            });
        };
        // Checked again under the lock: the writer may have finished between the listing and the lock.
        if self.open_entries()?.is_empty() {
            return Ok(CutOff::Nothing);
        }
        self.record_holder(lock)
            .map(|lock| CutOff::Run(Box::new(lock)))
    }

    /// Takes the lock, and waits at most `patience`; `None` if another process held the lock for all of that time.
    fn lock_within(&self, patience: Duration) -> Result<Option<Lock>, StoreError> {
        self.open.create()?;
        match self.folder.lock(LOCK, patience) {
            Ok(lock) => {
                self.vault_folder.claim(&self.folder, &self.key)?;
                Ok(Some(lock))
            }
            Err(error) if error.is_busy() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn record_holder(&self, lock: Lock) -> Result<VaultLock, Failure> {
        self.folder.overwrite(
            HOLDER,
            0,
            format!("{:<HOLDER_BYTES$}", std::process::id()).as_bytes(),
        )?;
        Ok(VaultLock {
            journal: self.clone(),
            _lock: lock,
        })
    }

    fn lock_timeout(&self) -> Failure {
        let holder: Option<u32> = self
            .folder
            .read(HOLDER, HOLDER_BYTES as u64)
            .ok()
            .flatten()
            .and_then(|bytes| std::str::from_utf8(&bytes).ok()?.trim().parse().ok());
        match holder {
            Some(process) => Code::LockTimeout.failure(format!(
                "Nothing was changed, because process {process} kept the vault locked. Try again \
                in a moment."
            ))
            .with("process", process),
            None => Code::LockTimeout.failure(
                "Nothing was changed, because another process kept the vault locked. Try again in \
                a moment.",
            ),
        }
    }
}
