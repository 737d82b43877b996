//! Follows the log: returns records added since the last poll.

use std::time::SystemTime;

use super::{Audit, AuditFilter, AuditListing, files};
use protocol::Failure;

/// Returns new records. A poll without new records costs one system call, so it can run several times a second.
#[derive(Debug)]
pub struct Follower<'a> {
    audit: &'a Audit,
    filter: AuditFilter,
    seen: Option<(u64, SystemTime)>,
}

impl Audit {
    /// Follows the records after line `after` that match; ignores `limit` and `after` of the filter.
    pub fn follow(&self, filter: AuditFilter, after: u64) -> Follower<'_> {
        Follower {
            audit: self,
            filter: AuditFilter {
                limit: None,
                after,
                ..filter
            },
            seen: None,
        }
    }
}

impl Follower<'_> {
    /// Returns the records added since the last call, oldest first; `None` if there are none.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the log cannot be read, `LOCK_TIMEOUT` if other processes hold it.
    pub fn look(&mut self) -> Result<Option<AuditListing>, Failure> {
        let state = self.audit.folder.state_of(files::CURRENT);
        if state == self.seen {
            return Ok(None);
        }
        let listing = self.audit.entries(&self.filter)?;
        if let Some(last) = &listing.last {
            self.filter.after = self.filter.after.max(last.seq);
        }
        // A race with writers: with the size taken before the read, a line added in between is read
        // again by the next poll rather than missed.
        self.seen = state;
        Ok(Some(listing))
    }
}
