//! The child's environment: only variables from a short allowlist (`threats.toml` C06 to C08).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::error::Error;
use protocol::Failure;
use sandbox::Environment;

/// Variables that are passed on unchanged if set.
const PASSED: &[&str] = if cfg!(windows) {
    &[
        "APPDATA",
        "LOCALAPPDATA",
        "SystemRoot",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
    ]
} else {
    &["LOGNAME", "USER"]
};

/// Variables that are passed on if they contain an absolute path.
const PASSED_FOLDERS: &[&str] = if cfg!(windows) {
    &[]
} else {
    &["TMPDIR", "XDG_CONFIG_HOME"]
};

/// `PATH` of the child, which has no reason to start programs.
const FIXED_PATH: &str = "/usr/bin:/bin";

/// The child's environment, and the folders that determine which app it talks to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildEnvironment {
    variables: BTreeMap<OsString, OsString>,
    /// The folder that contains the app's socket: `${XDG_RUNTIME_DIR:-$HOME}`, on macOS `$HOME`
    /// (`official-cli.md` §3).
    pub socket_folder: PathBuf,
}

impl ChildEnvironment {
    /// Builds the child's environment from the environment of this process.
    ///
    /// Passes no display and no session bus, so that a child which is the desktop app after all
    /// cannot show itself.
    ///
    /// # Errors
    ///
    /// `APP_UNREACHABLE` unless `HOME` is set, absolute and owned by this user, and likewise
    /// `XDG_RUNTIME_DIR` if set. Ignoring a bad value could silently select another socket
    /// (`threats.toml` C08).
    pub fn from_environment(environment: &Environment) -> Result<Self, Failure> {
        let mut variables = BTreeMap::new();
        for name in PASSED {
            if let Some(value) = environment.variable(name) {
                insert(&mut variables, name, value);
            }
        }
        for name in PASSED_FOLDERS {
            if let Some(path) = environment.absolute_path(name) {
                insert(&mut variables, name, path.as_os_str());
            }
        }
        if cfg!(windows) {
            let home = own_folder(environment, "USERPROFILE")?;
            return Ok(Self {
                variables,
                socket_folder: home.ok_or_else(|| wrong_folder("USERPROFILE", "unset"))?,
            });
        }
        let home = own_folder(environment, "HOME")?.ok_or_else(|| wrong_folder("HOME", "unset"))?;
        insert(&mut variables, "HOME", home.as_os_str());
        // The app and its command line ignore it on macOS (`official-cli.md` §3).
        let runtime = if cfg!(target_os = "macos") {
            None
        } else {
            own_folder(environment, "XDG_RUNTIME_DIR")?
        };
        if let Some(runtime) = &runtime {
            insert(&mut variables, "XDG_RUNTIME_DIR", runtime.as_os_str());
        }
        insert(&mut variables, "PATH", OsStr::new(FIXED_PATH));
        insert(&mut variables, "LC_ALL", OsStr::new("C.UTF-8"));
        Ok(Self {
            variables,
            socket_folder: runtime.unwrap_or(home),
        })
    }

    /// Returns the variables, sorted by name in byte order.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Returns the value of one variable in the child.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
    }
}

/// Adds a variable unless it could make a program load or run something.
fn insert(variables: &mut BTreeMap<OsString, OsString>, name: &str, value: &OsStr) {
    if !is_dangerous(OsStr::new(name), value) {
        variables.insert(name.into(), value.to_owned());
    }
}

/// Whether loaders or interpreters read the variable, or old shells would run the value as a
/// function (`threats.toml` C07). A second line of defence behind the allowlist.
fn is_dangerous(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let obeyed = name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || name.starts_with("BASH_FUNC_")
        || [
            "BASH_ENV",
            "ELECTRON_RUN_AS_NODE",
            "ENV",
            "GCONV_PATH",
            "NODE_OPTIONS",
        ]
        .contains(&name.as_str());
    obeyed || value.as_encoded_bytes().starts_with(b"() {")
}

fn own_folder(environment: &Environment, name: &'static str) -> Result<Option<PathBuf>, Error> {
    let Some(path) = environment.variable(name).map(PathBuf::from) else {
        return Ok(None);
    };
    if !path.is_absolute() {
        return Err(wrong_folder(name, "relative"));
    }
    let found = fs_err::metadata(&path).map_err(|_unreadable| wrong_folder(name, "missing"))?;
    if !found.is_dir() {
        return Err(wrong_folder(name, "not-a-folder"));
    }
    if !is_ours(&found) {
        return Err(wrong_folder(name, "owner"));
    }
    Ok(Some(path))
}

#[cfg(unix)]
fn is_ours(found: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

#[cfg(windows)]
fn is_ours(_found: &std::fs::Metadata) -> bool {
    true
}

fn wrong_folder(variable: &'static str, reason: &'static str) -> Error {
    let problem = match reason {
        "unset" => "is not set",
        "relative" => "is not an absolute path",
        "missing" => "is a folder that does not exist",
        "not-a-folder" => "is not a folder",
        _ => "is a folder of another user",
    };
    Error::WrongFolder(variable, problem, reason)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::path::Path;

    use protocol::Code;

    use super::*;

    const CASES: &str = include_str!("environment_cases.txt");

    fn child(pairs: &[(&str, &str)]) -> Result<ChildEnvironment, Failure> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        ChildEnvironment::from_environment(&Environment::new(pairs, None))
    }

    fn home() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn c06_the_child_sees_the_list_and_nothing_else() {
        let home = home();
        let folder = home.path().to_str().unwrap();
        let child = child(&[
            ("HOME", folder),
            ("XDG_RUNTIME_DIR", folder),
            ("XDG_CONFIG_HOME", "/c"),
            ("USER", "u"),
            ("LOGNAME", "u"),
            ("TMPDIR", "relative"),
            ("PATH", "/evil:/usr/bin"),
            ("LANG", "de_DE"),
            ("GITHUB_TOKEN", "secret"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("DISPLAY", ":0"),
            ("WAYLAND_DISPLAY", "wayland-0"),
            ("XAUTHORITY", "/x"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/bus"),
        ])
        .unwrap();
        let seen: Vec<_> = child
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        assert_eq!(
            seen,
            [
                format!("HOME={folder}"),
                "LC_ALL=C.UTF-8".into(),
                "LOGNAME=u".into(),
                "PATH=/usr/bin:/bin".into(),
                "USER=u".into(),
                "XDG_CONFIG_HOME=/c".into(),
                format!("XDG_RUNTIME_DIR={folder}"),
            ]
        );
    }

    #[test]
    fn c07_loader_variables_and_function_values_never_pass() {
        for name in tables::lines(CASES, "c07 loader variables and function values") {
            assert!(is_dangerous(OsStr::new(name), OsStr::new("1")), "{name}");
        }
        assert!(!is_dangerous(OsStr::new("USER"), OsStr::new("u")));
        let home = home();
        let folder = home.path().to_str().unwrap();
        let child = child(&[("HOME", folder), ("USER", "() { :; }; echo pwned")]).unwrap();
        assert_eq!(child.variable("USER"), None);
    }

    /// Variables, the name of the wrong variable, and the reason.
    type Row<'row> = (&'row [(&'row str, &'row str)], &'row str, &'row str);

    #[test]
    fn c08_a_wrong_home_or_runtime_folder_is_an_error_not_another_socket() {
        let home = home();
        let folder = home.path().to_str().unwrap();
        let file = home.path().join("file");
        fs_err::write(&file, "").unwrap();
        let file = file.to_str().unwrap();
        let gone = home.path().join("gone");
        let gone = gone.to_str().unwrap();
        let table: [Row<'_>; 8] = [
            (&[], "HOME", "unset"),
            (&[("HOME", "")], "HOME", "unset"),
            (&[("HOME", "home/u")], "HOME", "relative"),
            (&[("HOME", gone)], "HOME", "missing"),
            (&[("HOME", file)], "HOME", "not-a-folder"),
            (
                &[("HOME", folder), ("XDG_RUNTIME_DIR", "run")],
                "XDG_RUNTIME_DIR",
                "relative",
            ),
            (
                &[("HOME", folder), ("XDG_RUNTIME_DIR", gone)],
                "XDG_RUNTIME_DIR",
                "missing",
            ),
            (
                &[("HOME", folder), ("XDG_RUNTIME_DIR", file)],
                "XDG_RUNTIME_DIR",
                "not-a-folder",
            ),
        ];
        for (pairs, variable, reason) in table {
            if cfg!(target_os = "macos") && variable == "XDG_RUNTIME_DIR" {
                continue;
            }
            let failure = child(pairs).unwrap_err();
            assert_eq!(failure.code, Code::AppUnreachable, "{pairs:?}");
            assert_eq!(failure.details["variable"], variable, "{pairs:?}");
            assert_eq!(failure.details["reason"], reason, "{pairs:?}");
        }
        assert_eq!(
            child(&[("HOME", folder)]).unwrap().socket_folder,
            home.path()
        );
    }

    #[test]
    fn c08_a_folder_of_another_user_is_refused() {
        let home = home();
        let folder = home.path().join("other");
        fs_err::create_dir(&folder).unwrap();
        let own = rustix::process::geteuid().is_root();
        let other = if own {
            fs_err::os::unix::fs::chown(&folder, Some(12_345), Some(12_345)).unwrap();
            folder.as_path()
        } else {
            Path::new("/")
        };
        let failure = child(&[("HOME", other.to_str().unwrap())]).unwrap_err();
        assert_eq!(failure.details["reason"], "owner");
    }
}
