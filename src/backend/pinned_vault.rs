//! The one vault that a gateway works on.

use std::path::Path;
use std::sync::Arc;

use vault_engine::{LinkUpdates, Progress, PropertyStyle, Registry, Sight, Stop, Vault};

use super::cancel::Cancel;
use super::obsidian::deadline::Deadline;

/// The pinned vault: its folder, and what the app's registry says of it.
#[derive(Clone)]
pub struct PinnedVault {
    /// The folder, opened.
    pub engine: Vault,
    /// The app's list of vaults; empty where there is none.
    pub registry: Registry,
}

impl PinnedVault {
    /// The vault's name: the last segment of its folder, as in the app.
    pub fn name(&self) -> String {
        self.engine.name()
    }

    /// The same vault for working out what the app would do, whatever the settings say of our own
    /// edits.
    #[must_use]
    pub fn as_the_app_edits(self) -> Self {
        let engine = self
            .engine
            .with_property_style(PropertyStyle::Compat)
            .with_link_updates(LinkUpdates::Vault);
        Self { engine, ..self }
    }

    /// The same vault as a caller with this sight may know it; the whole of it without one.
    #[must_use]
    pub fn limited_to(self, sight: Option<&Arc<dyn Sight>>) -> Self {
        let Some(sight) = sight else { return self };
        let engine = self.engine.limited_to(Arc::clone(sight));
        Self { engine, ..self }
    }

    /// Whether path rules keep some of it from the caller.
    pub fn is_limited(&self) -> bool {
        self.engine.is_limited()
    }

    /// The same vault; readings of many notes end with the call and at its deadline, and tell it how
    /// far they have come where it listens.
    #[must_use]
    pub fn under(
        self,
        cancel: &Cancel,
        deadline: Deadline,
        progress: Option<&Arc<dyn Progress>>,
    ) -> Self {
        let stop = cancel.stop().by(deadline.instant());
        let engine = self.engine.with_stop(stop);
        let engine = match progress {
            Some(progress) => engine.with_progress(Arc::clone(progress)),
            None => engine,
        };
        Self { engine, ..self }
    }

    /// The same vault for what must not be left half done: no wish ends it.
    #[must_use]
    pub fn to_the_end(self) -> Self {
        Self {
            engine: self.engine.with_stop(Stop::default()),
            ..self
        }
    }

    /// The folder, canonical.
    pub fn root(&self) -> &Path {
        self.engine.root()
    }
}
