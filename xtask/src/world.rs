//! A vault with settings of its own, and our program for it.

use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::Fault;
use crate::files::write;
use crate::targets::command;

/// A folder with a vault, settings and a home folder.
#[derive(Clone)]
pub(crate) struct World {
    program: PathBuf,
    pub(crate) folder: PathBuf,
}

/// A process of a chore. It is killed when dropped, and keeps nothing.
pub(crate) struct Running(pub(crate) Child);

impl World {
    /// Makes an empty vault and the settings in a folder.
    pub(crate) fn make(program: &Path, folder: &Path, settings: &str) -> Result<Self, Fault> {
        fs_err::create_dir_all(folder.join("Notes/.obsidian"))?;
        write(&folder.join("settings.toml"), settings)?;
        Ok(Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
        })
    }

    /// The vault.
    pub(crate) fn vault(&self) -> PathBuf {
        self.folder.join("Notes")
    }

    /// The program with these settings and this vault, and nothing of whoever runs the chore.
    pub(crate) fn command(&self) -> Command {
        let mut command = command(&self.program);
        command
            .env_clear()
            .env("HOME", &self.folder)
            .arg("--settings")
            .arg(self.folder.join("settings.toml"))
            .arg("--vault")
            .arg(self.vault());
        command
    }

    /// Serves over HTTP on a port of the loopback address, 0 for any; with the port.
    pub(crate) fn listen(&self, port: u16, words: &[&str]) -> Result<(Running, u16), Fault> {
        let child = self
            .command()
            .args(["mcp", "--http", &format!("127.0.0.1:{port}")])
            .args(words)
            .stderr(Stdio::piped())
            .spawn()?;
        let mut running = Running(child);
        let errors = running.0.stderr.take().ok_or("the server has no pipe")?;
        let mut errors = BufReader::new(errors);
        let mut line = String::new();
        errors.read_line(&mut line)?;
        // Nobody reads what it says afterwards.
        std::thread::spawn(move || drop(io::copy(&mut errors, &mut io::sink())));
        let port = line.split_once("127.0.0.1:");
        let port = port.and_then(|(_, rest)| rest.split('/').next()?.parse().ok());
        Ok((
            running,
            port.ok_or_else(|| format!("the server says: {line}"))?,
        ))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
