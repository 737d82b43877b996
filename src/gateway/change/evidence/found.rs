//! The result of a check of the folder after a change.

use vault_engine::VaultPath;

/// The result of a check of the folder after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The folder shows the requested result, even if nothing had to change for it.
    AsRequested {
        /// The files that differ from the plan only in style.
        styled: Vec<VaultPath>,
    },
    /// The folder shows no part of the change.
    Absent,
    /// The folder shows another change, or only a part of this one.
    Different,
    /// The files could not be read, or nothing in them proves the change.
    Unknown,
}

impl Found {
    /// The change is there exactly as planned.
    pub(super) const fn exact() -> Self {
        Self::AsRequested { styled: Vec::new() }
    }

    /// Whether a later check may find more.
    pub(crate) const fn may_come(&self) -> bool {
        matches!(self, Self::Absent | Self::Different)
    }
}
