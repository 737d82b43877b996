//! The vault that a gateway works on.

use std::any::Any;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use jiff::Zoned;
use vault_engine::{
    CancellationToken, IndexedVault, LinkUpdates, Progress, PropertyStyle, Registry, Sight, Vault,
    VaultPath,
};

use super::cancel::Cancel;
use super::engine_failure;
use protocol::{Deadline, Failure};

/// The pinned vault: its folder and the app's registry of vaults.
#[derive(Clone)]
pub struct PinnedVault {
    /// The vault as the engine sees it, with settings, limits and cancellation.
    pub engine: Vault,
    /// The app's list of vaults; empty if there is none.
    pub registry: Registry,
    /// The time of the call.
    pub now: Zoned,
    /// The journal of this vault, opened once a call. Its type is erased, because the layer of the journal depends on this
    /// one.
    pub attachment: Arc<OnceLock<Box<dyn Any + Send + Sync>>>,
}

impl PinnedVault {
    /// Returns the name of this vault in the app's addresses; its id in the app's list if several vaults have the name
    /// (help page "Obsidian URI").
    pub fn name_for_links(&self) -> String {
        let name = self.name();
        if self.registry.named(&name).count() < 2 {
            return name;
        }
        let entry = self.registry.find_by_root(self.root());
        entry.map_or(name, |entry| entry.id.clone())
    }

    /// This open vault, with the app's list of vaults and the time of the call.
    pub fn new(engine: Vault, registry: Registry, now: Zoned) -> Self {
        Self {
            engine,
            registry,
            now,
            attachment: Arc::default(),
        }
    }

    /// Returns the vault's name: the last component of its folder, as in the app.
    pub fn name(&self) -> String {
        self.engine.name()
    }

    /// Returns the vault with the app's editing style, regardless of the settings for our own edits. Used to predict
    /// what the app would do.
    #[must_use]
    pub fn as_the_app_edits(mut self) -> Self {
        self.engine.property_style = PropertyStyle::Compat;
        self.engine.link_updates = LinkUpdates::Vault;
        self
    }

    /// Returns the vault limited to the files that `sight` allows; unlimited without one.
    ///
    /// # Errors
    ///
    /// As [`IndexedVault::limited_to`].
    pub fn limited_to(self, sight: Option<&Arc<dyn Sight>>) -> Result<Self, Failure> {
        let Some(sight) = sight else { return Ok(self) };
        let engine = IndexedVault(&self.engine).limited_to(Arc::clone(sight));
        let engine = engine.map_err(engine_failure)?;
        Ok(Self { engine, ..self })
    }

    /// Returns the file that a wikilink with this name means; `None` if there is none, or the names cannot be listed.
    pub fn file_named(&self, name: &str) -> Option<VaultPath> {
        let lookup = IndexedVault(&self.engine).resolve(name).ok()?;
        lookup.resolution.path()
    }

    /// Returns all files of the vault; none if it cannot be listed.
    pub fn files(&self) -> Vec<VaultPath> {
        let names = IndexedVault(&self.engine).names_below(&VaultPath::root());
        let files = names.map_or_else(|_| Vec::new(), |names| names.files);
        files.into_iter().map(|file| file.path).collect()
    }

    /// Whether path rules hide parts of the vault from the caller.
    pub fn is_limited(&self) -> bool {
        self.engine.is_limited()
    }

    /// Returns the vault for one call. Reads of many notes stop when the call is cancelled or its deadline passes, and
    /// report their progress.
    #[must_use]
    pub fn under(
        self,
        cancel: &Cancel,
        deadline: Deadline,
        progress: Option<&Arc<dyn Progress>>,
    ) -> Self {
        let stop = cancel.stop().with_deadline(deadline.instant());
        let engine = self.engine.with_cancellation(stop);
        let engine = match progress {
            Some(progress) => engine.with_progress(Arc::clone(progress)),
            None => engine,
        };
        Self { engine, ..self }
    }

    /// The vault for a change that must not be left half done: ignores cancellation.
    #[must_use]
    pub fn to_the_end(self) -> Self {
        Self {
            engine: self.engine.with_cancellation(CancellationToken::default()),
            ..self
        }
    }

    /// Returns the canonical path of the folder.
    pub fn root(&self) -> &Path {
        self.engine.root()
    }
}
