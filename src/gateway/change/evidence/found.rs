//! What a look at the folder finds of a change.

use vault_engine::VaultPath;

/// What a look at the folder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The change is there. `styled` names files that differ from the plan in style only.
    AsAsked {
        /// These files.
        styled: Vec<VaultPath>,
    },
    /// Nothing had to change, and nothing did.
    NothingToDo,
    /// Nothing of the change is there.
    Absent,
    /// Something else is there, or only a part of the change.
    Different,
    /// It cannot be looked at.
    Unseen,
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
