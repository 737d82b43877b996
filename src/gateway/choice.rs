//! The backend that was chosen for a call.

use crate::backend::PinnedVault;
use crate::backend::obsidian::Ready;
use crate::issue::Issue;
use crate::status::Answerer;

/// The backend of a call, with the reason that stands in `meta.backendReason`.
pub(super) struct Choice {
    pub(super) backend: Backend,
    pub(super) reason: String,
    /// Whether the engine may answer instead where the app turns out to be switched off.
    pub(super) may_fall_back: bool,
    /// What should be known about the choice.
    pub(super) warning: Option<Issue>,
}

/// Who answers, with what it needs.
pub(super) enum Backend {
    /// The running app, found ready.
    Obsidian(Box<Ready>),
    /// The engine in this program.
    Embedded,
}

impl Choice {
    /// The name for the envelope.
    pub(super) fn answerer(&self) -> Answerer {
        match self.backend {
            Backend::Obsidian(_) => Answerer::Obsidian,
            Backend::Embedded => Answerer::Embedded,
        }
    }

    /// The vault with the app's own style of edits where the app makes them.
    pub(super) fn in_its_style(&self, vault: PinnedVault) -> PinnedVault {
        match self.backend {
            Backend::Obsidian(_) => vault.as_the_app_edits(),
            Backend::Embedded => vault,
        }
    }
}
