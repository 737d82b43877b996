//! The programs that are compared, and the made-up user who runs them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use vault_gw::environment::Environment;

use crate::Fault;
use crate::files::{remove, write};

/// The programs that are compared; a yardstick is `None` if it is not installed.
pub(crate) struct Programs {
    /// Our program, built for release.
    pub(crate) ours: PathBuf,
    pub(super) rg: Option<PathBuf>,
    pub(super) find: Option<PathBuf>,
    pub(super) cat: Option<PathBuf>,
    /// GNU time, which reports a process's peak memory.
    pub(super) time: Option<PathBuf>,
    path: OsString,
}

impl Programs {
    /// Looks for them; ours is `binary`, or the release program of this target folder.
    pub(crate) fn find(binary: Option<&Path>) -> Result<Self, Fault> {
        let environment = Environment::capture();
        let path = environment.variable("PATH").unwrap_or_default().to_owned();
        let ours = match binary {
            Some(binary) => environment.absolute(binary),
            None => release_program()?,
        };
        if !ours.is_file() {
            let shown = ours.display();
            return Err(
                format!("{shown} is not there: cargo build --release, or --binary FILE").into(),
            );
        }
        let installed = |name: &str| {
            std::env::split_paths(&path)
                .map(|folder| folder.join(name))
                .find(|file| file.is_file())
        };
        Ok(Self {
            ours,
            rg: installed("rg"),
            find: installed("find"),
            cat: installed("cat"),
            time: installed("time").filter(|time| is_gnu_time(time)),
            path,
        })
    }
}

/// `release/vault-gw` beside the folder that this program runs from.
fn release_program() -> Result<PathBuf, Fault> {
    let this = std::env::current_exe()?;
    let target = this
        .parent()
        .and_then(Path::parent)
        .unwrap_or(Path::new("target"));
    let name = format!("vault-gw{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join("release").join(name))
}

fn is_gnu_time(time: &Path) -> bool {
    command(time)
        .args(["-f", "%M", "true"])
        .output()
        .is_ok_and(|output| output.status.success() && !output.stderr.is_empty())
}

/// A user with folders of their own, whose one vault is the measured one.
pub(super) struct User<'programs> {
    pub(super) programs: &'programs Programs,
    folder: PathBuf,
    root: PathBuf,
}

impl<'programs> User<'programs> {
    /// Creates the user's folders and settings.
    pub(super) fn new(
        folder: &Path,
        root: &Path,
        programs: &'programs Programs,
    ) -> Result<Self, Fault> {
        for name in ["home", "state", "run"] {
            fs_err::create_dir_all(folder.join(name))?;
        }
        // A bridge for agents is off unless its owner says otherwise.
        let settings = folder.join("config/vault-gw/settings.toml");
        write(&settings, "enabled = true\n")?;
        let root = fs_err::canonicalize(root)?;
        Ok(Self {
            programs,
            folder: folder.to_owned(),
            root,
        })
    }

    /// The folder of the user's files.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Our program with its default settings, run for the vault without the app.
    pub(super) fn ours(&self, words: &[String]) -> Command {
        let mut command = self.command(&self.programs.ours);
        command.arg("--vault").arg(&self.root).args(words);
        command
    }

    /// Any program in this user's environment.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = command(program);
        command
            .env_clear()
            .env("PATH", &self.programs.path)
            .env("HOME", self.folder.join("home"))
            .env("XDG_CONFIG_HOME", self.folder.join("config"))
            .env("XDG_STATE_HOME", self.folder.join("state"))
            .env("XDG_CACHE_HOME", self.folder.join("cache"))
            .env("XDG_RUNTIME_DIR", self.folder.join("run"))
            .env("TZ", "UTC")
            .current_dir(self.folder.join("home"));
        command
    }

    /// Removes what earlier runs kept, so that the next one starts cold.
    pub(super) fn forget(&self) -> Result<(), Fault> {
        remove(&self.folder.join("cache"))
    }

    /// Where our program keeps the index.
    pub(super) fn cache(&self) -> PathBuf {
        self.folder.join("cache/vault-gw")
    }

    /// The vault's folder, canonical.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// A file for one-off results.
    pub(super) fn scratch_file(&self) -> PathBuf {
        self.folder.join("scratch")
    }
}

/// Runs a command to its end and reads all that it prints.
pub(super) fn output(command: &mut Command) -> Result<Output, Fault> {
    let output = command.output();
    Ok(output.map_err(|error| format!("{}: {error}", command.get_program().display()))?)
}

fn command(program: &Path) -> Command {
    let mut command = crate::targets::command(program);
    command.stdin(Stdio::null());
    command
}
