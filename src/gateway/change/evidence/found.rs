//! What one look at the folder shows of a change.

use vault_engine::VaultPath;

/// What one look at the folder shows of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Everything that was asked for is there, even if nothing had to change for it.
    AsAsked {
        /// The files that differ from the plan in style only.
        styled: Vec<VaultPath>,
    },
    /// Nothing of the change is there.
    Absent,
    /// Something else is there, or only a part of the change.
    Different,
    /// The place could not be read, or nothing in it proves the change.
    Unknown,
}

impl Found {
    /// The change is there, as planned to the byte.
    pub(super) const fn exact() -> Self {
        Self::AsAsked { styled: Vec::new() }
    }

    /// Whether a later look may find more.
    pub(crate) const fn may_come(&self) -> bool {
        matches!(self, Self::Absent | Self::Different)
    }
}
