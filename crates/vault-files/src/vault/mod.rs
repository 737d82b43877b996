//! A vault: a folder of notes.

mod config;
mod hidden_folders;
mod overlay;
mod pieces;
mod reading;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod write_options;

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use config::ConfigFolder;
use config::ConfigLookup;
use obsidian_note::sha256::hexadecimal;
use obsidian_note::{CancellationToken, NoteRules, VaultPath};
pub use overlay::{ContentStore, Overlay, PlannedBytes, PlannedContent, PlannedFile};
pub use pieces::{FilePieces, whole_characters};
pub use reading::planned_bytes;
pub use reading::{FileFacts, Note};
use sha2::{Digest as _, Sha256};
pub use write_options::{LinkUpdates, PropertyStyle};

use crate::disk::{Blocked, Disk, Folder, FolderIdentity, MODE_BITS, Obstacle};
use crate::error::EngineError;
use crate::failpoints::Failpoints;
use crate::progress::Progress;
use crate::registry::last_segment;
use crate::sight::{Sight, blocked_in};

/// An open vault. Its folder is kept open, so renaming the folder does not change which vault it is.
#[derive(Clone)]
pub struct Vault {
    root: PathBuf,
    disk: Disk,
    config: Arc<ConfigLookup>,
    /// Whether a change that depends on a settings file of the vault fails unless the file can be used
    /// (`design/vault-settings.md`). Otherwise the default is used, with a warning.
    pub needs_settings: bool,
    cache_folder: Option<PathBuf>,
    progress: Option<Arc<dyn Progress>>,
    /// The data that a layer above keeps for the vault between calls. Its type is erased here because that layer
    /// depends on this one.
    attachment: Option<Arc<dyn Any + Send + Sync>>,
    failpoints: Option<Arc<dyn Failpoints>>,
    /// New files get the permissions `0o666 & !umask` and new folders `0o777 & !umask`, independently of the process's
    /// own umask. The default is `0o022`.
    pub umask: u32,
    /// The style in which properties are written.
    pub property_style: PropertyStyle,
    /// Whether links follow a file that is moved.
    pub link_updates: LinkUpdates,
    sight: Option<Arc<dyn Sight>>,
    /// Whether the name of a file that the caller cannot see is taken for a new file, as it is on the disk: of a note
    /// that is closed by what is in it, and of another name of a closed file. A name that the caller's paths close stays
    /// as good as free. A draft does not need it: a person decides there.
    pub closed_names_are_taken: bool,
    /// The folder that `vault:import` takes notes from, opened like a vault.
    pub import_folder: Option<Arc<Vault>>,
    overlay: Option<Arc<Overlay>>,
}

/// The usual mask: everyone may read new notes, only their owner may write them.
const DEFAULT_UMASK: u32 = 0o022;

impl Vault {
    /// Opens the vault in the existing folder `root`. Reads nothing in it.
    ///
    /// # Errors
    ///
    /// Fails with [`EngineError::Root`] if the folder is missing or cannot be opened.
    ///
    /// ```
    /// use std::path::Path;
    /// use vault_files::Vault;
    ///
    /// let vault = Vault::open(Path::new("../../fixtures/vault"))?;
    /// assert_eq!(vault.name(), "vault");
    /// # Ok::<(), vault_files::EngineError>(())
    /// ```
    pub fn open(root: &Path) -> Result<Self, EngineError> {
        let (disk, canonical) = Disk::open(root).map_err(|source| EngineError::Root {
            path: root.to_owned(),
            source,
        })?;
        Ok(Self {
            root: canonical,
            disk,
            config: Arc::new(ConfigLookup::new(None)?),
            needs_settings: false,
            cache_folder: None,
            progress: None,
            attachment: None,
            failpoints: None,
            umask: DEFAULT_UMASK,
            property_style: PropertyStyle::default(),
            link_updates: LinkUpdates::default(),
            sight: None,
            closed_names_are_taken: false,
            import_folder: None,
            overlay: None,
        })
    }

    /// Returns the same vault with its index cached in `folder`, a path of the machine outside of the vault. The folder
    /// is created, accessible to its owner only, with the first cache file. If that fails, the index is built again
    /// each time.
    #[must_use]
    pub fn with_cache(self, folder: PathBuf) -> Self {
        Self {
            cache_folder: Some(folder),
            ..self
        }
    }

    /// Returns the same vault, reporting to `progress` how many notes have been read for the index.
    #[must_use]
    pub fn with_progress(self, progress: Arc<dyn Progress>) -> Self {
        Self {
            progress: Some(progress),
            ..self
        }
    }

    /// Returns the same vault; reads of many notes fail with [`EngineError::Stopped`] once `cancellation` is cancelled.
    #[must_use]
    pub fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        Self {
            disk: self.disk.with_cancellation(cancellation),
            ..self
        }
    }

    /// Returns the same vault, calling `failpoints` before every system call that changes its folder (a failpoint for
    /// tests).
    #[must_use]
    pub fn with_failpoints(self, failpoints: Arc<dyn Failpoints>) -> Self {
        Self {
            failpoints: Some(failpoints),
            ..self
        }
    }

    /// Returns the same vault; with `reads_links`, reading goes through symlinks to folders outside of it, as in the
    /// app (`vault-semantics.md` §2.1). It is off unless this says otherwise, and nothing is ever written through a
    /// symlink.
    ///
    /// A link is followed if its target is a folder that is neither inside nor around the vault and below no name that
    /// starts with a dot, and if the link is in the vault itself, not behind another link. Links to files are not
    /// followed. Lists contain only the first link to overlapping folders.
    #[must_use]
    pub fn with_symlinked_folders(self, reads_links: bool) -> Self {
        Self {
            disk: self.disk.reading_links(reads_links),
            ..self
        }
    }

    /// Returns the same vault for a caller who can see only what is in `sight`. The notes that its rules close must be
    /// in it.
    #[must_use]
    pub fn with_sight(self, sight: Arc<dyn Sight>) -> Self {
        let disk = if sight.minds_hard_links() {
            let sight = Arc::clone(&sight);
            self.disk
                .with_all_names_seen(Arc::new(move |path| sight.sees_file(path)))
        } else {
            self.disk
        };
        Self {
            sight: Some(sight),
            disk,
            ..self
        }
    }

    /// Whether there is such a limit.
    pub fn is_limited(&self) -> bool {
        self.sight.is_some()
    }

    /// Whether the caller can see this file.
    pub fn sees(&self, file: &VaultPath) -> bool {
        // A draft may have another file at this path than the folder.
        let origin = match self.planned(file) {
            Some(PlannedFile::Bytes(planned)) => planned.origin.as_ref(),
            Some(PlannedFile::From(origin)) => Some(origin),
            Some(PlannedFile::Gone) | None => Some(file),
        };
        self.is_in_sight(file) && origin.is_none_or(|origin| !self.disk.closes_name(origin))
    }

    /// The same, without a look at the file: its other names are checked when it is opened.
    pub fn is_in_sight(&self, file: &VaultPath) -> bool {
        self.sight().is_none_or(|sight| sight.sees_file(file))
    }

    /// Whether a file that the caller cannot see keeps a new file from this path.
    pub fn is_taken_unseen(&self, path: &VaultPath) -> bool {
        self.closed_names_are_taken
            && self.planned(path).is_none()
            && self.sight().is_some_and(|sight| {
                sight.closes_content(path) || sight.sees_file(path) && self.disk.closes_name(path)
            })
    }

    /// Whether a rule of the caller closes a file with this content.
    pub(crate) fn closes(&self, path: &VaultPath, bytes: &[u8]) -> bool {
        self.note_rules()
            .is_some_and(|rules| rules.close_bytes(path, bytes))
    }

    /// Returns the rules that close notes by what is in them; `None` if none does.
    pub fn note_rules(&self) -> Option<&NoteRules> {
        self.sight()?.note_rules()
    }

    /// Returns the vault's name: the last segment of its folder.
    pub fn name(&self) -> String {
        last_segment(&self.root)
    }

    /// Returns the vault's folder, canonical: a path of the machine.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Identifies the vault's folder on this machine; `None` if the system cannot.
    pub fn identity(&self) -> Option<FolderIdentity> {
        self.disk.identity().ok().flatten()
    }

    /// Returns the same vault with something that a layer above keeps for it between calls.
    #[must_use]
    pub fn with_attachment(self, attachment: Arc<dyn Any + Send + Sync>) -> Self {
        Self {
            attachment: Some(attachment),
            ..self
        }
    }

    /// Returns the attached data if it has this type.
    pub fn attachment<T: Any>(&self) -> Option<&T> {
        self.attachment.as_ref()?.downcast_ref()
    }

    /// Returns the same vault without its limit, for what is read once for all callers. Its progress is not reported:
    /// the number of notes would show a limited caller how many it cannot see.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self {
            sight: None,
            disk: self.disk.clone().with_any_names(),
            progress: self.progress.clone().filter(|_| self.sight.is_none()),
            ..self.clone()
        }
    }

    /// Returns the limit; `None` if the caller can see everything.
    pub fn sight(&self) -> Option<&dyn Sight> {
        self.sight.as_deref()
    }

    /// Whether the caller can see this folder.
    pub fn sees_folder(&self, folder: &VaultPath) -> bool {
        self.sight.as_ref().is_none_or(|sight| {
            folder.is_root()
                // Otherwise a file that other names close would count as something that might be a folder.
                || sight.sees_folder(folder) && !self.disk.closes_name(folder)
                || sight.sees_new_folder(folder) && self.plans_folder(folder)
        })
    }

    /// Whether a readable file that the caller can see exists under exactly this spelling.
    pub fn has_file(&self, path: &VaultPath) -> bool {
        self.is_in_sight(path)
            && match self.planned(path) {
                Some(planned) => self.exists_planned(planned),
                None => self.disk.has_file(path),
            }
    }

    /// Opens a folder without following symlinks. One out of sight is reported as missing.
    ///
    /// # Errors
    ///
    /// Fails if a part of the path is missing, a symlink, or of another type.
    pub fn folder(&self, path: &VaultPath) -> Result<Folder, Blocked> {
        if self.plans_no_folder(path) {
            return Err(Obstacle::Missing.at(path.clone()));
        }
        self.disk.folder(path).map_err(|blocked| {
            let mut blocked = self.visible_obstacle(blocked);
            let is_file = matches!(blocked.obstacle, Obstacle::NotAFolder);
            if is_file && self.planned(&blocked.at) == Some(&PlannedFile::Gone) {
                blocked.obstacle = Obstacle::Missing;
            }
            blocked
        })
    }

    /// Returns the obstacle as the caller can see it.
    pub fn visible_obstacle(&self, blocked: Blocked) -> Blocked {
        blocked_in(self.sight(), blocked)
    }

    /// Returns the open folder.
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Returns the limit itself: callers with the same limit share what is made for them.
    pub fn shared_sight(&self) -> Option<&Arc<dyn Sight>> {
        self.sight.as_ref()
    }

    /// Returns the folder for caches; `None` if nothing is cached.
    pub fn cache_folder(&self) -> Option<&Path> {
        self.cache_folder.as_deref()
    }

    /// Returns the beginning of the names of this vault's files in the cache folder: a hash of its canonical path.
    pub fn cache_name(&self) -> String {
        let hash = Sha256::digest(self.root.as_os_str().as_encoded_bytes());
        hexadecimal(&hash[..16])
    }

    /// Returns what is called before each change, in tests.
    pub fn failpoints(&self) -> Option<&dyn Failpoints> {
        self.failpoints.as_deref()
    }

    /// The permissions of a new file.
    pub fn new_file_mode(&self) -> u32 {
        0o666 & MODE_BITS & !self.umask
    }

    /// The permissions of a new folder.
    pub fn new_folder_mode(&self) -> u32 {
        MODE_BITS & !self.umask
    }

    /// Returns the receiver of progress reports.
    pub fn progress(&self) -> Option<&dyn Progress> {
        self.progress.as_deref()
    }
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use super::testing::path;
    use super::testing::vault;
    use super::*;
    use crate::disk::trace;

    #[test]
    fn opening_reads_nothing_and_needs_a_folder() {
        let ((folder, vault), listings, files) = trace::count(|| vault(&[("a.md", "")]));
        assert_eq!((vault.name().as_str(), listings, files), ("My Notes", 0, 0));
        assert!(vault.root().is_absolute());
        for bad in ["none", "My Notes/a.md"] {
            let error = Vault::open(&folder.path().join(bad)).err().unwrap();
            assert!(matches!(error, EngineError::Root { .. }));
            assert!(!error.to_string().contains("Notes"), "{error}");
        }
    }

    /// Sees all but one folder.
    #[cfg(unix)]
    struct WithoutPrivate;

    #[cfg(unix)]
    impl Sight for WithoutPrivate {
        fn sees_file(&self, path: &VaultPath) -> bool {
            !path.as_str().starts_with("Private/")
        }

        fn sees_folder(&self, path: &VaultPath) -> bool {
            path.as_str() != "Private"
        }

        fn minds_hard_links(&self) -> bool {
            true
        }
    }

    #[cfg(unix)]
    #[test]
    fn d17_only_a_file_with_several_names_costs_a_search() {
        let (_folder, vault) = vault(&[("a.md", "a"), ("Private/b.md", "b"), ("c.md", "c")]);
        let root = vault.root().to_owned();
        fs_err::hard_link(root.join("Private/b.md"), root.join("closed.md")).unwrap();
        fs_err::hard_link(root.join("c.md"), root.join("open.md")).unwrap();
        let seen = vault.with_sight(Arc::new(WithoutPrivate));
        let read = |name: &str| {
            let (read, listings, _) = trace::count(|| seen.read_bytes(&path(name)).is_ok());
            (read, listings)
        };
        assert_eq!(read("a.md"), (true, 0));
        assert_eq!(read("closed.md"), (false, 2));
        assert_eq!(read("open.md"), (true, 0), "the names are known");
        assert!(!seen.sees(&path("closed.md")) && seen.sees(&path("open.md")));
        let whole = seen.whole();
        assert!(whole.read_bytes(&path("closed.md")).is_ok());
    }
}
