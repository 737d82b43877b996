//! The audit log: one line for every decision (`design.md` §11).
//!
//! `<state>/audit.jsonl` takes whole lines from any number of processes. Each line carries the hash
//! of the one before, so that [`Audit::verify`] finds what was changed, taken out or put in between.
//! What it cannot find: lines cut off at the very end, a log that is gone as a whole, and a chain
//! that somebody who can write the folder computed anew. Who needs to know those too keeps the last
//! hash, which `verify` reports, in another place.

mod entries;
mod files;
mod follow;
mod line;
mod record;
mod redact;
mod tail;
mod verify;

use std::path::PathBuf;
use std::sync::Arc;

use vault_engine::Witness;

pub use self::entries::{Entry, Filter, Listing};
pub use self::follow::Follower;
pub use self::line::Head;
pub(in crate::gateway) use self::record::name_of;
pub use self::record::{FileChange, Phase, Record, Verdict};
pub use self::redact::{policy_hash, redacted, redacted_unread};
pub use self::verify::{Fault, Report, Spot, Unfinished};
use super::state_folder::{NoLock, StateFolder};
use crate::code::Code;
use crate::failure::Failure;
use crate::settings::AuditSettings;
use crate::settings::private_file::Unsafe;

/// How much log is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A file of at least this many bytes is put aside.
    pub max_bytes: u64,
    /// How many full files are kept besides the one that is written.
    pub max_files: u64,
}

impl From<AuditSettings> for Limits {
    fn from(settings: AuditSettings) -> Self {
        Self {
            max_bytes: settings.max_bytes,
            max_files: settings.max_files,
        }
    }
}

/// The audit log of a user.
#[derive(Clone, Debug)]
pub struct Audit {
    folder: StateFolder,
    limits: Limits,
}

impl Audit {
    /// The log in the state folder, which is made with the first record. `witness` is told of every
    /// system call that changes something.
    pub fn open(state: PathBuf, limits: Limits, witness: Option<Arc<dyn Witness>>) -> Self {
        Self {
            folder: StateFolder::new(state, &[], witness),
            limits,
        }
    }

    /// Appends one record as one line, after those of all other processes.
    ///
    /// An [`Phase::Intent`] and a [`Phase::Result`] are on the disk when this returns; a
    /// [`Phase::Decision`] is handed to the system. `IO_ERROR` where it cannot be written,
    /// `LOCK_TIMEOUT` where others wrote for five seconds: a call that changes something must then
    /// not be made (`faults.md` H08); the log is as it was.
    pub fn record(&self, record: &Record) -> Result<(), Failure> {
        self.append(record).map_err(not_written)
    }

    fn append(&self, record: &Record) -> Result<(), NoLock> {
        let folder = &self.folder;
        folder.create()?;
        let lock = files::lock(folder)?;
        let (mut file, mut is_new) = folder.open_or_create(files::CURRENT)?;
        let mut length = file.metadata().map_err(Unsafe::Io)?.len();
        let mut tail = tail::read(&file, length).map_err(Unsafe::Io)?;
        // A file with something torn at its end is mended before it is put aside.
        if let (Some(head), None) = (&tail.head, &tail.gap)
            && length >= self.limits.max_bytes
            && !tail.open
        {
            files::rotate(folder, &file, head, &self.limits)?;
            (file, is_new) = folder.open_or_create(files::CURRENT)?;
            length = 0;
            tail.head = Some(head.clone());
        }
        let head = match tail.head {
            Some(head) => head,
            None => files::head_of_full(folder)?,
        };
        let line = line::write(record, &head, tail.gap.as_ref())
            .map_err(|error| Unsafe::Io(error.into()))?;
        let bytes = if tail.open { format!("\n{line}") } else { line };
        if let Err(error) = folder.append(files::CURRENT, &file, bytes.as_bytes()) {
            // Half a line would be mended by the next writer; none at all is better.
            let _still_mendable = folder.truncate(files::CURRENT, &file, length);
            return Err(error.into());
        }
        drop(lock);
        // Others may append meanwhile: their lines come after this one, and are synced with it.
        if record.phase.is_durable() {
            folder.sync(files::CURRENT, &file)?;
        }
        if is_new {
            folder.sync_names()?;
        }
        Ok(())
    }
}

/// What the caller of a call that was not logged is told; the folder's path stays inside.
fn not_written(reason: NoLock) -> Failure {
    match reason {
        NoLock::Held => Failure::new(
            Code::LockTimeout,
            "Another process held the audit log the whole time, and nothing is changed without a \
             record. Try again in a moment.",
        ),
        NoLock::Unsafe(reason) => Failure::new(
            Code::IoError,
            format!(
                "The audit log cannot be written, and nothing is changed without a record: `{}` \
                 {reason}. Check its folder's permissions and that the disk is not full.",
                files::CURRENT
            ),
        )
        .with("reason", "audit"),
    }
}

/// What a reader of the log is told.
fn not_read(reason: NoLock) -> Failure {
    match reason {
        NoLock::Held => Failure::new(
            Code::LockTimeout,
            "Another process held the audit log the whole time. Try again in a moment.",
        ),
        NoLock::Unsafe(reason) => Failure::new(
            Code::IoError,
            format!(
                "The audit log cannot be read: a file of it {reason}. Check the permissions of the \
                 state folder."
            ),
        ),
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
