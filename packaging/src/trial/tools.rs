//! Runs the tools of others, and the installed programs, in an environment of their own.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::Fault;

/// The tools that are installed, and a home for them that is thrown away.
pub(crate) struct Tools {
    home: TempDir,
    path: OsString,
}

impl Tools {
    /// Tools with an empty home.
    pub(crate) fn new() -> Result<Self, Fault> {
        #[expect(clippy::disallowed_methods, reason = "where the developer's tools are")]
        let path = std::env::var_os("PATH").unwrap_or_default();
        Ok(Self {
            home: tempfile::tempdir()?,
            path,
        })
    }

    /// Whether a tool is installed.
    pub(crate) fn has(&self, tool: &str) -> bool {
        self.find(tool).is_some()
    }

    /// The first of these tools that is not installed.
    pub(crate) fn lacks<'a>(&self, tools: &[&'a str]) -> Option<&'a str> {
        tools.iter().copied().find(|tool| !self.has(tool))
    }

    fn find(&self, tool: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(&self.path);
        folders
            .map(|folder| folder.join(tool))
            .find(|file| file.is_file())
    }

    /// Runs a program to its end in a folder, and returns what it printed. Fails where it fails.
    pub(crate) fn run<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        words: &[S],
        folder: &Path,
    ) -> Result<String, Fault> {
        self.run_with_input(program, words, folder, "")
    }

    /// What goes before a command that needs root: nothing for root itself, `sudo` where that asks no
    /// question, and `None` where neither is so.
    pub(crate) fn root(&self) -> Option<&'static [&'static str]> {
        let here = Path::new("/");
        if self
            .run("id", &["-u"], here)
            .is_ok_and(|id| id.trim() == "0")
        {
            return Some(&["env"]);
        }
        let can_sudo = self.run("sudo", &["-n", "true"], here).is_ok();
        can_sudo.then_some(&["sudo", "-n"])
    }

    /// Runs a program as root.
    pub(crate) fn run_as_root(&self, program: &str, words: &[&str]) -> Result<String, Fault> {
        let before = self
            .root()
            .ok_or("this needs root, and sudo asks for a password")?;
        let words: Vec<&str> = before[1..]
            .iter()
            .chain([&program])
            .chain(words)
            .copied()
            .collect();
        self.run(before[0], &words, Path::new("/"))
    }

    /// The same, with text on its standard input.
    pub(crate) fn run_with_input<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        words: &[S],
        folder: &Path,
        input: &str,
    ) -> Result<String, Fault> {
        let program = program.as_ref();
        let shown = program.display();
        let mut command = self.command(program);
        let child = command
            .args(words)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|error| format!("{shown}: {error}"))?;
        // What is written is far less than a pipe holds, so no reader is needed meanwhile.
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(input.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            return Ok(printed);
        }
        let words: Vec<_> = words
            .iter()
            .map(|word| word.as_ref().display().to_string())
            .collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "{shown} {}: {}\n{printed}{errors}",
            words.join(" "),
            output.status
        )
        .into())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the tools that packages are tried with"
    )]
    fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.home.path())
            .env("LC_ALL", "C.UTF-8");
        command
    }
}
