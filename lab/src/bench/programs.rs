//! The programs that are compared, and the made-up user who runs them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use chores::{Fault, command, printed, remove, write};

use crate::world::{installed, ours, search_path};

/// The programs that are compared.
pub(super) struct Programs {
    /// Our program, built for release.
    pub(super) ours: PathBuf,
    /// GNU time, which reports a process's peak memory.
    pub(super) time: Option<PathBuf>,
    /// The folders of the others.
    path: Vec<PathBuf>,
}

impl Programs {
    /// Looks for them; ours is `binary`, or the release program of this target folder.
    pub(super) fn find(binary: Option<&Path>) -> Result<Self, Fault> {
        let path = search_path();
        let is_gnu = |time: &PathBuf| printed(command(time).args(["-f", "%M", "true"])).is_ok();
        Ok(Self {
            ours: ours(binary)?,
            time: installed("time", &path).filter(is_gnu),
            path,
        })
    }

    /// A program that ours is compared with; `None` if it is not installed.
    pub(super) fn installed(&self, name: &str) -> Option<PathBuf> {
        installed(name, &self.path)
    }
}

/// A user with folders of their own, whose one vault is the measured one.
pub(super) struct User<'programs> {
    pub(super) programs: &'programs Programs,
    /// The folder of the user's files.
    pub(super) folder: PathBuf,
    /// The vault's folder, canonical.
    pub(super) root: PathBuf,
}

impl<'programs> User<'programs> {
    /// Creates the user's folders and settings.
    pub(super) fn new(
        folder: &Path,
        root: &Path,
        programs: &'programs Programs,
    ) -> Result<Self, Fault> {
        for name in ["home", "state", "runtime"] {
            fs_err::create_dir_all(folder.join(name))?;
        }
        // A bridge for agents is off unless its owner says otherwise. On a busy machine a cold row of the largest vault
        // takes longer than a call may by default.
        let settings = folder.join("config/vault-gw/settings.toml");
        write(&settings, "enabled = true\ntimeout_ms = 600000\n")?;
        let root = fs_err::canonicalize(root)?;
        Ok(Self {
            programs,
            folder: folder.to_owned(),
            root,
        })
    }

    /// Our program with its default settings, run for the vault without the app.
    pub(super) fn ours(&self, words: &[impl AsRef<OsStr>]) -> Command {
        let mut command = self.command(&self.programs.ours);
        command.arg("--vault").arg(&self.root).args(words);
        command
    }

    /// Any program in this user's environment.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = command(program);
        command
            .env_clear()
            .env("TZ", "UTC")
            .env("HOME", self.folder.join("home"));
        command.envs(std::env::join_paths(&self.programs.path).map(|path| ("PATH", path)));
        for name in ["config", "state", "cache", "runtime"] {
            let kind = if name == "runtime" { "DIR" } else { "HOME" };
            let variable = format!("XDG_{}_{kind}", name.to_uppercase());
            command.env(variable, self.folder.join(name));
        }
        command.current_dir(self.folder.join("home"));
        command
    }

    /// Removes what earlier runs kept, so that the next one starts cold.
    pub(super) fn forget(&self) -> Result<(), Fault> {
        remove(&self.folder.join("cache"))
    }
}
