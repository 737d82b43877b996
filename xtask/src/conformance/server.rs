//! The server under test: its build, its vault and settings, and how it is started.

use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::http;
use crate::Fault;
use crate::files::write;
use crate::targets::{cargo, command, succeeds};

/// Builds the program with the fixtures of the suites; its path.
pub(super) fn build() -> Result<PathBuf, Fault> {
    let words = ["build", "--quiet", "--package", "vault-gw"];
    if !succeeds(cargo().args(words).args(["--features", "conformance"]))? {
        return Err("the test build failed".into());
    }
    let name = format!("vault-gw{}", std::env::consts::EXE_SUFFIX);
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// A vault, settings and a token for the server.
#[derive(Clone)]
pub(super) struct World {
    program: PathBuf,
    folder: PathBuf,
}

/// A server over HTTP behind a proxy. Ends when dropped.
pub(super) struct ServedHttp {
    child: Child,
    /// Where the suites find it.
    pub(super) url: String,
}

impl World {
    /// Makes them in a folder.
    pub(super) fn make(program: &Path, folder: &Path) -> Result<Self, Fault> {
        let vault = folder.join("Notes");
        fs_err::create_dir_all(vault.join(".obsidian"))?;
        write(&vault.join("watched.md"), "# Watched\n")?;
        let settings = "enabled = true\nbackend = \"embedded\"\n";
        write(&folder.join("settings.toml"), settings)?;
        Ok(Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
        })
    }

    /// The command that starts it.
    pub(super) fn command(&self) -> Command {
        let mut command = command(&self.program);
        command
            .env_clear()
            .env("HOME", &self.folder)
            .arg("--settings")
            .arg(self.folder.join("settings.toml"))
            .arg("--vault")
            .arg(self.folder.join("Notes"))
            .arg("mcp");
        command
    }

    /// Starts it over HTTP, behind a proxy that adds the token.
    pub(super) fn serve_http(&self) -> Result<ServedHttp, Fault> {
        let token_file = self.folder.join("token");
        // The server must know the proxy's origin, so that port is there first.
        let (proxy, origin_port) = http::bind()?;
        let origin = format!("http://localhost:{origin_port}");
        let mut child = self
            .command()
            .args(["--http", "127.0.0.1:0", "--allow-origin", &origin])
            .arg("--token-file")
            .arg(&token_file)
            .stderr(Stdio::piped())
            .spawn()?;
        let errors = child.stderr.take().ok_or("the server has no pipe")?;
        let url = format!("{origin}/mcp");
        let served = ServedHttp { child, url };
        let mut errors = BufReader::new(errors);
        let mut line = String::new();
        errors.read_line(&mut line)?;
        // Nobody reads what it says afterwards.
        std::thread::spawn(move || drop(io::copy(&mut errors, &mut io::sink())));
        let port = line.split_once("127.0.0.1:");
        let port = port.and_then(|(_, rest)| rest.split('/').next()?.parse().ok());
        let port: u16 = port.ok_or_else(|| format!("the server says: {line}"))?;
        let token = fs_err::read_to_string(&token_file)?;
        let field = format!("Authorization: Bearer {}", token.trim());
        http::serve(proxy, move |client| http::pass_on(client, port, &field));
        Ok(served)
    }
}

impl Drop for ServedHttp {
    fn drop(&mut self) {
        // The server is this chore's own and keeps nothing.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
