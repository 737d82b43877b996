//! The systems that the program is for, besides the one that this runs on.

use std::path::PathBuf;

use chores::{Fault, command, printed};

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
