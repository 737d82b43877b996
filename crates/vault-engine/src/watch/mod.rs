//! What may have changed in a vault's folder since somebody last asked.
//!
//! Only a source that cannot miss an edit counts: one that was complete before the question must be
//! in the answer. On Linux that is the kernel's queue of the changes, which is read to its end at
//! each question; everywhere else, and wherever that queue would not tell all, the answer is "may
//! be anything", and the whole vault is looked at.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod system;

pub(crate) use system::Watch;

use crate::path::VaultPath;

/// What may have changed since the last time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Changes {
    /// Nothing but these files and folders, and what is below them.
    At(Vec<VaultPath>),
    /// Anything.
    Anywhere,
}
