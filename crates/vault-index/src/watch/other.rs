//! Systems without a complete event queue: their watchers may report an edit after the next query.

use vault_files::Disk;

use super::Changes;

/// A watch that reports no single changes.
pub struct Watch;

impl Watch {
    /// Starts nothing, because no complete event queue exists here.
    pub fn start(_disk: &Disk) -> Self {
        Self
    }

    /// Always false: single changes are not reported.
    #[cfg(any(test, feature = "testing"))]
    pub fn sees(&self) -> bool {
        false
    }

    /// Always [`Changes::Anywhere`], so that every request walks the vault.
    pub fn changes(&mut self, _disk: &Disk) -> Changes {
        Changes::Anywhere
    }
}
