//! The one vault that a gateway works on.

use std::path::Path;

use vault_engine::{LinkUpdates, PropertyStyle, Registry, Vault};

/// The pinned vault: its folder, and what the app's registry says of it.
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

    /// The folder, canonical.
    pub fn root(&self) -> &Path {
        self.engine.root()
    }
}
