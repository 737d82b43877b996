//! The app's list of vaults, `obsidian.json` (`vault-semantics.md` §1.1).

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use obsidian_note::byte_order_mark;
use serde::Deserialize;
use serde_json::Map;

use crate::disk::open_any_place;

/// The limit in bytes, which is more than the app ever writes: some 40,000 vaults.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The vaults that the app knows, in the order of its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    /// The vaults, without the unreadable entries.
    pub vaults: Vec<RegisteredVault>,
    /// Whether the app's own command line is switched on; `None` if the file does not say.
    pub cli: Option<bool>,
    /// The number of unreadable entries. The others are still used.
    pub damaged: usize,
}

/// One vault that the app knows.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisteredVault {
    /// The app's id, which `vault=` takes too.
    pub id: String,
    /// The folder, as the file names it.
    pub path: PathBuf,
    /// When it was last opened: milliseconds since 1970.
    pub ts: Option<f64>,
    /// Whether it is open; `None` if the file does not say.
    pub open: Option<bool>,
}

/// The reason why the app's list of vaults cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// There is no such file: the app was never started here.
    #[error("the file `{}` does not exist", path.display())]
    Absent {
        /// The path where it was expected.
        path: PathBuf,
    },
    /// The list of vaults cannot be read, or is not a regular file.
    #[error("`{}` cannot be read: {source}", path.display())]
    Io {
        /// The path of the list.
        path: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
    /// The list of vaults has more bytes than the app ever writes.
    #[error("`{}` is too large: it has more than {MAX_BYTES} bytes", path.display())]
    TooLarge {
        /// The path of the list.
        path: PathBuf,
    },
    /// The list of vaults is not the JSON that the app writes.
    #[error("Obsidian's list of vaults is malformed: {0}")]
    Malformed(#[from] serde_json::Error),
}

/// The operating system whose conventions apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatingSystem {
    /// Linux and other unixes that follow the XDG rules.
    Linux,
    /// The conventions of macOS, for every system of Apple.
    Macos,
    /// The conventions of Windows (`%APPDATA%`).
    Windows,
}

impl OperatingSystem {
    /// The system that this program was built for.
    pub const CURRENT: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_vendor = "apple") {
        Self::Macos
    } else {
        Self::Linux
    };
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    vaults: Map<String, serde_json::Value>,
    cli: Option<bool>,
}

#[derive(Deserialize)]
struct VaultEntry {
    path: PathBuf,
    ts: Option<f64>,
    open: Option<bool>,
}

impl RegisteredVault {
    /// Returns the vault's name: the last segment of its folder.
    pub fn name(&self) -> String {
        last_segment(&self.path)
    }
}

impl Registry {
    /// Reads the app's file, which may be a symlink but not a pipe (`threats.toml` D14).
    ///
    /// # Errors
    ///
    /// Fails if the file is missing, unreadable, larger than 8 MiB, or not the app's JSON.
    pub fn read(path: &Path) -> Result<Self, RegistryError> {
        let failed = |source: io::Error| {
            let path = path.to_owned();
            if source.kind() == io::ErrorKind::NotFound {
                RegistryError::Absent { path }
            } else {
                RegistryError::Io { path, source }
            }
        };
        let file = open_any_place(path).map_err(failed)?;
        let mut text = String::new();
        // One byte more than allowed, to detect a larger file without reading all of it.
        file.take(MAX_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(failed)?;
        if u64::try_from(text.len()).is_ok_and(|bytes| bytes <= MAX_BYTES) {
            Self::parse(&text)
        } else {
            Err(RegistryError::TooLarge { path: path.into() })
        }
    }

    /// Parses the text of the app's file. Unknown keys are ignored, and an entry that cannot be read is
    /// only counted.
    ///
    /// # Errors
    ///
    /// Fails with [`RegistryError::Malformed`] if the text is not the app's JSON.
    pub fn parse(text: &str) -> Result<Self, RegistryError> {
        let file: File = serde_json::from_str(byte_order_mark::strip(text))?;
        let count = file.vaults.len();
        let vaults: Vec<RegisteredVault> = file
            .vaults
            .into_iter()
            .filter_map(|(id, entry)| {
                let VaultEntry { path, ts, open } = serde_json::from_value(entry).ok()?;
                Some(RegisteredVault { id, path, ts, open })
            })
            .collect();
        Ok(Self {
            damaged: count - vaults.len(),
            vaults,
            cli: file.cli,
        })
    }

    /// Returns the vault in the folder `root`, however the paths are spelled.
    pub fn find_by_root(&self, root: &Path) -> Option<&RegisteredVault> {
        let canonical = std::fs::canonicalize(root).ok();
        self.vaults.iter().find(|vault| {
            vault.path == root
                || canonical.is_some() && std::fs::canonicalize(&vault.path).ok() == canonical
        })
    }

    /// Every vault of this name; the app takes names case-sensitively (`official-cli.md` §4).
    /// More than one means that only the id is safe to use.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &RegisteredVault> {
        self.vaults.iter().filter(move |vault| vault.name() == name)
    }

    /// Returns the vault that was opened last; if times are equal or unknown, the first of the file.
    pub fn last_opened(&self) -> Option<&RegisteredVault> {
        let time = |vault: &RegisteredVault| vault.ts.unwrap_or(f64::NEG_INFINITY);
        self.vaults.iter().reduce(|best, vault| {
            if time(vault) > time(best) {
                vault
            } else {
                best
            }
        })
    }

    /// Returns the paths where the app may keep its file, the most usual first. Arguments are the values of `HOME`,
    /// `XDG_CONFIG_HOME` and `APPDATA`; paths with a missing value are left out.
    pub fn places(
        system: OperatingSystem,
        home: Option<&Path>,
        xdg_config_home: Option<&Path>,
        appdata: Option<&Path>,
    ) -> Vec<PathBuf> {
        let folders: Vec<Option<PathBuf>> = match system {
            OperatingSystem::Linux => vec![
                // The XDG rules say that a relative value is to be ignored.
                xdg_config_home
                    .filter(|folder| folder.is_absolute())
                    .map(Path::to_owned)
                    .or_else(|| home.map(|home| home.join(".config"))),
                home.map(|home| home.join(".var/app/md.obsidian.Obsidian/config")),
                home.map(|home| home.join("snap/obsidian/current/.config")),
            ],
            OperatingSystem::Macos => {
                vec![home.map(|home| home.join("Library/Application Support"))]
            }
            OperatingSystem::Windows => vec![appdata.map(Path::to_owned)],
        };
        folders
            .into_iter()
            .flatten()
            .map(|folder| folder.join("obsidian").join("obsidian.json"))
            .collect()
    }
}

/// Returns the name of a vault in this folder; empty for the root of a file system.
pub(crate) fn last_segment(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"vaults":{
        "ef6ca3e3b524d22f":{"path":"/home/a/Notes","ts":1700000000000,"open":true},
        "0123456789abcdef":{"path":"/home/b/Notes","ts":1700000000001},
        "aaaaaaaaaaaaaaaa":{"path":"/home/a/Work"}
    },"cli":true,"frame":"native","updateDisabled":false}"#;

    #[test]
    fn the_apps_file_is_read_and_its_other_keys_are_left_alone() {
        let registry = Registry::parse(TEXT).unwrap();
        assert_eq!(registry.cli, Some(true));
        let names: Vec<String> = registry.vaults.iter().map(RegisteredVault::name).collect();
        assert_eq!(names, ["Notes", "Notes", "Work"]);
        assert_eq!(registry.vaults[0].open, Some(true));
        assert_eq!(registry.vaults[2].ts, None);
        assert_eq!(registry.last_opened().unwrap().id, "0123456789abcdef");
        assert_eq!(Registry::parse("{}").unwrap(), Registry::default());
        assert_eq!(Registry::default().last_opened(), None);
    }

    #[test]
    fn vaults_of_one_name_are_all_found() {
        let registry = Registry::parse(TEXT).unwrap();
        let ids: Vec<&str> = registry
            .named("Notes")
            .map(|vault| vault.id.as_str())
            .collect();
        assert_eq!(ids, ["ef6ca3e3b524d22f", "0123456789abcdef"]);
        assert_eq!(registry.named("notes").count(), 0);
    }

    #[test]
    fn a_malformed_file_is_an_error() {
        for text in ["", "[]", "{\"vaults\":[]}"] {
            assert!(
                matches!(Registry::parse(text), Err(RegistryError::Malformed(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn an_entry_that_is_damaged_does_not_take_the_others_along() {
        let text = r#"{"vaults":{"a":{},"b":{"path":"/n"},"c":{"path":1},"d":7}}"#;
        let registry = Registry::parse(text).unwrap();
        let ids: Vec<&str> = registry
            .vaults
            .iter()
            .map(|vault| vault.id.as_str())
            .collect();
        assert_eq!((ids, registry.damaged), (vec!["b"], 3));
    }

    #[test]
    fn the_folder_decides_which_vault_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("Notes");
        fs_err::create_dir(&root).unwrap();
        let spelled = root.join("..").join("Notes");
        let text = serde_json::json!({"vaults": {
            "gone": {"path": folder.path().join("gone")},
            "here": {"path": spelled},
        }});
        let registry = Registry::parse(&text.to_string()).unwrap();
        let id = |path: &Path| registry.find_by_root(path).map(|vault| vault.id.as_str());
        assert_eq!(id(&root), Some("here"));
        assert_eq!(id(folder.path()), None);
        assert_eq!(id(&folder.path().join("gone")), Some("gone"));
    }

    #[test]
    fn d14_only_a_regular_file_of_sane_size_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let absent = Registry::read(&folder.path().join("obsidian.json"));
        assert!(matches!(absent, Err(RegistryError::Absent { .. })));
        assert!(matches!(
            Registry::read(folder.path()),
            Err(RegistryError::Io { .. })
        ));
        let huge = folder.path().join("huge.json");
        fs_err::File::create(&huge)
            .unwrap()
            .set_len(MAX_BYTES + 1)
            .unwrap();
        assert!(matches!(
            Registry::read(&huge),
            Err(RegistryError::TooLarge { .. })
        ));
        let good = folder.path().join("good.json");
        fs_err::write(&good, TEXT).unwrap();
        assert_eq!(Registry::read(&good).unwrap().vaults.len(), 3);
    }

    #[test]
    fn the_places_of_each_system() {
        let home = Path::new("/home/a");
        let places = Registry::places(OperatingSystem::Linux, Some(home), None, None);
        assert_eq!(
            places[0],
            Path::new("/home/a/.config/obsidian/obsidian.json")
        );
        assert_eq!(places.len(), 3);
        let config = Path::new("/cfg");
        let places = Registry::places(OperatingSystem::Linux, Some(home), Some(config), None);
        assert_eq!(places[0], Path::new("/cfg/obsidian/obsidian.json"));
        let relative = Path::new("cfg");
        let places = Registry::places(OperatingSystem::Linux, None, Some(relative), None);
        assert_eq!(places, [] as [PathBuf; 0]);
        let places = Registry::places(OperatingSystem::Macos, Some(home), None, None);
        assert_eq!(
            places,
            [Path::new(
                "/home/a/Library/Application Support/obsidian/obsidian.json"
            )]
        );
        let places = Registry::places(
            OperatingSystem::Windows,
            None,
            None,
            Some(Path::new("/roaming")),
        );
        assert_eq!(places, [Path::new("/roaming/obsidian/obsidian.json")]);
    }
}
