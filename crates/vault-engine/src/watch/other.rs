//! Systems without a complete event queue: their watchers may report an edit after the next query.

#![expect(
    clippy::unused_self,
    reason = "these have the forms that other systems need"
)]

use super::Changes;
use crate::disk::Disk;

/// Sees nothing.
pub(crate) struct Watch;

impl Watch {
    /// Nothing is watched.
    pub(crate) fn start(_disk: &Disk) -> Self {
        Self
    }

    /// Whether changes are seen one by one.
    #[cfg(test)]
    pub(crate) fn sees(&self) -> bool {
        false
    }

    /// It may be anything.
    pub(crate) fn changes(&mut self, _disk: &Disk) -> Changes {
        Changes::Anywhere
    }
}
