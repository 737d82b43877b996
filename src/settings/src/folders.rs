//! Locations of settings, state and caches, by the conventions of each operating system.

use std::path::PathBuf;

use crate::error::Error;
use protocol::Failure;
use sandbox::Environment;

const NAME: &str = "vault-gw";

/// A convention for the location of a program's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// The XDG base directories: `~/.config`, `~/.local/state`, `~/.cache`.
    Xdg,
    /// `~/Library/Application Support` and `~/Library/Caches`.
    MacOs,
    /// The folders of the variables `%APPDATA%` and `%LOCALAPPDATA%`.
    Windows,
}

impl Convention {
    /// Returns the convention of the operating system that this program was built for.
    pub const fn native() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Xdg
        }
    }
}

/// Computes the user's folders for this program. Does not access the disk.
///
/// A variable with a relative path counts as unset (XDG base directory specification).
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    environment: &'a Environment,
    convention: Convention,
}

impl<'a> Folders<'a> {
    /// The folders on this operating system.
    pub fn new(environment: &'a Environment) -> Self {
        Self::with_convention(Convention::native(), environment)
    }

    /// Returns the folders according to a given convention.
    pub fn with_convention(convention: Convention, environment: &'a Environment) -> Self {
        Self {
            environment,
            convention,
        }
    }

    /// Returns the default path of the settings file.
    ///
    /// # Errors
    ///
    /// `CONFIG_MISSING` if the variable of the home folder is not set to an absolute path.
    pub fn settings_file(self) -> Result<PathBuf, Failure> {
        let (variable, below) = match self.convention {
            Convention::Xdg => (Some("XDG_CONFIG_HOME"), ".config"),
            Convention::MacOs => (None, "Library/Application Support"),
            Convention::Windows => (Some("APPDATA"), "AppData/Roaming"),
        };
        let otherwise = "name the file with `--settings FILE`";
        let folder = self.folder("the settings file", variable, below, otherwise)?;
        Ok(folder.join(NAME).join("settings.toml"))
    }

    /// Returns the folder of the audit log, the journal and the approvals.
    ///
    /// # Errors
    ///
    /// As for [`Self::settings_file`].
    pub fn state(self) -> Result<PathBuf, Failure> {
        let what = "the folder of the undo history and the audit log";
        let xdg = ("XDG_STATE_HOME", ".local/state");
        let folder = self.kept(what, xdg, "Library/Application Support", "state")?;
        Ok(match self.convention {
            Convention::MacOs => folder.join("state"),
            Convention::Xdg | Convention::Windows => folder,
        })
    }

    /// Returns the folder of caches, which can be rebuilt: the index and the app's version.
    ///
    /// # Errors
    ///
    /// As for [`Self::settings_file`].
    pub fn cache(self) -> Result<PathBuf, Failure> {
        let xdg = ("XDG_CACHE_HOME", ".cache");
        self.kept("the folder of caches", xdg, "Library/Caches", "cache")
    }

    /// Returns a folder of files that the program writes by itself. `xdg` is a variable, and the folder below the home
    /// folder if it is not set; `macos` is a folder below the home folder, and `windows` the name of the folder there.
    fn kept(
        self,
        what: &'static str,
        xdg: (&str, &str),
        macos: &str,
        windows: &str,
    ) -> Result<PathBuf, Failure> {
        let (variable, below) = match self.convention {
            Convention::Xdg => (Some(xdg.0), xdg.1),
            Convention::MacOs => (None, macos),
            Convention::Windows => (Some("LOCALAPPDATA"), "AppData/Local"),
        };
        let otherwise = variable.map_or_else(String::new, |variable| format!("set `{variable}`"));
        let folder = self.folder(what, variable, below, &otherwise)?.join(NAME);
        Ok(match self.convention {
            Convention::Windows => folder.join(windows),
            Convention::Xdg | Convention::MacOs => folder,
        })
    }

    /// Returns the folder that a variable names, or else the one at `below` in the home folder. A message names the
    /// purpose of the folder, `what`, and what the user can do other than set the variable of the home folder, if anything.
    fn folder(
        self,
        what: &'static str,
        variable: Option<&str>,
        below: &str,
        otherwise: &str,
    ) -> Result<PathBuf, Failure> {
        let named = variable.and_then(|variable| self.environment.absolute_path(variable));
        if let Some(folder) = named {
            return Ok(folder);
        }
        let home = match self.convention {
            Convention::Xdg | Convention::MacOs => "HOME",
            Convention::Windows => "USERPROFILE",
        };
        let path = self.environment.absolute_path(home);
        path.map(|path| path.join(below)).ok_or_else(|| {
            let value = self.environment.variable(home).unwrap_or_default();
            let wrong = if value.is_empty() {
                "is not set"
            } else {
                "is not an absolute path"
            };
            let set = match otherwise {
                "" => format!("Set `{home}`."),
                otherwise => format!("Set `{home}`, or {otherwise}."),
            };
            Error::NoFolder(home, wrong, what, set).into()
        })
    }
}

#[cfg(test)]
mod tests {
    use protocol::Code;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::new(
            variables
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into())),
            None,
        )
    }

    fn all(convention: Convention, variables: &[(&str, &str)]) -> [String; 3] {
        let environment = environment(variables);
        let folders = Folders::with_convention(convention, &environment);
        [folders.settings_file(), folders.state(), folders.cache()]
            .map(|path| path.unwrap().to_string_lossy().into_owned())
    }

    #[cfg(unix)]
    #[test]
    fn each_system_has_its_places() {
        assert_eq!(
            all(Convention::Xdg, &[("HOME", "/h")]),
            [
                "/h/.config/vault-gw/settings.toml",
                "/h/.local/state/vault-gw",
                "/h/.cache/vault-gw"
            ]
        );
        assert_eq!(
            all(
                Convention::Xdg,
                &[
                    ("XDG_CONFIG_HOME", "/c"),
                    ("XDG_STATE_HOME", "/s"),
                    ("XDG_CACHE_HOME", "/k")
                ]
            ),
            ["/c/vault-gw/settings.toml", "/s/vault-gw", "/k/vault-gw"]
        );
        assert_eq!(
            all(
                Convention::MacOs,
                &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c")]
            ),
            [
                "/h/Library/Application Support/vault-gw/settings.toml",
                "/h/Library/Application Support/vault-gw/state",
                "/h/Library/Caches/vault-gw"
            ]
        );
        assert_eq!(
            all(
                Convention::Windows,
                &[("USERPROFILE", "/u"), ("APPDATA", "/r")]
            ),
            [
                "/r/vault-gw/settings.toml",
                "/u/AppData/Local/vault-gw/state",
                "/u/AppData/Local/vault-gw/cache"
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn relative_and_empty_values_count_as_unset() {
        for value in ["relative", "./x", ""] {
            assert_eq!(
                all(
                    Convention::Xdg,
                    &[("HOME", "/h"), ("XDG_CONFIG_HOME", value)]
                )[0],
                "/h/.config/vault-gw/settings.toml"
            );
        }
    }

    #[test]
    fn without_a_home_only_the_folder_that_needs_it_fails() {
        let environment = environment(&[("XDG_STATE_HOME", "/s"), ("HOME", "relative")]);
        let folders = Folders::with_convention(Convention::Xdg, &environment);
        let failure = folders.settings_file().unwrap_err();
        assert_eq!(failure.code, Code::ConfigMissing);
        assert!(
            failure.to_string().contains("`HOME`") && failure.to_string().contains("--settings")
        );
        assert_eq!(folders.state().is_ok(), cfg!(unix));
    }

    #[test]
    fn errors_and_hints_are_reported_for_each_folder() {
        for (value, wrong) in [("", "is not set"), ("relative", "is not an absolute path")] {
            let environment = environment(&[("HOME", value)]);
            let folders = Folders::with_convention(Convention::Xdg, &environment);
            for (failure, helps) in [
                (folders.settings_file().unwrap_err(), "`--settings FILE`"),
                (folders.state().unwrap_err(), "`XDG_STATE_HOME`"),
                (folders.cache().unwrap_err(), "`XDG_CACHE_HOME`"),
            ] {
                let message = failure.to_string();
                assert!(message.contains(&format!("`HOME` {wrong}")), "{message}");
                assert!(message.contains(helps), "{message}");
                assert_eq!(message.contains("--settings"), helps.contains("--settings"));
            }
        }
    }
}
