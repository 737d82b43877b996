//! Reads the settings file. Refuses a file that another user could have written.

use std::path::Path;

use super::model::Settings;
use super::parse::{SettingsMistake, line_of, parse};
use crate::error::Error;
use protocol::{Code, Failure};
use sandbox::{Unsafe, private_dir};

/// Maximum size of a settings file, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

impl Settings {
    /// Reads a settings file that must exist.
    ///
    /// # Errors
    ///
    /// `CONFIG_MISSING` if it does not exist, `CONFIG_INVALID` if it is unsafe or invalid,
    /// `IO_ERROR` if it cannot be read.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        Self::with_lists(path, &Self::read_file(path)?)
    }

    /// Reads the bytes of a settings file that must exist.
    ///
    /// # Errors
    ///
    /// As for [`Self::load`], except for mistakes in the content.
    pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
        private_dir::read(path, MAX_FILE_BYTES)
            .map_err(|reason| reason.into_failure(&display_name(path)))
    }

    /// Parses settings from text. `name` identifies the file in messages.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` with the line of the first mistake.
    ///
    /// ```
    /// use settings::Settings;
    ///
    /// let settings = Settings::parse("settings.toml", "timeout_ms = 5000").unwrap();
    /// assert_eq!(settings.timeout_ms, 5000);
    /// assert!(Settings::parse("settings.toml", "timeout = 5000").is_err());
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        read_text(text.as_bytes(), name)
    }

    /// Reads a settings file, or returns the defaults if it does not exist.
    ///
    /// # Errors
    ///
    /// As for [`Self::load`], except `CONFIG_MISSING`.
    pub fn load_or_default(path: &Path) -> Result<Self, Failure> {
        match Self::load(path) {
            Err(failure) if failure.code == Code::ConfigMissing => Ok(Self::default()),
            other => other,
        }
    }

    /// Refuses a settings file inside the vault, where anyone who can write notes could change it
    /// (`threats.toml` H05). A vault that does not exist contains no file.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if the file is inside the vault, `IO_ERROR` if that cannot be determined.
    pub fn ensure_outside(&self, vault_root: &Path) -> Result<(), Failure> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let name = display_name(file);
        match private_dir::lies_within(file, vault_root) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Error::InsideVault(name).into()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Unsafe::Io(error).into_failure(&name)),
        }
    }
}

/// Parses the bytes of a settings file. `name` is its name without folders.
pub(super) fn read_text(bytes: &[u8], name: &str) -> Result<Settings, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        SettingsMistake {
            line: line_of(bytes, error.valid_up_to()),
            key: None,
            what: "This line is not UTF-8 text.".to_owned(),
            hint: "Save the file as UTF-8.".to_owned(),
        }
        .into_failure(name)
    })?;
    parse(text).map_err(|mistake| mistake.into_failure(name))
}

/// The file's name for messages. Agents must not see folders outside the vault.
pub(super) fn display_name(path: &Path) -> String {
    path.file_name().map_or_else(
        || "the settings file".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a09_a_missing_file_is_the_defaults_only_at_its_usual_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vault-gw/settings.toml");
        assert_eq!(Settings::load_or_default(&path), Ok(Settings::default()));
        let failure = Settings::load(&path).unwrap_err();
        assert_eq!(failure.code, Code::ConfigMissing);
        assert!(
            !failure
                .to_string()
                .contains(&*folder.path().to_string_lossy())
        );
    }

    #[test]
    fn h01_a_bad_file_is_never_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.toml");
        fs_err::write(&path, "alow_mutations = true\n").unwrap();
        let failure = Settings::load_or_default(&path).unwrap_err();
        assert_eq!(failure.code, Code::ConfigInvalid);
        fs_err::write(&path, "tier = \"v1\"\n").unwrap();
        let settings = Settings::load_or_default(&path).unwrap();
        assert_eq!(settings.tier, allowlist::Tier::V1);
    }

    #[test]
    fn h05_settings_inside_the_vault_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let vault = folder.path().join("vault");
        fs_err::create_dir_all(vault.join("config")).unwrap();
        let inside = vault.join("config/settings.toml");
        fs_err::write(&inside, "").unwrap();
        let beside = folder.path().join("settings.toml");
        fs_err::write(&beside, "").unwrap();
        let refused = Settings::load(&inside).unwrap().ensure_outside(&vault);
        assert_eq!(refused.unwrap_err().code, Code::ConfigInvalid);
        let settings = Settings::load(&beside).unwrap();
        assert_eq!(settings.ensure_outside(&vault), Ok(()));
        assert_eq!(settings.ensure_outside(&folder.path().join("none")), Ok(()));
        assert_eq!(Settings::default().ensure_outside(&vault), Ok(()));
    }

    #[cfg(unix)]
    #[test]
    fn h05_a_way_into_the_vault_by_another_name_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let vault = folder.path().join("vault");
        fs_err::create_dir_all(vault.join("config")).unwrap();
        fs_err::write(vault.join("config/settings.toml"), "").unwrap();
        let alias = folder.path().join("alias");
        fs_err::os::unix::fs::symlink(vault.join("config"), &alias).unwrap();
        let settings = Settings::load(&alias.join("settings.toml")).unwrap();
        assert!(settings.ensure_outside(&vault).is_err());
    }
}
