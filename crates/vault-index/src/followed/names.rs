//! The names in a vault, kept for requests that need only names: a look-up by name, `links`, lists of files.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use obsidian_note::{LinkIndex, VaultPath};
use vault_files::{Contents, Detail, EngineError, Overlay, Sight, Vault};

use super::{FollowedPlace, LOOK_AT_ALL, MAX_SIGHTS};
use crate::keep_latest;
use crate::watch::{Changes, Watch};

/// The names of all files and folders that a caller sees.
pub(crate) struct Names {
    /// As a walk lists them.
    pub(crate) contents: Contents,
    links: OnceLock<Arc<LinkIndex>>,
}

impl Names {
    /// Lists the names by a walk.
    pub(crate) fn read(vault: &Vault) -> Result<Self, EngineError> {
        let contents = vault.contents(&VaultPath::root(), Detail::Names)?;
        Ok(Self {
            contents,
            links: OnceLock::new(),
        })
    }

    /// Returns the link index of all files.
    pub(crate) fn link_index(&self) -> Arc<LinkIndex> {
        let files = self.contents.files.iter().map(|file| file.path.clone());
        Arc::clone(self.links.get_or_init(|| Arc::new(LinkIndex::new(files))))
    }

    fn has_file(&self, path: &VaultPath) -> bool {
        self.contents
            .files
            .binary_search_by(|file| file.path.cmp(path))
            .is_ok()
    }
}

/// The names in the folder of a vault, and the means to see whether they are still the same.
pub(super) struct KeptNames {
    pub(super) of: FollowedPlace,
    watch: Watch,
    watched_from: Instant,
    /// The names of the whole folder; `None` if they have to be read again.
    whole: Option<Arc<Names>>,
    /// The names that callers see who are limited, or who see planned changes.
    views: Vec<NamesView>,
}

/// The names that one caller may see.
struct NamesView {
    sight: Option<Arc<dyn Sight>>,
    overlay: Option<Arc<Overlay>>,
    names: Arc<Names>,
}

impl KeptNames {
    /// Starts to watch the folder. The names are read afterwards: in the other order, a file that is
    /// made in between would be missed.
    pub(super) fn watch(of: FollowedPlace, folder: &Vault) -> Self {
        Self {
            of,
            watch: Watch::start(folder.disk()),
            watched_from: Instant::now(),
            whole: None,
            views: Vec::new(),
        }
    }

    /// Returns the names that the caller of `vault` sees now; `folder` is the same vault without its limits.
    pub(super) fn names(
        &mut self,
        vault: &Vault,
        folder: &Vault,
    ) -> Result<Arc<Names>, EngineError> {
        match self.watch.changes(folder.disk()) {
            Changes::At(paths) if self.are_edits(&paths, folder) => {}
            Changes::At(_) => self.forget(),
            Changes::Anywhere => {
                self.forget();
                if self.watched_from.elapsed() >= LOOK_AT_ALL {
                    self.watch = Watch::start(folder.disk());
                    self.watched_from = Instant::now();
                }
                return Names::read(vault).map(Arc::new);
            }
        }
        let whole = match &self.whole {
            Some(whole) => Arc::clone(whole),
            None => Arc::clone(self.whole.insert(Arc::new(Names::read(folder)?))),
        };
        let (sight, overlay) = (vault.shared_sight(), vault.overlay());
        if sight.is_none() && overlay.is_none() {
            return Ok(whole);
        }
        let is_same = |of: &Arc<dyn Sight>| sight.is_some_and(|sight| Arc::ptr_eq(of, sight));
        let is_of = |view: &&NamesView| {
            view.sight.as_ref().map_or(sight.is_none(), is_same) && view.overlay.as_ref() == overlay
        };
        if let Some(view) = self.views.iter().find(is_of) {
            return Ok(Arc::clone(&view.names));
        }
        let names = Arc::new(Names::read(vault)?);
        let view = NamesView {
            sight: sight.cloned(),
            overlay: overlay.cloned(),
            names: Arc::clone(&names),
        };
        keep_latest(&mut self.views, |_| false, MAX_SIGHTS, view);
        Ok(names)
    }

    /// Whether these changes are edits of known files, which keep their names.
    fn are_edits(&self, paths: &[VaultPath], folder: &Vault) -> bool {
        let is_edit = |path: &VaultPath| {
            let is_known = self
                .whole
                .as_ref()
                .is_some_and(|whole| whole.has_file(path));
            is_known && folder.has_file(path)
        };
        paths.iter().all(is_edit)
    }

    fn forget(&mut self) {
        self.whole = None;
        self.views.clear();
    }
}
