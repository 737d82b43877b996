//! The backend that answers a call, and the reason.

use backend::PinnedVault;
use obsidian_cli::Ready;
use protocol::{Answerer, Code, Failure, Issue, message};

/// The backend of a call. `reason` is reported as `meta.backendReason`.
#[derive(Clone)]
pub struct Choice {
    /// The backend.
    pub backend: Backend,
    /// Why it was chosen, as a part of a sentence.
    pub reason: String,
    /// Whether the engine may answer instead if the app reports that its command line is off.
    pub may_fall_back: bool,
    /// A warning about the choice, for the envelope.
    pub warning: Option<Issue>,
}

/// The backend, with what it needs to run.
#[derive(Clone)]
pub enum Backend {
    /// The running app, found ready.
    Obsidian(Box<Ready>),
    /// The engine that is part of this program.
    Embedded,
}

impl Choice {
    /// Returns the engine: the app cannot see a draft.
    pub fn for_draft() -> Self {
        Self::by_engine("the app does not see the draft")
    }

    /// Returns the engine: the app shows every note.
    pub fn without_labelled() -> Self {
        Self::by_engine("only the engine can leave out notes with outside text")
    }

    /// Returns the engine, for this reason.
    pub fn by_engine(reason: impl Into<String>) -> Self {
        Self {
            backend: Backend::Embedded,
            reason: reason.into(),
            may_fall_back: false,
            warning: None,
        }
    }

    /// Returns the name of the backend in the envelope.
    pub fn answerer(&self) -> Answerer {
        match self.backend {
            Backend::Obsidian(_) => Answerer::Obsidian,
            Backend::Embedded => Answerer::Embedded,
        }
    }

    /// Chooses the engine instead of an app that `min_version` in the settings refuses, if the
    /// engine can answer the call and the settings do not require the app (`contracts.md` D52).
    ///
    /// # Errors
    ///
    /// `failure` itself, if the engine cannot answer in place of the app.
    pub fn without_an_old_app(self, failure: Failure) -> Result<Self, Failure> {
        if failure.code != Code::CliVersionUnsupported || !self.may_fall_back {
            return Err(failure);
        }
        let message = message!(
            "{} vault-gw answered the call without Obsidian.",
            failure.what()
        );
        Ok(Self {
            warning: Some(Issue::new("APP_VERSION_REFUSED", message)),
            ..Self::by_engine(format!("the app cannot answer ({})", failure.code))
        })
    }

    /// The vault, set to plan edits in the app's style if the app is the backend: the plan must
    /// predict the bytes that the app writes.
    pub fn in_its_style(&self, vault: PinnedVault) -> PinnedVault {
        match self.backend {
            Backend::Obsidian(_) => vault.as_the_app_edits(),
            Backend::Embedded => vault,
        }
    }
}
