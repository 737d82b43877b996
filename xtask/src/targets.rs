//! The systems that the program is for, besides the one that this runs on.

use std::path::PathBuf;
use std::process::Command;

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
    /// Its folder.
    pub(crate) root: PathBuf,
}

impl Toolchain {
    /// Asks the compiler where it is.
    pub(crate) fn find() -> Result<Self, String> {
        let asked = command("rustc").args(["--print", "sysroot"]).output();
        let answer = asked.map_err(|error| format!("rustc: {error}"))?;
        let root = String::from_utf8_lossy(&answer.stdout);
        Ok(Self {
            root: PathBuf::from(root.trim()),
        })
    }

    /// Whether the standard library for a system is installed.
    pub(crate) fn has(&self, target: &str) -> bool {
        self.root.join("lib/rustlib").join(target).is_dir()
    }

    /// Asks rustup for the standard libraries that are not installed. Without a network that fails
    /// for all of them, which rustup explains; a toolchain without rustup is an error.
    pub(crate) fn add_missing(&self) -> Result<(), String> {
        let missing = TARGETS.into_iter().filter(|target| !self.has(target));
        for target in missing {
            command("rustup")
                .args(["target", "add", target])
                .status()
                .map_err(|error| format!("rustup: {error}"))?;
        }
        Ok(())
    }
}

/// A command of the toolchain, or another that a developer has.
#[expect(
    clippy::disallowed_methods,
    reason = "the tools of the developer who runs this"
)]
pub(crate) fn command(program: &str) -> Command {
    Command::new(program)
}
