//! Looking on: what has come to the log since the last look.

use std::time::SystemTime;

use super::{Audit, AuditFilter, AuditListing, files};
use crate::failure::Failure;

/// Hands out new records as they come. Looking costs one system call where there are none, so it can
/// be done a few times a second.
#[derive(Debug)]
pub struct Follower<'a> {
    audit: &'a Audit,
    filter: AuditFilter,
    seen: Option<(u64, SystemTime)>,
}

impl Audit {
    /// What comes after the line with this number and fits; `limit` and `after` of the filter do
    /// not count.
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
    /// What has come since the last look, oldest first; `None` where nothing has.
    pub fn look(&mut self) -> Result<Option<AuditListing>, Failure> {
        let state = self.audit.folder.state_of(files::CURRENT);
        if state == self.seen {
            return Ok(None);
        }
        let listing = self.audit.entries(&self.filter)?;
        if let Some(last) = &listing.last {
            self.filter.after = self.filter.after.max(last.seq);
        }
        // Taken before reading: what comes in between is looked for again, not missed.
        self.seen = state;
        Ok(Some(listing))
    }
}
