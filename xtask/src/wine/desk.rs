//! Somebody's Windows: a Wine prefix, the programs in it, and how they are run.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use vault_gw::environment::Environment;

use crate::Fault;
pub(super) use crate::files::write;
use crate::targets::{cargo, command, repository, succeeds};

const TARGET: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";
/// The folder of our program.
pub(super) const PROGRAMS: &str = r"C:\gw";
/// The folder of the official command line.
pub(super) const OFFICIAL: &str = r"C:\official";
/// Seconds after which a program is ended that does not end by itself.
const PATIENCE: &str = "120";

/// What this needs and is not installed.
pub(super) fn missing() -> Option<String> {
    let path = Environment::capture();
    let path = path.variable("PATH").unwrap_or_default().to_owned();
    let is_there =
        |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    [
        (COMPILER, "gcc-mingw-w64-x86-64"),
        ("wine", "wine64"),
        ("timeout", "coreutils"),
    ]
    .into_iter()
    .find(|(program, _)| !is_there(program))
    .map(|(program, package)| format!("there is no `{program}` (Debian: {package})"))
}

/// A prefix of Wine with our programs, and the Linux program beside it.
pub(super) struct Desk {
    folder: PathBuf,
    linux: PathBuf,
}

impl Desk {
    /// Builds the programs and makes the prefix anew.
    pub(super) fn make() -> Result<Self, Fault> {
        let target = target_folder()?;
        build(&["--package", "vault-gw"])?;
        let packages = ["--package", "vault-gw", "--package", "fake-obsidian"];
        build(&[&packages[..], &["--bins", "--target", TARGET]].concat())?;
        let desk = Self {
            folder: target.join("wine"),
            linux: target.join("debug/vault-gw"),
        };
        if desk.folder.exists() {
            fs_err::remove_dir_all(&desk.folder)?;
        }
        for folder in ["prefix", "home", "linux"] {
            fs_err::create_dir_all(desk.folder.join(folder))?;
        }
        desk.wine(["wineboot", "--init"], &[])
            .current_dir(&desk.folder)
            .output()?;
        // Nothing but the prefix can be reached from here on.
        drop(fs_err::remove_file(
            desk.folder.join("prefix/dosdevices/z:"),
        ));
        desk.install(&target.join(TARGET).join("debug"))?;
        Ok(desk)
    }

    fn install(&self, built: &Path) -> Result<(), Fault> {
        let library = self.folder.join("bcryptprimitives.dll");
        let compiled = command(COMPILER)
            .args(["-shared", "-Os", "-s", "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(&library)
            .arg(repository().join("fixtures/wine-shim/bcryptprimitives.c"))
            .arg("-ladvapi32")
            .output()?;
        if !compiled.status.success() {
            return Err(String::from_utf8_lossy(&compiled.stderr).into());
        }
        for (folder, program, name) in [
            (PROGRAMS, "vault-gw.exe", "vault-gw.exe"),
            (PROGRAMS, "fake-app.exe", "fake-app.exe"),
            (OFFICIAL, "fake-obsidian.exe", "Obsidian.com"),
        ] {
            let folder = self.place(folder);
            fs_err::create_dir_all(&folder)?;
            fs_err::copy(built.join(program), folder.join(name))?;
            fs_err::copy(&library, folder.join("bcryptprimitives.dll"))?;
        }
        Ok(())
    }

    /// Where a path of drive C lies.
    pub(super) fn place(&self, windows: &str) -> PathBuf {
        let below = windows.trim_start_matches(r"C:\").replace('\\', "/");
        self.folder.join("prefix/drive_c").join(below)
    }

    /// The folder of the Windows user.
    pub(super) fn profile(&self) -> Result<PathBuf, Fault> {
        let users = fs_err::read_dir(self.place(r"C:\users"))?;
        users
            .filter_map(Result::ok)
            .find(|user| user.file_name() != "Public")
            .map(|user| user.path())
            .ok_or_else(|| "the prefix has no user".into())
    }

    /// That user's name.
    pub(super) fn user(&self) -> Result<String, Fault> {
        let profile = self.profile()?;
        let name = profile.file_name().unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// Replaces the settings of the Windows user.
    pub(super) fn set(&self, settings: &str) -> Result<(), Fault> {
        let folder = self.profile()?.join("AppData/Roaming/vault-gw");
        write(&folder.join("settings.toml"), settings)
    }

    /// Makes a vault at a path of drive C.
    pub(super) fn vault(&self, windows: &str, notes: &[(&str, &str)]) -> Result<PathBuf, Fault> {
        let folder = self.place(windows);
        if folder.exists() {
            fs_err::remove_dir_all(&folder)?;
        }
        fs_err::create_dir_all(folder.join(".obsidian"))?;
        for (path, note) in notes {
            write(&folder.join(path), note)?;
        }
        Ok(folder)
    }

    /// A program of the prefix, with variables besides those of Wine.
    fn wine<W: AsRef<OsStr>>(
        &self,
        words: impl IntoIterator<Item = W>,
        variables: &[(&str, &str)],
    ) -> Command {
        let mut command = command("timeout");
        command
            .args(["--kill-after", "5", PATIENCE, "wine"])
            .args(words)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.folder.join("home"))
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .env("WINEPREFIX", self.folder.join("prefix"))
            .env("WINEDEBUG", "-all")
            // Ours for the library that old Wines lack; no offers to install more; no menu entries.
            .env(
                "WINEDLLOVERRIDES",
                "bcryptprimitives=n,b;mscoree=;mshtml=;winemenubuilder.exe=d",
            )
            .envs(variables.iter().copied())
            .current_dir(self.folder.join("prefix/drive_c").as_path())
            .stdin(Stdio::null());
        command
    }

    /// `vault-gw` with these words.
    pub(super) fn command<W: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = W>) -> Command {
        let mut command = self.wine([r"C:\gw\vault-gw.exe"], &[]);
        command.args(words);
        command
    }

    /// Runs `vault-gw` to its end.
    pub(super) fn run<W: AsRef<OsStr>>(
        &self,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Output, Fault> {
        Ok(self.command(words).output()?)
    }

    /// One command's envelope.
    pub(super) fn envelope<W: AsRef<OsStr>>(
        &self,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Value, Fault> {
        let output = self.command(["-o", "json"]).args(words).output();
        let output = output?;
        parsed(&output)
    }

    /// The Linux program with a home of its own.
    pub(super) fn linux<W: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = W>) -> Command {
        let mut command = command(&self.linux);
        command
            .args(words)
            .env_clear()
            .env("HOME", self.folder.join("linux"))
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .current_dir(self.folder.join("linux"))
            .stdin(Stdio::null());
        command
    }

    /// The envelopes of requests to `vault-gw call` on Windows, in their order.
    pub(super) fn call(&self, words: &[&str], requests: &[Value]) -> Result<Vec<Value>, Fault> {
        answers(self.command(words), requests)
    }

    /// The same of the Linux program, with these settings.
    pub(super) fn call_on_linux(
        &self,
        settings: &str,
        words: &[&str],
        requests: &[Value],
    ) -> Result<Vec<Value>, Fault> {
        let file = self.folder.join("linux/.config/vault-gw/settings.toml");
        write(&file, settings)?;
        answers(self.linux(words), requests)
    }

    /// Ends every `vault-gw` of the prefix at once, as a crash would.
    pub(super) fn kill_all(&self) -> Result<(), Fault> {
        let words = ["taskkill", "/f", "/im", "vault-gw.exe"];
        let killed = self.wine(words, &[]).output()?;
        if killed.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&killed.stdout).into())
        }
    }

    /// The app's pipe in one of the fake's modes, until it is dropped.
    pub(super) fn app(&self, mode: &str) -> Result<App, Fault> {
        self.fake_app(&[mode])
    }

    /// A program that has a file open, and lets others only read it, until it is dropped.
    pub(super) fn holder_of(&self, file: &str) -> Result<App, Fault> {
        self.fake_app(&["holding", file])
    }

    fn fake_app(&self, words: &[&str]) -> Result<App, Fault> {
        let mut command = self.wine([r"C:\gw\fake-app.exe"], &[]);
        let mut child = command
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            let mut stdout = std::io::BufReader::new(stdout);
            std::io::BufRead::read_line(&mut stdout, &mut line)?;
        }
        let app = App(child);
        if line.trim() == "ready" {
            Ok(app)
        } else {
            Err(format!("fake-app {words:?} did not start: {line}").into())
        }
    }
}

/// A running fake app.
pub(super) struct App(Child);

impl Drop for App {
    fn drop(&mut self) {
        // It ends with its standard input.
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

/// A request, as `vault-gw call` takes it.
pub(super) fn request(command: &str, params: &Value) -> Value {
    json!({ "command": command, "params": params })
}

/// The code of an envelope; `OK` where it succeeded.
pub(super) fn code(envelope: &Value) -> &str {
    envelope["error"]["code"].as_str().unwrap_or("OK")
}

/// Fails unless the envelope has this code.
pub(super) fn expect(envelope: &Value, wanted: &str, what: &str) -> Result<(), Fault> {
    if code(envelope) == wanted {
        Ok(())
    } else {
        Err(format!("{what}: {envelope}, not {wanted}").into())
    }
}

/// The JSON that a run printed.
pub(super) fn parsed(output: &Output) -> Result<Value, Fault> {
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        format!("{error}: {stdout}{stderr}").into()
    })
}

fn answers(mut command: Command, requests: &[Value]) -> Result<Vec<Value>, Fault> {
    let mut child = command
        .arg("call")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let lines: String = requests.iter().map(|one| format!("{one}\n")).collect();
    let mut input = child.stdin.take().ok_or("no standard input")?;
    let feeder = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output()?;
    let fed = feeder.join();
    let parse = |line: &str| serde_json::from_str(line);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<Value> = stdout.lines().map(parse).collect::<Result<_, _>>()?;
    if answers.len() == requests.len() && matches!(fed, Ok(Ok(()))) {
        Ok(answers)
    } else {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let (came, asked) = (answers.len(), requests.len());
        Err(format!("{came} answers to {asked} requests: {stdout}{stderr}").into())
    }
}

fn build(words: &[&str]) -> Result<(), Fault> {
    if succeeds(cargo().args(["build", "--quiet"]).args(words))? {
        Ok(())
    } else {
        Err("the programs could not be built".into())
    }
}

/// The target folder that this program runs from.
fn target_folder() -> Result<PathBuf, Fault> {
    let this = std::env::current_exe()?;
    let target = this.parent().and_then(Path::parent);
    target
        .map(Path::to_owned)
        .ok_or_else(|| "this program is in no target folder".into())
}
