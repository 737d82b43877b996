//! Opens the vault: from `--vault`, otherwise for a person the vault around the working directory, otherwise from the
//! settings, otherwise the vault that the app opened last (`design/settings.md`). Also the folders outside of the vault
//! that its owner has set in the settings: notes are exported to one and imported from the other.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vault_engine::{
    Editor, EngineError, Followed, IndexedVault, OperatingSystem, Progress, RegisteredVault,
    Registry, RegistryError, State, Vault, VaultPath,
};

use crate::caller::CallerContext;
use crate::error::Error;
use allowlist::shown;
use backend::{PinnedVault, engine_failure};
use changes::{Request, vault_place};
use protocol::{Caller, Failure, Issue};
use sandbox::{Environment, private_dir};
use settings::{Folders, table_prefix};
use store::error::Collection;
use store::state_folder::StateFolder;
use tiers::{PathPattern, Switch};

/// Most entries of the working directory that are checked for a note.
const MAX_ENTRIES: usize = 10_000;

/// Opens the vault of a caller, and the folders outside of it.
#[derive(Clone, Copy)]
pub struct Vaults<'gateway> {
    pub(crate) caller: &'gateway CallerContext,
    pub(crate) progress: Option<&'gateway Arc<dyn Progress>>,
    /// The index that is kept in memory between calls.
    pub(crate) followed: Option<&'gateway Arc<Followed>>,
    pub(crate) is_confined: bool,
}

impl Vaults<'_> {
    /// Opens the pinned vault. Refuses a request that names another one (`threats.toml` A13).
    pub(super) fn pinned(&self, request: &Request) -> Result<PinnedVault, Failure> {
        let vault = self.open_safely()?;
        match &request.vault {
            Some(name) if *name != vault.name() => Err(Error::OtherVault.into()),
            _ => Ok(vault),
        }
    }

    /// Opens the vault and refuses one that contains our own files: settings and state in the vault
    /// could be changed with the vault's own commands.
    ///
    /// # Errors
    ///
    /// As [`Self::open`]; `CONFIG_INVALID` if the settings file or the state folder is inside.
    pub fn open_safely(&self) -> Result<PinnedVault, Failure> {
        let vault = self.open()?;
        self.caller.settings.ensure_outside(vault.root())?;
        // Without a state folder there are no records to protect.
        if let Ok(state) = self.caller.state_folder() {
            StateFolder::new(Collection::Journal, state, &[], None).ensure_outside(vault.root())?;
        }
        Ok(vault)
    }

    /// Opens the vault that this gateway works on.
    ///
    /// # Errors
    ///
    /// `VAULT_NOT_SET` if no vault is named or known; `VAULT_NOT_FOUND` if its folder cannot be
    /// opened, or if it is in a folder that is closed in every vault; `CONFIG_INVALID` if the vault
    /// is named by name and the app's list of vaults cannot be read, or if no vault is named and an
    /// entry of the list cannot be read.
    pub fn open(&self) -> Result<PinnedVault, Failure> {
        let listed = known_vaults(&self.caller.environment);
        let option = self.caller.options.vault.as_deref();
        let around = match option {
            Some(_) => None,
            None => self.standing_in(listed.as_ref().ok()),
        };
        let of_settings = self.caller.settings.vault.as_deref();
        let named = option.or(of_settings.filter(|_| around.is_none()));
        let by_folder = named.filter(|choice| Path::new(choice).is_absolute());
        let folder = by_folder.map(PathBuf::from).or(around);
        let (root, registry, is_chosen) = match (folder, listed) {
            // A vault named by its folder does not need the app's list, so a damaged list is ignored.
            (Some(root), listed) => (root, listed.unwrap_or_default(), true),
            (None, Err(failure)) => return Err(failure),
            (None, Ok(registry)) => {
                if let Some(name) = named {
                    let root = by_name(name, &registry);
                    let root = root.map_err(|error| self.vaults_hint(name, error, &registry))?;
                    (root, registry, true)
                } else {
                    // The unreadable entry may be the vault that was opened last.
                    if registry.damaged > 0 {
                        return Err(Error::ListOfVaults.into());
                    }
                    let last = registry.last_opened().ok_or_else(|| self.no_vault())?;
                    (last.path.clone(), registry, false)
                }
            }
        };
        let engine = Vault::open(&root).map_err(|error| {
            if self.is_confined && is_shut_out(&root, &error) {
                return Error::VaultReplaced;
            }
            let why = why_not_opened(&root, &error).filter(|_| self.caller.is_person());
            match (why, is_chosen) {
                (None, true) => Error::VaultGone,
                (None, false) => Error::LastVaultGone,
                (Some(why), true) => Error::VaultNotOpened(why),
                (Some(why), false) => Error::LastVaultNotOpened(why),
            }
        })?;
        vault_place::ensure_open(engine.root(), self.caller.options.caller)?;
        let mut engine =
            engine.with_symlinked_folders(self.caller.policy.allows(Switch::SymlinkedFolders));
        engine.umask = self.caller.environment.umask;
        engine.property_style = self.caller.settings.property_style;
        engine.link_updates = self.caller.settings.update_links;
        engine.needs_settings = !self.caller.is_person();
        // Without a cache folder each index is built from the notes.
        if let Ok(folder) = Folders::new(&self.caller.environment).cache() {
            engine = engine.with_cache(folder);
        }
        if let Some(progress) = self.progress {
            engine = engine.with_progress(Arc::clone(progress));
        }
        let config_folder = self.caller.settings.config_folder.as_deref();
        let config_folder = config_folder.map(VaultPath::file).transpose();
        engine = config_folder
            .map_err(|reason| EngineError::path("config_folder", reason))
            .and_then(|folder| engine.with_config_folder(folder))
            .map_err(engine_failure)?;
        if let Some(failpoints) = &self.caller.failpoints {
            engine = engine.with_failpoints(Arc::clone(failpoints));
        }
        if let Some(followed) = self.followed {
            engine = IndexedVault(&engine).with_followed(Arc::clone(followed));
        }
        Ok(PinnedVault::new(engine, registry, self.caller.now()))
    }

    /// Adds a hint for a person: how to name a folder in the working directory, which is never
    /// taken for a vault's name silently, or which vaults the app knows. Agents get no hint.
    fn vaults_hint(&self, name: &str, error: Error, registry: &Registry) -> Error {
        if self.caller.options.caller != Caller::Person {
            return error;
        }
        let Error::UnknownVault(shown_name, _) = &error else {
            let folders = vault_place::folders_named(name, registry);
            let next = format!("Pass the folder or the id of one of these vaults: {folders}.");
            return Error::SeveralVaults(next);
        };
        let here = self.caller.environment.working_directory();
        let next = if here.is_some_and(|here| here.join(name).is_dir()) {
            format!(
                "To pass the folder with this name in the working directory, write `./{shown_name}`."
            )
        } else {
            let names: BTreeSet<String> =
                registry.vaults.iter().map(RegisteredVault::name).collect();
            let names: Vec<String> = names
                .iter()
                .map(|name| format!("`{}`", shown(name)))
                .collect();
            if names.is_empty() {
                return error;
            }
            format!(
                "Obsidian has these vaults: {}. For any other vault, pass its folder.",
                names.join(", ")
            )
        };
        Error::UnknownVault(shown_name.clone(), next)
    }

    /// For people only: the vault around the working directory, unless the vault of the settings is nearer. With an
    /// agent's name on the command line, the settings decide.
    fn standing_in(&self, registry: Option<&Registry>) -> Option<PathBuf> {
        let is_set = self.caller.settings.vault.is_some();
        if self.caller.options.caller == Caller::Agent || (is_set && !self.caller.is_person()) {
            return None;
        }
        let here = self.caller.environment.working_directory()?;
        let around = vault_place::vault_around(here, registry)?;
        let nearer = self.folder_of_settings(registry).is_some_and(|set| {
            let is_in = |inner: &Path, outer: &Path| {
                let inner = fs_err::canonicalize(inner);
                let outer = fs_err::canonicalize(outer);
                inner.is_ok_and(|inner| outer.is_ok_and(|outer| inner.starts_with(outer)))
            };
            is_in(here, &set) && is_in(&set, &around)
        });
        (!nearer).then_some(around)
    }

    /// Returns the failure if no vault is named. A person learns how to use the working directory, if it contains
    /// notes; it is never used without being named.
    fn no_vault(&self) -> Error {
        match self.caller.environment.working_directory() {
            _ if !self.caller.is_person() => Error::NoVault(""),
            Some(here) if holds_a_note(here) => Error::NotesHere,
            _ => Error::NoVault(
                "Run the command in the folder of a vault, or pass a vault with `--vault`.",
            ),
        }
    }

    /// Returns the folder of the vault that the settings name.
    fn folder_of_settings(&self, registry: Option<&Registry>) -> Option<PathBuf> {
        let set = self.caller.settings.vault.as_deref()?;
        if Path::new(set).is_absolute() {
            return Some(set.into());
        }
        by_name(set, registry?).ok()
    }

    /// Returns the remark for a person whose working directory is in another vault than the settings name: the vault of
    /// the directory answers.
    pub fn instead_of_set(&self, vault: &PinnedVault) -> Option<Issue> {
        if !self.caller.is_person() || self.caller.options.vault.is_some() {
            return None;
        }
        let set = self.caller.settings.vault.as_deref()?;
        let folder = self.folder_of_settings(Some(&vault.registry));
        let folder = folder.and_then(|folder| fs_err::canonicalize(folder).ok());
        if folder.is_some_and(|folder| dunce::simplified(&folder) == vault.root()) {
            return None;
        }
        let set = Path::new(set)
            .file_name()
            .map_or(set.into(), OsStr::to_string_lossy);
        let (here, set) = (vault.name(), set.into_owned());
        Some(
            Issue::new(
                "OTHER_VAULT",
                format!(
                    "The call used the vault `{}`, because the current folder is in it. The vault \
                    in the settings is `{}`.",
                    shown(&here),
                    shown(&set)
                ),
            )
            .with("vault", here)
            .with("settings", set),
        )
    }
}

/// Whether the folder is there and the sandbox of this process closes it, which opens the folder that had this path
/// when the process started.
fn is_shut_out(root: &Path, error: &EngineError) -> bool {
    let is_closed = matches!(error, EngineError::Root { source, .. } if source.kind() == ErrorKind::PermissionDenied);
    is_closed && root.is_dir()
}

/// Returns why the folder of a vault cannot be opened, for a person. An agent must not learn the path.
fn why_not_opened(root: &Path, error: &EngineError) -> Option<String> {
    let EngineError::Root { source, .. } = error else {
        return None;
    };
    let shown = vault_engine::shown::row(&root.to_string_lossy()).into_owned();
    let what = match source.kind() {
        ErrorKind::NotFound => "does not exist".to_owned(),
        ErrorKind::NotADirectory => "is a file".to_owned(),
        kind => format!("cannot be read ({kind})"),
    };
    Some(format!("the folder `{shown}` {what}"))
}

/// Returns the app's list of vaults; empty if the app has none.
///
/// # Errors
///
/// `CONFIG_INVALID` if the list is there but cannot be read.
pub fn known_vaults(environment: &Environment) -> Result<Registry, Failure> {
    for place in list_places(environment) {
        match Registry::read(&place) {
            Ok(registry) => return Ok(registry),
            Err(RegistryError::Absent { .. }) => {}
            Err(_) => return Err(Error::ListOfVaults.into()),
        }
    }
    Ok(Registry::default())
}

/// Returns the folders in every readable list: the app has a separate one as a Flatpak or a Snap.
pub fn vaults_of_every_list(environment: &Environment) -> Vec<PathBuf> {
    let lists = list_places(environment).into_iter();
    lists
        .filter_map(|place| Registry::read(&place).ok())
        .flat_map(|registry| registry.vaults)
        .map(|vault| vault.path)
        .collect()
}

/// Returns the places where the app may keep its list, the most usual place first.
pub fn list_places(environment: &Environment) -> Vec<PathBuf> {
    let variable = |name| environment.absolute_path(name);
    Registry::places(
        OperatingSystem::CURRENT,
        variable("HOME").as_deref(),
        variable("XDG_CONFIG_HOME").as_deref(),
        variable("APPDATA").as_deref(),
    )
}

/// Returns the folder of the vault of this name or, as in the official CLI, of this id
/// (`official-cli.md` §4).
fn by_name(name: &str, registry: &Registry) -> Result<PathBuf, Error> {
    let with_id = || registry.vaults.iter().find(|vault| vault.id == name);
    let mut named = registry.named(name);
    match (named.next().or_else(with_id), named.next()) {
        (Some(entry), None) => Ok(entry.path.clone()),
        (Some(_), Some(_)) => Err(Error::SeveralVaults(
            "Pass the folder of the vault, or its id in Obsidian's list of vaults.".to_owned(),
        )),
        (None, _) => Err(Error::UnknownVault(
            shown(name),
            "Pass the folder of the vault, or open the vault once in Obsidian.".to_owned(),
        )),
    }
}

/// Whether the folder itself contains a note.
pub fn holds_a_note(folder: &Path) -> bool {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return false;
    };
    entries.take(MAX_ENTRIES).flatten().any(|entry| {
        let path = entry.path();
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
    })
}

/// A folder outside of the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutsideFolder {
    /// Copies of notes are exported to it.
    Export,
    /// Notes are imported from it.
    Import,
}

impl OutsideFolder {
    /// Returns the key of the folder in the settings.
    const fn key(self) -> &'static str {
        match self {
            Self::Export => "export_folder",
            Self::Import => "import_folder",
        }
    }

    /// The failure does not name the folder, because it is a path of this machine.
    fn unusable(self, what: &'static str) -> Error {
        let key = self.key();
        Error::UnusableFolder(key.replace('_', " "), key, what)
    }
}

impl Vaults<'_> {
    /// Checks the folder that the settings name with this key, `export_folder` or `import_folder`.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if exports or imports would refuse the folder.
    pub fn check_outside(&self, key: &str, vault: &PinnedVault) -> Result<(), Failure> {
        let mut folders = [OutsideFolder::Export, OutsideFolder::Import].into_iter();
        let folder = folders.find(|folder| folder.key() == key);
        folder.map_or(Ok(()), |folder| self.open_outside(folder, vault).map(drop))
    }

    /// Opens a folder outside of the vault.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if it is not set, is a symlink, or overlaps with the vault or a folder of this
    /// program.
    pub(super) fn open_outside(
        &self,
        which: OutsideFolder,
        vault: &PinnedVault,
    ) -> Result<Vault, Failure> {
        let folder = match which {
            OutsideFolder::Export => &self.caller.settings.export_folder,
            OutsideFolder::Import => &self.caller.settings.import_folder,
        };
        let unusable = |what| which.unusable(what);
        let folder = folder.as_deref().ok_or_else(|| unusable("is not set"))?;
        let found = fs_err::symlink_metadata(folder)
            .map_err(|_| unusable("does not exist or cannot be accessed"))?;
        if found.is_symlink() {
            return Err(unusable("is a symlink, whose target could change at any time").into());
        }
        let opened = Vault::open(folder).map_err(|_| unusable("cannot be opened as a folder"))?;
        if overlap(opened.root(), vault.root()) {
            return Err(unusable("overlaps with the vault").into());
        }
        let folders = Folders::new(&self.caller.environment);
        let own = [folders.settings_file(), folders.state(), folders.cache()];
        let own = own.into_iter().flatten();
        if own.into_iter().any(|own| overlap(opened.root(), &own)) {
            return Err(unusable("overlaps with a folder of this program").into());
        }
        Ok(opened)
    }
}

/// Whether one path is the other or contains it. A missing folder contains nothing; one that cannot
/// be examined counts as overlapping, to fail closed.
fn overlap(one: &Path, other: &Path) -> bool {
    let within = |inner: &Path, outer: &Path| match private_dir::lies_within(inner, outer) {
        Ok(within) => within,
        Err(error) => error.kind() != ErrorKind::NotFound,
    };
    let is_same = fs_err::canonicalize(other).is_ok_and(|other| other == one);
    is_same || within(one, other) || within(other, one)
}

impl Vaults<'_> {
    /// Returns a sentence for each path rule that matches no file of the vault: a rule for reading or writing that
    /// names a folder, which matches only the folder itself, and a rule that denies paths which are not there.
    pub fn rules_that_match_nothing(&self, vault: &PinnedVault) -> Vec<String> {
        let settings = &self.caller.settings;
        let paths = &settings.paths;
        let for_everyone = (
            String::new(),
            [Some(&paths.read), Some(&paths.write), Some(&paths.deny)],
        );
        let for_agents = settings.agents.iter().map(|(name, agent)| {
            let paths = &agent.paths;
            let lists = [&paths.read, &paths.write, &paths.deny].map(Option::as_ref);
            (table_prefix(name), lists)
        });
        let mut sentences = Vec::new();
        let mut files = None;
        for (table, [read, write, deny]) in std::iter::once(for_everyone).chain(for_agents) {
            for (list, patterns) in [("read", read), ("write", write)] {
                let names = patterns.into_iter().flatten().map(PathPattern::as_str);
                sentences.extend(names.filter(|name| is_folder(vault, name)).map(|name| {
                    let key = shown(&format!("{table}paths.{list}"));
                    let folder = shown(name.trim_end_matches('/'));
                    format!(
                        "`{folder}` in `{key}` matches only the folder, not the notes in it. To \
                        match the notes, write `{folder}/**`."
                    )
                }));
            }
            // Hidden files are not listed.
            let is_visible = |pattern: &&PathPattern| !pattern.as_str().starts_with('.');
            for pattern in deny.into_iter().flatten().filter(is_visible) {
                let files: &Vec<VaultPath> = files.get_or_insert_with(|| vault.files());
                let closes =
                    |pattern: &PathPattern| pattern.closes_any(files.iter().map(VaultPath::as_str));
                if closes(pattern) {
                    continue;
                }
                let key = shown(&format!("{table}paths.deny"));
                let note = PathPattern::new(&format!("{}.md", pattern.as_str())).ok();
                let meant = note.filter(closes).map_or_else(String::new, |note| {
                    format!(" Did you mean `{}`?", shown(note.as_str()))
                });
                let pattern = shown(pattern.as_str());
                sentences.push(format!(
                    "`{pattern}` in `{key}` matches no file of the vault, so it closes nothing.{meant}"
                ));
            }
        }
        sentences
    }
}

fn is_folder(vault: &PinnedVault, name: &str) -> bool {
    VaultPath::folder(name)
        .is_ok_and(|path| matches!(Editor(&vault.engine).state_at(&path), Ok(State::Folder)))
}
