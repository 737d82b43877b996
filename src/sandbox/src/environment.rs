//! The environment of the process, captured once at start and passed down explicitly.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::KernelLimits;

/// Environment variables, working directory, umask and helper program.
///
/// Nothing here can widen policy (`design/settings.md`). It only locates the user's folders.
#[derive(Clone, Debug)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    working_directory: Option<PathBuf>,
    /// The user's umask, which new notes are created with. The process itself runs with a stricter
    /// umask, because its own files are private.
    pub umask: u32,
    /// The `vault-gw` program to start as a helper: the guardian, which ends all runs if this process is killed, and
    /// the launcher, which confines itself and becomes the official command line.
    pub helper: Option<PathBuf>,
    /// The most that a test lets the program use of the kernel's sandbox, to see the behaviour on
    /// an older kernel. No option, setting or variable sets it.
    pub kernel_limits: Option<KernelLimits>,
    /// Runs in a server right after it has confined itself, as an attacker's code could. No option,
    /// setting or variable sets it.
    pub confined_hook: Option<fn(&Self)>,
}

/// Windows treats `Path` and `PATH` as one variable.
fn key(name: &OsStr) -> OsString {
    if cfg!(windows) {
        name.to_ascii_uppercase()
    } else {
        name.to_owned()
    }
}

fn by_key(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> BTreeMap<OsString, OsString> {
    let keyed = |(name, value): (OsString, OsString)| (key(&name), value);
    variables.into_iter().map(keyed).collect()
}

/// The usual umask: others may read new files but not change them.
const USUAL_UMASK: u32 = 0o022;

impl Default for Environment {
    fn default() -> Self {
        Self::new([], None)
    }
}

impl Environment {
    /// Captures the environment of this process. Called once, by `main`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub fn capture() -> Self {
        Self::new(std::env::vars_os(), std::env::current_dir().ok())
    }

    /// Builds an environment from parts, for tests and embedders.
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        working_directory: Option<PathBuf>,
    ) -> Self {
        Self {
            variables: by_key(variables),
            working_directory,
            umask: USUAL_UMASK,
            helper: None,
            kernel_limits: None,
            confined_hook: None,
        }
    }

    /// Uses this program as its own helper. The program must pass `GUARDIAN_WORD` on its command line
    /// to `watch_over_runs`, and `LAUNCHER_WORD` to `launch`.
    #[must_use]
    pub fn with_guardian(self) -> Self {
        // On Linux this is the running file itself, even if an upgrade has replaced it on disk.
        let helper = if cfg!(target_os = "linux") {
            Some(PathBuf::from("/proc/self/exe"))
        } else {
            std::env::current_exe()
                .ok()
                .map(|program| self.absolute(&program))
        };
        Self { helper, ..self }
    }

    /// Returns the value of a variable. An empty one counts as unset, as in the XDG specification.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(&key(OsStr::new(name)))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns every variable.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let variables = self.variables.iter();
        variables.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Returns the value of a variable as an absolute path. A relative one counts as unset (`threats.toml` C08).
    pub fn absolute_path(&self, name: &str) -> Option<PathBuf> {
        self.variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }

    /// Returns the folders of `PATH`, in their order. A relative one counts as unset (`threats.toml` C08).
    pub fn search_path(&self) -> Vec<PathBuf> {
        let folders = self.variable("PATH").map(std::env::split_paths);
        let folders = folders.into_iter().flatten();
        folders.filter(|folder| folder.is_absolute()).collect()
    }

    /// Returns the user's home folder, for which `~` is short.
    pub fn home(&self) -> Option<PathBuf> {
        self.absolute_path(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
    }

    /// Resolves a path that a person typed against the working directory at start.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.working_directory()
            .map_or_else(|| path.to_owned(), |here| here.join(path))
    }

    /// Returns the working directory at start, if it could be read.
    pub fn working_directory(&self) -> Option<&Path> {
        self.working_directory.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_of_a_name_counts_as_the_system_says() {
        let environment = Environment::new([("Path".into(), "here".into())], None);
        assert_eq!(environment.variable("Path"), Some(OsStr::new("here")));
        let other = environment.variable("PATH").is_some();
        assert_eq!(other, cfg!(windows));
    }
}
