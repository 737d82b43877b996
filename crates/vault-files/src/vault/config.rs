//! The vault's configuration folder, and the settings in it that decide where notes are.

use std::ffi::OsStr;
use std::sync::OnceLock;

use jiff::Zoned;
use obsidian_note::{VaultPath, Warning};
use serde::de::DeserializeOwned;

use std::sync::Arc;

use super::Vault;
use super::hidden_folders::hidden_folders;
use super::overlay::PlannedFile;
use super::reading::{planned_bytes, up_to};
use crate::config_file::{ConfigFile, ConfigKeys};
use crate::daily::{DEFAULT_FORMAT, DailyNotes};
use crate::disk::{FolderEntry, Obstacle, list};
use crate::error::EngineError;

/// The folder of a vault's settings, unless another one is set.
const DEFAULT_CONFIG_FOLDER: &str = ".obsidian";
/// A settings file of a plugin is a few kilobytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// The files by which a configuration folder with another name is recognised. The app writes them when it first opens a
/// vault, or when the user changes a setting.
const SETTINGS_FILES: [&str; 6] = [
    "app.json",
    "appearance.json",
    "community-plugins.json",
    "core-plugins.json",
    "daily-notes.json",
    "workspace.json",
];

/// Folders whose names start with a dot and that are never the configuration folder: they may contain any file.
const OTHER_FOLDERS: [&str; 2] = [".git", ".trash"];

/// The settings files that decide where a note is or what a new note contains. If the configuration folder is not
/// found, their defaults may be wrong.
const DECIDES_ABOUT_NOTES: [&str; 4] = [
    "daily-notes.json",
    "templates.json",
    "zk-prefixer.json",
    crate::periodic::SETTINGS,
];

/// The configuration folder of a vault (`vault-semantics.md` §1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFolder {
    /// Its path: the folder that is set; otherwise `.obsidian`, or the first folder with settings files if there is no
    /// `.obsidian`. It need not exist.
    pub path: VaultPath,
    /// Whether the folder exists.
    pub exists: bool,
}

/// Finds the configuration folder when it is first needed, and remembers it.
pub(super) struct ConfigLookup {
    /// The folder of the gateway's settings; `None` to look for it.
    set: Option<VaultPath>,
    default: VaultPath,
    found: OnceLock<ConfigFolder>,
    /// The other folders with settings files. They are only looked for if a question depends on them.
    others: OnceLock<Vec<VaultPath>>,
}

impl ConfigLookup {
    /// Looks for the folder `set`, or by the files of the folders if there is none.
    pub(super) fn new(set: Option<VaultPath>) -> Result<Self, EngineError> {
        let default = VaultPath::file(DEFAULT_CONFIG_FOLDER)
            .map_err(|reason| EngineError::path(DEFAULT_CONFIG_FOLDER, reason))?;
        Ok(Self {
            set,
            default,
            found: OnceLock::new(),
            others: OnceLock::new(),
        })
    }

    fn folder(&self, vault: &Vault) -> &ConfigFolder {
        self.found.get_or_init(|| {
            let usual = self.set.as_ref().unwrap_or(&self.default);
            let exists = vault.disk.folder(usual).is_ok();
            let renamed = if exists || self.set.is_some() {
                None
            } else {
                self.renamed(vault).into_iter().next()
            };
            ConfigFolder {
                exists: exists || renamed.is_some(),
                path: renamed.unwrap_or_else(|| usual.clone()),
            }
        })
    }

    fn others(&self, vault: &Vault) -> &[VaultPath] {
        self.others.get_or_init(|| {
            if self.set.is_some() {
                return Vec::new();
            }
            let used = &self.folder(vault).path;
            let mut others = self.renamed(vault);
            others.retain(|other| other != used);
            others
        })
    }

    /// Returns the folders with settings files that do not have the default name, in byte order. A symlink is not one.
    fn renamed(&self, vault: &Vault) -> Vec<VaultPath> {
        let mut folders = hidden_folders(vault);
        folders.retain(|path| {
            let is_other = *path == self.default || OTHER_FOLDERS.contains(&path.as_str());
            !is_other
                && vault.disk.folder(path).is_ok_and(|folder| {
                    let mut files = SETTINGS_FILES.iter();
                    files.any(|file| folder.stamp(OsStr::new(file)).is_ok())
                })
        });
        folders
    }
}

impl<T: DeserializeOwned + Default> ConfigFile<T> {
    /// Reads a file below the configuration folder.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read. A malformed file is a warning.
    pub fn read(vault: &Vault, name: &str) -> Result<Self, EngineError> {
        let (path, bytes) = vault.config(name)?;
        let mut file = Self::parse(path, bytes.as_deref());
        if DECIDES_ABOUT_NOTES.contains(&name) || name == crate::property_types::FILE {
            let doubt = vault.doubt_about(name, bytes.as_deref());
            file.warnings.extend(doubt);
        }
        Ok(file)
    }

    /// As [`Self::read`], for a change that depends on the file: see [`Vault::ensure_settings_usable`].
    ///
    /// # Errors
    ///
    /// As [`Self::read`], and if the caller needs usable settings and the file is malformed.
    pub fn read_for_change(vault: &Vault, name: &str) -> Result<Self, EngineError> {
        let file = Self::read(vault, name)?;
        vault.ensure_settings_usable(&file.warnings)?;
        Ok(file)
    }

    /// As [`Self::read`], for an optional file: a read error is a warning too.
    ///
    /// # Errors
    ///
    /// The read error, as a warning.
    pub fn read_if_possible(
        vault: &Vault,
        folder: &VaultPath,
        name: &str,
    ) -> Result<Self, Warning> {
        Self::read(vault, name).map_err(|error| Warning::ConfigIgnored {
            path: folder.clone(),
            reason: error.to_string(),
        })
    }
}

impl ConfigKeys {
    /// Reads a file below the configuration folder for a change that depends on these keys: see
    /// [`Vault::ensure_settings_usable`]. Several configuration folders may differ in other keys.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read; and if the caller needs usable settings, and the file is malformed
    /// or other configuration folders have other values.
    pub fn read_keys_for_change(
        vault: &Vault,
        name: &str,
        keys: &[&str],
    ) -> Result<Self, EngineError> {
        let file = Self::read_keys(vault, name, keys)?;
        vault.ensure_settings_usable(&file.warnings)?;
        Ok(file)
    }

    /// As [`ConfigFile::read`], with the warning if other configuration folders have other values of these keys.
    pub(crate) fn read_keys(vault: &Vault, name: &str, keys: &[&str]) -> Result<Self, EngineError> {
        let (path, bytes) = vault.config(name)?;
        let mut file = Self::parse(path, bytes.as_deref());
        let doubt = vault.unclear(name, |bytes| {
            let other = Self::parse(VaultPath::root(), bytes);
            let differs = |key: &&str| other.value.get(*key) != file.value.get(*key);
            !other.warnings.is_empty() || keys.iter().any(differs)
        });
        file.warnings.extend(doubt);
        Ok(file)
    }
}

impl Vault {
    /// Returns the same vault with this configuration folder. With `None` it is found by its files.
    ///
    /// # Errors
    ///
    /// Fails if the app's default name is not a path, which does not happen.
    pub fn with_config_folder(self, folder: Option<VaultPath>) -> Result<Self, EngineError> {
        Ok(Self {
            config: Arc::new(ConfigLookup::new(folder)?),
            ..self
        })
    }

    /// Returns the folder of the vault's settings.
    pub fn config_folder(&self) -> &ConfigFolder {
        self.config.folder(self)
    }

    /// Fails if the caller needs usable settings and one of these warnings says that a settings file was not used.
    ///
    /// # Errors
    ///
    /// [`EngineError::SettingsUnusable`] with the first such warning.
    pub fn ensure_settings_usable(&self, warnings: &[Warning]) -> Result<(), EngineError> {
        let is_fault = |warning: &&Warning| {
            matches!(
                warning,
                Warning::ConfigIgnored { .. } | Warning::ConfigFolderUnclear { .. }
            )
        };
        match warnings.iter().find(is_fault) {
            Some(warning) if self.needs_settings => Err(EngineError::SettingsUnusable {
                warning: Box::new(warning.clone()),
            }),
            _ => Ok(()),
        }
    }

    /// Returns the warning if it is not certain that a file with this content is the one that the app uses.
    pub fn doubt_about(&self, name: &str, bytes: Option<&[u8]>) -> Option<Warning> {
        let is_needed = bytes.is_none() && DECIDES_ABOUT_NOTES.contains(&name);
        let missing = || is_needed.then(|| self.missing_folder(name)).flatten();
        self.unclear(name, |other| other != bytes).or_else(missing)
    }

    /// Returns the warning if another configuration folder has this file with a content for which `differs` is true;
    /// `None` is a missing file. A file that cannot be read differs.
    fn unclear(&self, name: &str, differs: impl Fn(Option<&[u8]>) -> bool) -> Option<Warning> {
        let is_other = |other: &&VaultPath| {
            let found = self.config_in(other, name);
            !found.is_ok_and(|(_, found)| !differs(found.as_deref()))
        };
        let others: Vec<VaultPath> = self
            .config
            .others(self)
            .iter()
            .filter(is_other)
            .cloned()
            .collect();
        (!others.is_empty()).then(|| Warning::ConfigFolderUnclear {
            path: self.config_folder().path.clone(),
            file: name.to_owned(),
            others: if self.is_limited() {
                Vec::new()
            } else {
                others
            },
        })
    }

    /// Returns the warning that the default is used for this file, because there is no configuration folder.
    pub fn missing_folder(&self, name: &str) -> Option<Warning> {
        let folder = self.config_folder();
        (!folder.exists).then(|| Warning::ConfigFolderMissing {
            path: folder.path.clone(),
            file: name.to_owned(),
        })
    }

    /// Returns the warning that settings are not used because of an error.
    pub fn settings_ignored(&self, error: &EngineError) -> Warning {
        Warning::ConfigIgnored {
            path: self.config_folder().path.clone(),
            reason: error.to_string(),
        }
    }

    /// Returns the settings of the daily notes plugin; the defaults if there is no such file.
    ///
    /// # Errors
    ///
    /// Fails if the file exists but is a symlink, not a regular file, too large or unreadable.
    pub fn daily_notes(&self) -> Result<DailyNotes, EngineError> {
        let file = ConfigKeys::read(self, "daily-notes.json")?;
        Ok(DailyNotes::from_keys(file, DEFAULT_FORMAT, &["template"]))
    }

    /// Returns the path of the daily note of that day, in the time zone of `now`. The note need not exist. Settings
    /// that had to be ignored are in [`Self::daily_notes`].
    ///
    /// # Errors
    ///
    /// As [`Self::daily_notes`], and if folder and format do not give a path inside the vault.
    pub fn daily_path(&self, now: &Zoned) -> Result<VaultPath, EngineError> {
        self.daily_notes()?.path(now)
    }

    /// Returns the possible paths of a template: `name` as it is and with `.md`, below the folder in `templates.json`
    /// (`vault-semantics.md` §6.3). Empty if no folder is set, because the app then has no templates. The files need
    /// not exist.
    ///
    /// # Errors
    ///
    /// Fails if `templates.json` exists but cannot be used as a file, and if `name` is not a path.
    pub fn template_paths(&self, name: &str) -> Result<Vec<VaultPath>, EngineError> {
        let settings = ConfigKeys::read(self, "templates.json")?;
        let folder = settings.text("folder").trim_matches('/');
        if folder.is_empty() {
            return Ok(Vec::new());
        }
        [format!("{folder}/{name}"), format!("{folder}/{name}.md")]
            .into_iter()
            .map(|text| VaultPath::file(&text).map_err(|reason| EngineError::Path { text, reason }))
            .collect()
    }

    /// Returns the entries of a folder inside the configuration folder, in byte order of their names; empty if it does
    /// not exist.
    ///
    /// # Errors
    ///
    /// Fails if the vault's settings cannot be read.
    pub fn config_entries(&self, name: &str) -> Result<(VaultPath, Vec<FolderEntry>), EngineError> {
        let path = EngineError::path_below(&self.config_folder().path, [name])?;
        let folder = match self.disk.folder(&path) {
            Ok(folder) => folder,
            Err(blocked) if blocked.obstacle.is_absence() => return Ok((path, Vec::new())),
            Err(blocked) => return Err(EngineError::from_blocked_path(&path, blocked)),
        };
        let mut entries = list(&folder).map_err(|source| EngineError::io(&path, source))?;
        entries.sort_by(|left, right| left.name.cmp(&right.name));
        Ok((path, entries))
    }

    /// Returns a file of the configuration folder; no bytes if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the vault's settings cannot be read.
    pub fn config(&self, name: &str) -> Result<(VaultPath, Option<Vec<u8>>), EngineError> {
        self.config_in(&self.config_folder().path, name)
    }

    fn config_in(
        &self,
        folder: &VaultPath,
        name: &str,
    ) -> Result<(VaultPath, Option<Vec<u8>>), EngineError> {
        let path = EngineError::path_below(folder, [name])?;
        // No command plans anything in a folder below this one, so lists of entries show none.
        match self.planned(&path) {
            Some(PlannedFile::Bytes(planned)) => {
                let bytes = planned_bytes(planned, &path)?.to_vec();
                return Ok((path, Some(bytes)));
            }
            Some(PlannedFile::Gone) => return Ok((path, None)),
            Some(PlannedFile::From(_)) | None => {}
        }
        let file = match self.disk.file(&path) {
            Ok(file) => file,
            Err(blocked) if blocked.obstacle.is_absence() => return Ok((path, None)),
            Err(blocked) if matches!(blocked.obstacle, Obstacle::IsFolder) => {
                return Err(EngineError::NotRegular { path });
            }
            Err(blocked) => return Err(EngineError::from_blocked_file(path.as_str(), blocked)),
        };
        match up_to(file, MAX_CONFIG_BYTES).map_err(|source| EngineError::io(&path, source))? {
            Some(bytes) => Ok((path, Some(bytes))),
            None => Err(EngineError::TooLarge {
                path,
                limit: MAX_CONFIG_BYTES,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::vault::testing::vault;

    #[test]
    fn daily_settings_come_from_the_config_folder() {
        let (_folder, set) = vault(&[(".obsidian/daily-notes.json", r#"{"folder":"Daily"}"#)]);
        let now = date(2026, 1, 2).to_zoned(TimeZone::UTC).unwrap();
        let path = |vault: &Vault| vault.daily_path(&now).unwrap().to_string();
        assert_eq!(path(&set), "Daily/2026-01-02.md");
        let (_other, bare) = vault(&[]);
        assert_eq!(path(&bare), "2026-01-02.md");
    }

    #[test]
    fn the_configuration_folder_is_found_by_its_files() {
        let settings = r#"{"folder":"Work"}"#;
        let found = |files: &[(&str, &str)], set: Option<&str>| {
            let (_folder, vault) = vault(files);
            let set = set.map(|name| VaultPath::file(name).unwrap());
            let vault = vault.with_config_folder(set).unwrap();
            let daily = vault.daily_notes().unwrap();
            let warnings: Vec<String> = daily.warnings.iter().map(ToString::to_string).collect();
            (daily.folder, warnings.join("; "))
        };
        let work = (".obs-work/daily-notes.json", settings);
        let app = (".obs-work/app.json", "{}");
        let usual = (".obsidian/app.json", "{}");
        let missing = |folder: &str| {
            format!(
                "Obsidian's defaults were used, because the configuration folder `{folder}` with its `daily-notes.json` does not exist"
            )
        };
        for (files, set, folder, warning) in [
            (&[work][..], None, "Work", String::new()),
            (&[], None, "", missing(".obsidian")),
            // A folder of another program, and one that may contain anything.
            (&[(".vim/x.json", "{}"), (".trash/app.json", "{}")], None, "", missing(".obsidian")),
            // The two agree, so it does not matter which one the app uses.
            (&[usual, app], None, "", String::new()),
            (
                &[usual, app, work],
                None,
                "",
                "the vault has several configuration folders with different settings in `daily-notes.json`. `.obsidian` was used, not `.obs-work`".to_owned(),
            ),
            (&[usual, app, work], Some(".obs-work"), "Work", String::new()),
            (&[work], Some(".obs-other"), "", missing(".obs-other")),
        ] {
            assert_eq!(found(files, set), (folder.to_owned(), warning), "{files:?} {set:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn d03_a_link_is_not_a_configuration_folder() {
        let (folder, vault) = vault(&[]);
        let outside = folder.path().join("outside");
        fs_err::create_dir(&outside).unwrap();
        fs_err::write(outside.join("app.json"), "{}").unwrap();
        std::os::unix::fs::symlink(&outside, vault.root().join(".obs-work")).unwrap();
        let found = vault.config_folder();
        assert_eq!((found.path.as_str(), found.exists), (".obsidian", false));
    }

    #[test]
    fn d14_settings_that_are_huge_or_linked_are_errors() {
        let (_folder, vault) = vault(&[(".obsidian/daily-notes.json", "")]);
        let file = vault.root().join(".obsidian/daily-notes.json");
        fs_err::File::create(&file)
            .unwrap()
            .set_len(MAX_CONFIG_BYTES + 1)
            .unwrap();
        assert!(matches!(
            vault.daily_notes(),
            Err(EngineError::TooLarge { .. })
        ));
        fs_err::remove_file(&file).unwrap();
        assert_eq!(vault.daily_notes().unwrap(), DailyNotes::default());
        fs_err::create_dir(&file).unwrap();
        assert!(matches!(
            vault.daily_notes(),
            Err(EngineError::NotRegular { .. })
        ));
        #[cfg(unix)]
        {
            fs_err::remove_dir(&file).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
            assert!(matches!(
                vault.daily_notes(),
                Err(EngineError::Symlink { .. })
            ));
        }
    }
}
