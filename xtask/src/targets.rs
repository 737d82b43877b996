//! The systems that the program is for, besides the one that this runs on; and the tools of the developer.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use vault_gw::environment::Environment;

use crate::Fault;

/// Every system, by the name that Rust has for it.
pub(crate) const TARGETS: [&str; 5] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-pc-windows-gnu",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
];

/// The toolchain that this was built with.
pub(crate) struct Toolchain {
    /// The folder of the toolchain.
    pub(crate) root: PathBuf,
}

impl Toolchain {
    /// Asks the compiler where it is.
    pub(crate) fn find() -> Result<Self, Fault> {
        let root = printed(command("rustc").args(["--print", "sysroot"]))?;
        Ok(Self {
            root: PathBuf::from(root.trim()),
        })
    }

    /// Whether the standard library for a system is installed.
    pub(crate) fn has(&self, target: &str) -> bool {
        self.root.join("lib/rustlib").join(target).is_dir()
    }
}

/// The folder of this repository.
pub(crate) fn repository() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// A command of the toolchain, or another that a developer has.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place of the chores that starts the tools of whoever runs them"
)]
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
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
pub(crate) fn search_path() -> Vec<PathBuf> {
    let environment = Environment::capture();
    let path = environment.variable("PATH").unwrap_or_default();
    std::env::split_paths(path).collect()
}

/// A program that is in one of the folders.
pub(crate) fn installed(name: &str, path: &[PathBuf]) -> Option<PathBuf> {
    let mut files = path.iter().map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

/// Cargo, in this repository.
pub(crate) fn cargo() -> Command {
    let mut cargo = command(env!("CARGO"));
    cargo.current_dir(repository());
    cargo
}

/// Runs a command and returns whether it succeeded; its output is shown.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool, Fault> {
    let status = command.status();
    Ok(status
        .map_err(|error| format!("{}: {error}", name(command)))?
        .success())
}

/// Runs a command to its end and reads all that it prints.
pub(crate) fn output(command: &mut Command) -> Result<Output, Fault> {
    let output = command.output();
    Ok(output.map_err(|error| format!("{}: {error}", name(command)))?)
}

/// The output of a command; an error if it fails.
pub(crate) fn printed(command: &mut Command) -> Result<String, Fault> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(command, &output))
}

/// The error of a failed command, with its output.
pub(crate) fn failed(command: &Command, output: &Output) -> Fault {
    let errors = String::from_utf8_lossy(&output.stderr);
    format!("{}: {}\n{errors}", name(command), output.status).into()
}

fn name(command: &Command) -> String {
    command.get_program().display().to_string()
}

/// A free port of the loopback address.
pub(crate) fn free_port() -> Result<u16, Fault> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?
        .local_addr()?
        .port())
}

/// Fails with a text unless `holds` is true.
pub(crate) fn ensure(holds: bool, otherwise: &str) -> Result<(), Fault> {
    holds.then_some(()).ok_or_else(|| otherwise.into())
}
