//! The audit log: one line for every decision (`design.md` §11).
//!
//! `<state>/audit.jsonl` takes whole lines from any number of processes. Each line carries the hash
//! of the one before, so that [`Audit::verify`] finds what was changed, taken out or put in between.
//! A mark beside the log says where it ends, so that a cut end is found too (`mark.rs`). When a full
//! file is forgotten, its changes, approvals and refusals are kept (`kept.rs`), so that no flood of
//! reads pushes them out (`faults.md` H17).
//!
//! What `verify` cannot find: a log and a mark that are gone together, and a chain that somebody who
//! can write the folder computed anew. Whoever needs to know that too keeps the last hash, which
//! `verify` reports, in another place.

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
pub use self::redact::{policy_hash, redacted, redacted_unread};
pub use self::verify::{LogFault, Spot, Unfinished, VerifyReport};
use super::state_folder::{NoLock, StateFolder};
use crate::code::Code;
use crate::failure::Failure;
use crate::private_dir::Unsafe;
use crate::settings::AuditSettings;

/// How much log is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditLimits {
    /// A file of at least this many bytes is put aside.
    pub max_bytes: u64,
    /// How many full files are kept besides the one that is written.
    pub max_files: u64,
}

impl From<AuditSettings> for AuditLimits {
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
    limits: AuditLimits,
}

impl Audit {
    /// The log in the state folder, which is made with the first record. `failpoints` is told of every
    /// system call that changes something.
    pub fn open(
        state: PathBuf,
        limits: AuditLimits,
        failpoints: Option<Arc<dyn Failpoints>>,
    ) -> Self {
        Self {
            folder: StateFolder::new(state, &[], failpoints),
            limits,
        }
    }

    /// Appends one record as one line, after those of all other processes.
    ///
    /// An [`Phase::Intent`] and a [`Phase::Result`] are on the disk when this returns; a
    /// [`Phase::Decision`] is handed to the system. `IO_ERROR` where it cannot be written,
    /// `LOCK_TIMEOUT` where others wrote for five seconds: a call that changes something must then
    /// not be made (`faults.md` H08); the log is as it was.
    pub fn record(&self, record: &AuditRecord) -> Result<(), Failure> {
        self.append(record).map_err(not_written)
    }

    fn append(&self, record: &AuditRecord) -> Result<(), NoLock> {
        let folder = &self.folder;
        folder.create()?;
        let lock = files::lock(folder)?;
        let (mut file, mut is_new) = folder.open_or_create(files::CURRENT)?;
        let mut length = file.metadata().map_err(Unsafe::Io)?.len();
        let mut tail = tail::read(&file, length).map_err(Unsafe::Io)?;
        let known = mark::read(folder)?;
        let has_mark = known.is_some();
        let mut mark = known.unwrap_or_default();
        // A file with something torn at its end is mended before it is put aside.
        if let (Some(head), None) = (&tail.head, &tail.gap)
            && length >= self.limits.max_bytes
            && !tail.open
        {
            files::rotate(folder, &file, head, &self.limits, &mut mark)?;
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
            // The process died that wrote the last line. No line may be two ahead of the mark.
            mark.seq = head.seq;
            mark.hash.clone_from(&head.hash);
            mark::write(folder, &mut mark)?;
        }
        let record = bounds::bounded(record);
        let line = line::write(&record, &head, tail.gap.as_ref(), missing.as_ref())
            .map_err(|error| Unsafe::Io(error.into()))?;
        let bytes = if tail.open { format!("\n{line}") } else { line };
        if let Err(error) = folder.append(files::CURRENT, &file, bytes.as_bytes()) {
            // Half a line would be mended by the next writer; none at all is better.
            let _still_mendable = folder.truncate(files::CURRENT, &file, length);
            return Err(error.into());
        }
        if record.phase.is_durable() {
            folder.sync(files::CURRENT, &file)?;
            mark.durable = head.seq + 1;
        }
        mark.seq = head.seq + 1;
        mark.hash = line_hash(&bytes);
        mark::write(folder, &mut mark)?;
        drop(lock);
        if is_new {
            folder.sync_names()?;
        }
        Ok(())
    }

    /// What was forgotten for good, by the mark.
    pub fn dropped(&self) -> Result<Dropped, Failure> {
        if !self.folder.exists() {
            return Ok(Dropped::default());
        }
        let mark = mark::read(&self.folder).map_err(|reason| not_read(reason.into()))?;
        Ok(mark.unwrap_or_default().dropped)
    }
}

/// The line that the next one follows, and what is missing between the log's end and the mark. A
/// line after a cut goes on from the mark, so that the cut stays visible.
fn after(mark: &mut Mark, has_mark: bool, newest: Head) -> (Head, Option<MissingLines>) {
    if !has_mark {
        // The first line may be there without its mark, where a process died in between.
        let missing = (newest.seq > 1).then_some(MissingLines {
            lines: None,
            power: false,
        });
        let (first, head) = (1, newest);
        *mark = Mark {
            first,
            ..Mark::of(&head)
        };
        return (head, missing);
    }
    let missing = |lines, power| {
        let lines = Some(lines);
        Some(MissingLines { lines, power })
    };
    match mark.against(&newest) {
        MarkStanding::Whole => (newest, None),
        MarkStanding::Replaced => (mark.head(), None),
        MarkStanding::CutOff(lines) => (mark.head(), missing(lines, false)),
        MarkStanding::LostWithPower(lines) => (mark.head(), missing(lines, true)),
    }
}

/// The hash that a written line states at its end.
fn line_hash(line: &str) -> String {
    let text = line.trim_matches('\n');
    line::read(text.as_bytes()).map_or_else(String::new, |link| link.hash)
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
            "Another process kept the audit log locked. Try again in a moment.",
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
