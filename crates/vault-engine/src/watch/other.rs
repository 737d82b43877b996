//! Systems whose own watchers may tell of an edit only after the next question.

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
