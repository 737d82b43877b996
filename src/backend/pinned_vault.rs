//! The one vault that a gateway works on.

use std::path::Path;
use std::sync::Arc;

use vault_engine::{LinkUpdates, Progress, PropertyStyle, Registry, Stop, Vault};

use super::cancel::Cancel;

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

    /// The same vault; readings of many notes end with the call, and tell it how far they have come
    /// where it listens.
    #[must_use]
    pub fn under(self, cancel: &Cancel, progress: Option<&Arc<dyn Progress>>) -> Self {
        let engine = self.engine.with_stop(cancel.stop());
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
