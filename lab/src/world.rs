//! A vault with settings of its own, and our program for it.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use chores::{Fault, command, ensure, write};
use serde_json::Value;

/// A folder with a vault, settings and a home folder.
#[derive(Clone)]
pub(crate) struct World {
    program: PathBuf,
    pub(crate) folder: PathBuf,
}

/// A process of a chore. It is killed when dropped, and keeps nothing.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    /// Starts it, and waits for the first line that it says.
    pub(crate) fn start(mut command: Command) -> Result<(Self, String), Fault> {
        let (said, end) = io::pipe()?;
        let name = command.get_program().display().to_string();
        let child = command.stdout(end.try_clone()?).stderr(end).spawn();
        let running = Self(child.map_err(|error| format!("{name}: {error}"))?);
        // It keeps the pipe open.
        drop(command);
        let mut said = BufReader::new(said);
        let mut line = String::new();
        said.read_line(&mut line)?;
        // Nobody reads what it says afterwards.
        std::thread::spawn(move || drop(io::copy(&mut said, &mut io::sink())));
        Ok((running, line.trim_end().to_owned()))
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

/// Waits until the condition is true, at most for `patience`.
pub(crate) fn comes(patience: Duration, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() && started.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A process that reads lines and answers with lines.
pub(crate) struct Pipes {
    running: Running,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipes {
    /// Starts it.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Fault> {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = Running(pipes.spawn()?);
        let (input, output) = (running.0.stdin.take(), running.0.stdout.take());
        Ok(Self {
            running,
            input: input.ok_or("the process has no pipe")?,
            output: BufReader::new(output.ok_or("the process has no pipe")?),
        })
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), Fault> {
        Ok(writeln!(self.input, "{line}")?)
    }

    /// Waits for the next line.
    pub(crate) fn receive(&mut self) -> Result<String, Fault> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err("the process has ended".into()),
            _ => Ok(line),
        }
    }

    /// Sends a request to `vault-gw call`; the answer, and the time until it came.
    ///
    /// # Errors
    ///
    /// If the answer is an error.
    pub(crate) fn ask(&mut self, request: &Value) -> Result<(Value, Duration), Fault> {
        let request = request.to_string();
        let started = Instant::now();
        self.send(&request)?;
        let line = self.receive()?;
        let time = started.elapsed();
        let answer: Value = serde_json::from_str(&line).unwrap_or_default();
        let otherwise = format!("vault-gw call: {request} got {line}");
        ensure(answer["success"] == true, &otherwise).map(|()| (answer, time))
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.running.0.id()
    }

    /// Lets it end by itself.
    pub(crate) fn end(mut self) -> Result<(), Fault> {
        drop(self.input);
        self.running.0.wait()?;
        Ok(())
    }
}

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

    /// The program with these settings and this vault, and without the environment of the user who runs the chore.
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
        let mut command = self.command();
        command
            .args(["mcp", "--http", &format!("127.0.0.1:{port}")])
            .args(words);
        let (running, line) = Running::start(command)?;
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

/// Our program: this one, or the release one of this target folder.
pub(crate) fn ours(binary: Option<&Path>) -> Result<PathBuf, Fault> {
    let this = std::env::current_exe()?;
    let target = this.ancestors().nth(2).unwrap_or(Path::new("target"));
    let release = format!("release/vault-gw{}", std::env::consts::EXE_SUFFIX);
    let ours = std::path::absolute(binary.unwrap_or(&target.join(release)))?;
    if ours.is_file() {
        return Ok(ours);
    }
    let shown = ours.display();
    Err(format!("{shown} is not there: cargo build --release, or --binary FILE").into())
}

/// The folders with the programs of the user who runs the chore.
#[expect(
    clippy::disallowed_methods,
    reason = "the programs of the user who runs it"
)]
pub(crate) fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// A program that is in one of the folders.
pub(crate) fn installed(name: &str, path: &[PathBuf]) -> Option<PathBuf> {
    let mut files = path.iter().map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

/// A free port of the loopback address.
pub(crate) fn free_port() -> Result<u16, Fault> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?
        .local_addr()?
        .port())
}
