//! Reads records from the newest backwards, without reading more of the log than requested.

use std::collections::VecDeque;
use std::io;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::files::{self, LogFile};
use super::kept::{self, RecordClass};
use super::mark::Mark;
use super::{Audit, Head, line};
use crate::error::StoreError;
use protocol::{Caller, Failure, is_named};

/// A filter of records; the default lets all through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only records at this time or later.
    pub since: Option<Timestamp>,
    /// Only records of this command id.
    pub command: Option<String>,
    /// Only records of this kind of caller (`person`, `agent`), this agent, or this client program.
    pub from: Option<String>,
    /// Only refusals and calls that need an approval.
    pub refused: bool,
    /// Maximum number of records; the newest are returned.
    pub limit: Option<usize>,
    /// Only lines after the one with this number; 0 for all.
    pub after: u64,
}

/// One record of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// The number of the line, from 1, counted over all files of the log.
    pub seq: u64,
    /// The line without its line feed. It contains no control character.
    pub line: String,
    /// The line's JSON, with `seq` and the hashes.
    pub fields: Map<String, Value>,
}

/// The records that match a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditListing {
    /// The matching records, oldest first.
    pub entries: Vec<AuditEntry>,
    /// Number of lines read that are not records or were changed; `verify` reports details.
    pub unreadable: u64,
    /// The newest line of the log, whether it matches or not; `None` if the log is empty.
    pub last: Option<Head>,
}

impl AuditEntry {
    fn read(bytes: &[u8]) -> Option<(Self, Head)> {
        let head = line::read(bytes).filter(|link| link.intact)?.head();
        let line = String::from_utf8(bytes.to_vec()).ok()?;
        let fields = serde_json::from_str(&line).ok()?;
        let entry = Self {
            seq: head.seq,
            line,
            fields,
        };
        Some((entry, head))
    }

    /// Returns a text field of the record; empty if the record has no such field.
    pub fn text(&self, key: &str) -> &str {
        self.fields
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Returns the time at which the call was recorded; `None` if the field is missing or is not an RFC 3339 time.
    pub fn time(&self) -> Option<Timestamp> {
        self.text("time").parse().ok()
    }

    /// Whether the gateway refused the call or required an approval.
    pub fn is_refusal(&self) -> bool {
        self.text("decision") != "allowed"
    }

    fn fits(&self, filter: &AuditFilter) -> bool {
        let new_enough = filter
            .since
            .is_none_or(|since| self.time().is_some_and(|time| time >= since));
        let of_command = filter
            .command
            .as_deref()
            .is_none_or(|command| self.text("command") == command);
        let text = |key| Some(self.text(key)).filter(|text| !text.is_empty());
        let of_whom = filter.from.as_deref().is_none_or(|from| {
            // A call at the command line with `--agent` is under the rules of that agent.
            let is_of_agent = from == Caller::Agent.name() && text("agent").is_some();
            self.text("caller") == from
                || is_of_agent
                || is_named(from, text("agent"), text("client"))
        });
        new_enough && of_command && of_whom && (!filter.refused || self.is_refusal())
    }
}

impl Audit {
    /// Returns the records that match.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the log cannot be read, `LOCK_TIMEOUT` if other processes hold it.
    pub fn entries(&self, filter: &AuditFilter) -> Result<AuditListing, Failure> {
        let (files, mark) = files::snapshot(&self.folder)?;
        let failed = |error: io::Error| self.folder.unreadable(error);
        let mut found = VecDeque::new();
        let mut unreadable = 0;
        let mut last = None;
        let mut found_oldest = None;
        'files: for log in files.iter().rev() {
            // A file that was last written before `since` has no newer record.
            if is_older(log, filter.since) && last.is_some() {
                break;
            }
            for bytes in files::lines_backwards(&log.file, log.length, 0) {
                let bytes = bytes.map_err(failed)?;
                if bytes.is_empty() {
                    continue;
                }
                let Some((entry, head)) = AuditEntry::read(&bytes) else {
                    unreadable += 1;
                    continue;
                };
                found_oldest = Some(entry.seq);
                last.get_or_insert(head);
                let enough = filter.limit.is_some_and(|limit| found.len() >= limit);
                if enough || entry.seq <= filter.after {
                    break 'files;
                }
                if entry.fits(filter) {
                    found.push_front(entry);
                }
            }
        }
        if let Some(mark) = mark {
            let oldest = found_oldest.unwrap_or(u64::MAX);
            self.add_kept(filter, &mark, oldest, &mut found)?;
        }
        Ok(AuditListing {
            entries: found.into(),
            unreadable,
            last,
        })
    }

    /// Prepends matching records from the files of kept lines (`kept.rs`).
    fn add_kept(
        &self,
        filter: &AuditFilter,
        mark: &Mark,
        oldest: u64,
        found: &mut VecDeque<AuditEntry>,
    ) -> Result<(), StoreError> {
        let wanted = filter.limit.unwrap_or(usize::MAX);
        // Kept lines are older than the first line of the log.
        if found.len() >= wanted || filter.after.saturating_add(1) >= mark.first {
            return Ok(());
        }
        let mut kept: Vec<AuditEntry> = Vec::new();
        for class in RecordClass::ALL {
            for (name, extent) in class.files(mark) {
                kept::lines(&self.folder, &name, &extent, |line| {
                    let entry = AuditEntry::read(line).map(|(entry, _)| entry);
                    kept.extend(entry.filter(|entry| {
                        // A process that died before it wrote the mark leaves lines in both.
                        let is_new = entry.seq < oldest && entry.seq > filter.after;
                        is_new && entry.fits(filter)
                    }));
                })?;
            }
        }
        // Each class has its own files, so the lines are not in order yet.
        kept.sort_by_key(|entry| entry.seq);
        while found.len() < wanted
            && let Some(entry) = kept.pop()
        {
            found.push_front(entry);
        }
        Ok(())
    }
}

fn is_older(log: &LogFile, since: Option<Timestamp>) -> bool {
    let written = log.file.metadata().and_then(|file| file.modified()).ok();
    let written = written.and_then(|time| Timestamp::try_from(time).ok());
    since
        .zip(written)
        .is_some_and(|(since, written)| written < since)
}
