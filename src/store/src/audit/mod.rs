//! The audit log: one line for every decision (`design/writes.md`).
//!
//! `<state>/audit.jsonl` takes whole lines from any number of processes. Each line contains the
//! hash of the one before, so that [`Audit::verify`] finds lines that were changed, removed or
//! inserted. A mark next to the log records where the log ends, so that a removed end is found too
//! (`mark.rs`). When a full file is dropped, its changes, approvals and refusals are kept
//! (`kept.rs`), so that a flood of reads cannot push them out (`threats.toml` H17).
//!
//! `verify` cannot detect a log and a mark that were removed together, or a chain that was recomputed by someone who
//! can write to the folder. To detect these too, store the last hash, which `verify` reports, in another place.

mod bounds;
mod entries;
mod files;
mod follow;
mod kept;
mod line;
mod mark;
mod record;
mod redact;
mod tail;
mod verify;

use std::path::PathBuf;
use std::sync::Arc;

use vault_engine::Failpoints;

pub use self::bounds::Omitted;
pub use self::entries::{AuditEntry, AuditFilter, AuditListing};
pub use self::follow::Follower;
pub use self::line::Head;
use self::line::MissingLines;
pub use self::mark::Dropped;
use self::mark::{Mark, MarkStanding};
pub use self::record::{AuditRecord, AuditVerdict, LoggedFile, Phase};
pub use self::redact::{RecordedStep, policy_hash, recorded_steps, redacted, redacted_unread};
pub use self::verify::{LogFault, Spot, Unfinished, VerifyReport};
use super::state_folder::StateFolder;
use crate::error::{Collection, StoreError};
use protocol::Failure;
use settings::AuditSettings;

/// The audit log of a user.
#[derive(Clone, Debug)]
pub struct Audit {
    folder: StateFolder,
    limits: AuditSettings,
}

impl Audit {
    /// Returns the log in the state folder, created with the first record. `failpoints` is called before every system
    /// call that writes.
    pub fn open(
        state: PathBuf,
        limits: AuditSettings,
        failpoints: Option<Arc<dyn Failpoints>>,
    ) -> Self {
        Self {
            folder: StateFolder::new(Collection::AuditLog, state, &[], failpoints),
            limits,
        }
    }

    /// Appends one record as one line, under the lock of the log.
    ///
    /// An intent is on the disk when this returns ([`Phase::Intent`]). Any other record is written,
    /// but not synced.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the record cannot be written, `LOCK_TIMEOUT` if other processes hold the log for
    /// five seconds. The log is then unchanged, and a call that changes something must not run
    /// (`threats.toml` H08).
    pub fn record(&self, record: &AuditRecord) -> Result<(), Failure> {
        self.append(record).map_err(Failure::from)
    }

    fn append(&self, record: &AuditRecord) -> Result<(), StoreError> {
        let folder = &self.folder;
        folder.create()?;
        let lock = files::lock(folder)?;
        let (mut file, mut is_new) = folder.open_or_create(files::CURRENT)?;
        let mut length = folder.length(&file)?;
        let mut tail = tail::read(&file, length).map_err(|error| folder.unreadable(error))?;
        let known = mark::read(folder)?;
        let has_mark = known.is_some();
        let mut mark = known.unwrap_or_else(|| Mark::new(&Head::genesis()));
        // Only a log without a torn end is rotated: the next record repairs the end first.
        if let (Some(head), None) = (&tail.head, &tail.gap)
            && length >= self.limits.max_bytes
            && !tail.open
        {
            self.rotate(&file, head, &mut mark)?;
            (file, is_new) = folder.open_or_create(files::CURRENT)?;
            length = 0;
            tail.head = Some(head.clone());
        }
        let head = match tail.head {
            Some(head) => head,
            None => files::head_of_full(folder)?,
        };
        let (head, missing) = after(&mut mark, has_mark, head);
        if has_mark && head.seq > mark.seq {
            // The process that wrote the last line died before it wrote the mark. The log may be at most
            // one line ahead of the mark, so the mark is written first.
            mark.seq = head.seq;
            mark.hash.clone_from(&head.hash);
            mark::write(folder, &mut mark)?;
        }
        let record = bounds::bounded(record);
        let (line, head) = line::write(&record, &head, tail.gap.as_ref(), missing.as_ref())
            .map_err(|error| folder.unwritable(error))?;
        let bytes = if tail.open { format!("\n{line}") } else { line };
        if let Err(error) = folder.append(files::CURRENT, &file, bytes.as_bytes()) {
            // The next writer would repair a torn line, but it would leave a gap in the chain.
            let _repaired_by_the_next_writer = folder.truncate(files::CURRENT, &file, length);
            return Err(error);
        }
        if record.phase == Phase::Intent {
            folder.sync(files::CURRENT, &file)?;
            mark.durable = head.seq;
        }
        mark.seq = head.seq;
        mark.hash = head.hash;
        mark::write(folder, &mut mark)?;
        drop(lock);
        if is_new {
            folder.sync_names()?;
        }
        Ok(())
    }

    /// Checks that the next call can be recorded: opens the log for writing, and creates an empty log if it is missing,
    /// but adds no line.
    ///
    /// # Errors
    ///
    /// As [`Self::record`].
    pub fn check_writable(&self) -> Result<(), Failure> {
        let opened = || -> Result<(), StoreError> {
            self.folder.create()?;
            let _lock = files::lock(&self.folder)?;
            self.folder.open_or_create(files::CURRENT)?;
            Ok(())
        };
        opened().map_err(Failure::from)
    }

    /// Returns the number of records that rotation has dropped, from the mark.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the log cannot be read, `LOCK_TIMEOUT` if other processes hold it.
    pub fn dropped(&self) -> Result<Dropped, Failure> {
        if !self.folder.exists() {
            return Ok(Dropped::default());
        }
        let mark = mark::read(&self.folder)?;
        Ok(mark.map(|mark| mark.dropped).unwrap_or_default())
    }
}

/// Returns the line that the next one is chained to, and the lines between the log's end and the mark that are missing.
/// After a truncation the chain continues from the mark, so that the truncation stays visible.
fn after(mark: &mut Mark, has_mark: bool, newest: Head) -> (Head, Option<MissingLines>) {
    if !has_mark {
        // A process may have died between the very first line and its mark.
        let missing = (newest.seq > 1).then_some(MissingLines {
            lines: None,
            power: false,
        });
        *mark = Mark::new(&newest);
        return (newest, missing);
    }
    match mark.against(&newest) {
        MarkStanding::Whole => (newest, None),
        MarkStanding::Replaced => (mark.head(), None),
        MarkStanding::Missing(missing) => (mark.head(), Some(missing)),
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
