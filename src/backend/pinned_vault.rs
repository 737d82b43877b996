//! The one vault that a gateway works on.

use std::path::Path;

use vault_engine::{Registry, Vault};

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

    /// The folder, canonical.
    pub fn root(&self) -> &Path {
        self.engine.root()
    }
}
