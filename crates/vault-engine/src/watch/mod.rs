//! The changes in a vault's folder since the last query.
//!
//! Only a source that cannot miss an edit is used: an edit that was complete before the query must
//! be in the result. On Linux that is the kernel's event queue (inotify), which each query drains.
//! On other systems, and where the queue would be incomplete, the result is "anything may have
//! changed", and the whole vault is walked.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod system;

pub(crate) use system::Watch;

use crate::path::VaultPath;

/// What may have changed since the last query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Changes {
    /// Only these files and folders, and what is below them.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only Linux has a queue of changes")
    )]
    At(Vec<VaultPath>),
    /// Any path may have changed.
    Anywhere,
}
