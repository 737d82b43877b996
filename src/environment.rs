//! What the process was born with, captured once so that everything below can be handed it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Environment variables and working directory.
///
/// Nothing here can widen policy (`design.md` §3); it only says where the user's folders are.
#[derive(Clone, Debug)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    working_directory: Option<PathBuf>,
    umask: u32,
    guardian: Option<PathBuf>,
}

/// What most systems set: others may read new files and not change them.
const USUAL_UMASK: u32 = 0o022;

impl Default for Environment {
    fn default() -> Self {
        Self::new([], None)
    }
}

impl Environment {
    /// Captures the process's own environment. Called once, by `main`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub fn of_this_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            working_directory: std::env::current_dir().ok(),
            umask: USUAL_UMASK,
            guardian: None,
        }
    }

    /// An environment made by hand, for tests and embedders.
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        working_directory: Option<PathBuf>,
    ) -> Self {
        Self {
            variables: variables.into_iter().collect(),
            working_directory,
            umask: USUAL_UMASK,
            guardian: None,
        }
    }

    /// The same environment with the mask that the user's own new files have. The process's mask
    /// is narrower, because its own files are for the user alone.
    #[must_use]
    pub fn with_umask(self, umask: u32) -> Self {
        Self { umask, ..self }
    }

    /// The same environment in a program that can be its own guardian: it hands
    /// [`GUARDIAN_WORD`](crate::backend::obsidian::spawn::GUARDIAN_WORD) to
    /// [`watch_over_runs`](crate::backend::obsidian::spawn::watch_over_runs).
    #[must_use]
    pub fn with_guardian(self) -> Self {
        // On Linux the very file that runs, also when another one has taken its name meanwhile.
        let guardian = if cfg!(target_os = "linux") {
            Some(PathBuf::from("/proc/self/exe"))
        } else {
            std::env::current_exe()
                .ok()
                .map(|program| self.absolute(&program))
        };
        Self { guardian, ..self }
    }

    /// The program that ends what this one has started, should this one be killed.
    pub fn guardian(&self) -> Option<&Path> {
        self.guardian.as_deref()
    }

    /// The mode bits that a new note does not have.
    pub fn umask(&self) -> u32 {
        self.umask
    }

    /// A variable's value; an empty one counts as unset, as in the XDG specification.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// A variable that holds an absolute path; a relative one counts as unset (`faults.md` C08).
    pub fn absolute_path(&self, name: &str) -> Option<PathBuf> {
        self.variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }

    /// A path that a person typed, relative to where they stand.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.working_directory()
            .map_or_else(|| path.to_owned(), |here| here.join(path))
    }

    /// The working directory at start, where it could be read.
    pub fn working_directory(&self) -> Option<&Path> {
        self.working_directory.as_deref()
    }
}
