//! The server under test: its build, its vault and settings, and how it is started.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use super::http;

/// How long the server may take to say where it listens.
const PATIENCE: Duration = Duration::from_secs(30);

/// Builds the program with the fixtures of the suites; its path.
#[expect(clippy::disallowed_methods, reason = "a chore starts cargo")]
pub(super) fn build() -> Result<PathBuf, String> {
    let words = [
        "build",
        "--quiet",
        "--package",
        "vault-gw",
        "--features",
        "conformance",
    ];
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(words).status();
    if !status.is_ok_and(|status| status.success()) {
        return Err("the test build failed".to_owned());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let name = format!("vault-gw{}", std::env::consts::EXE_SUFFIX);
    Ok(own.with_file_name(name))
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
    pub(super) fn make(program: &Path, folder: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| error.to_string();
        let vault = folder.join("Notes");
        fs_err::create_dir_all(vault.join(".obsidian")).map_err(failed)?;
        fs_err::write(vault.join("watched.md"), "# Watched\n").map_err(failed)?;
        let settings = "enabled = true\nbackend = \"embedded\"\n";
        fs_err::write(folder.join("settings.toml"), settings).map_err(failed)?;
        Ok(Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
        })
    }

    /// The command that starts it.
    #[expect(clippy::disallowed_methods, reason = "a chore starts the program")]
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
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
    pub(super) fn serve_http(&self) -> Result<ServedHttp, String> {
        let token_file = self.folder.join("token");
        // The proxy must know the server's port, and the server the proxy's origin, so a port is
        // looked for first.
        let (found, port) = sync_channel(1);
        let (token, get_token) = sync_channel(1);
        let known = std::sync::OnceLock::new();
        let waiting = std::sync::Mutex::new((port, get_token));
        let proxy = http::listen(move |client| {
            let (port, field) = known.get_or_init(|| {
                let waiting = waiting
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                let port: u16 = waiting.0.recv().unwrap_or_default();
                let token: String = waiting.1.recv().unwrap_or_default();
                (port, format!("Authorization: Bearer {token}"))
            });
            http::pass_on(client, *port, field)
        });
        let proxy = proxy.map_err(|error| error.to_string())?;
        let mut child = self
            .command()
            .args(["--http", "127.0.0.1:0"])
            .args(["--allow-origin", &format!("http://localhost:{proxy}")])
            .arg("--token-file")
            .arg(&token_file)
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let errors = child.stderr.take();
        let (said, lines) = sync_channel(16);
        std::thread::spawn(move || {
            let lines = errors
                .into_iter()
                .flat_map(|errors| BufReader::new(errors).lines());
            for line in lines.map_while(Result::ok) {
                // What nobody waits for is dropped.
                drop(said.try_send(line));
            }
        });
        let url = format!("http://localhost:{proxy}/mcp");
        let served = ServedHttp { child, url };
        let line = lines
            .recv_timeout(PATIENCE)
            .map_err(|_| "the server does not say where it listens".to_owned())?;
        let port = line
            .split_once("127.0.0.1:")
            .and_then(|(_, rest)| rest.split('/').next())
            .and_then(|port| port.parse().ok())
            .ok_or_else(|| format!("the server says: {line}"))?;
        let text = fs_err::read_to_string(&token_file).map_err(|error| error.to_string())?;
        let told = found.send(port).is_ok() && token.send(text.trim().to_owned()).is_ok();
        if told {
            Ok(served)
        } else {
            Err("the proxy has ended".to_owned())
        }
    }
}

impl Drop for ServedHttp {
    fn drop(&mut self) {
        // The server is this chore's own and keeps nothing.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
