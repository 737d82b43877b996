//! The vault's configuration folder, and the settings in it that decide where notes are.

use jiff::Zoned;
use obsidian_note::{VaultPath, Warning};
use serde::de::DeserializeOwned;

use super::Vault;
use super::overlay::PlannedFile;
use super::reading::{failed, planned_bytes, up_to};
use crate::config_file::{ConfigFile, ConfigKeys};
use crate::daily::{DEFAULT_FORMAT, DailyNotes};
use crate::disk::{FolderEntry, Obstacle, list};
use crate::error::EngineError;

/// The folder of a vault's settings, unless another one is set.
const DEFAULT_CONFIG_FOLDER: &str = ".obsidian";
/// A settings file of a plugin is a few kilobytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

impl<T: DeserializeOwned + Default> ConfigFile<T> {
    /// Reads a file below the configuration folder.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read. A malformed file is a warning.
    pub fn read(vault: &Vault, name: &str) -> Result<Self, EngineError> {
        let (path, bytes) = vault.config(name)?;
        Ok(Self::parse(path, bytes.as_deref()))
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

impl Vault {
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
        let path = self
            .config_folder
            .join(name)
            .map_err(|reason| EngineError::path(name, reason))?;
        let folder = match self.disk.folder(&path) {
            Ok(folder) => folder,
            Err(blocked) => match blocked.obstacle {
                Obstacle::Missing | Obstacle::NotAFolder => return Ok((path, Vec::new())),
                Obstacle::IsFolder | Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => {
                    return Err(EngineError::from_blocked_folder(
                        path.as_str(),
                        &path,
                        blocked,
                    ));
                }
            },
        };
        let mut entries = list(&folder).map_err(|source| failed(&path, source))?;
        entries.sort_by(|left, right| left.name.cmp(&right.name));
        Ok((path, entries))
    }

    /// Returns a file of the configuration folder; no bytes if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the vault's settings cannot be read.
    pub fn config(&self, name: &str) -> Result<(VaultPath, Option<Vec<u8>>), EngineError> {
        let path = self
            .config_folder
            .join(name)
            .map_err(|reason| EngineError::path(name, reason))?;
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
            Err(blocked) => match blocked.obstacle {
                Obstacle::Missing | Obstacle::NotAFolder => return Ok((path, None)),
                Obstacle::IsFolder => return Err(EngineError::NotRegular { path }),
                Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => {
                    return Err(EngineError::from_blocked_file(path.as_str(), blocked));
                }
            },
        };
        match up_to(file, MAX_CONFIG_BYTES).map_err(|source| failed(&path, source))? {
            Some(bytes) => Ok((path, Some(bytes))),
            None => Err(EngineError::TooLarge {
                path,
                limit: MAX_CONFIG_BYTES,
            }),
        }
    }
}

/// Returns the configuration folder of a vault.
pub(super) fn default_folder() -> Result<VaultPath, EngineError> {
    VaultPath::file(DEFAULT_CONFIG_FOLDER)
        .map_err(|reason| EngineError::path(DEFAULT_CONFIG_FOLDER, reason))
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
