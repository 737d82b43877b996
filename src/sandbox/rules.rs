//! The paths that a confined process may still use.

use std::path::{Path, PathBuf};

/// Paths that stay usable. A folder includes everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessRules {
    /// Readable paths. Missing ones are left out.
    pub read: Vec<PathBuf>,
    /// Readable and writable paths. Missing ones are left out.
    pub write: Vec<PathBuf>,
    /// Files that may be executed. All of them must exist.
    pub execute: Vec<PathBuf>,
    /// Unix sockets that may be connected to, if the kernel can distinguish them (Landlock ABI 9).
    pub sockets: Vec<PathBuf>,
}

impl AccessRules {
    /// Returns every path of these rules.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths = self.execute.iter().chain(&self.read).chain(&self.write);
        paths.chain(&self.sockets).map(PathBuf::as_path)
    }
}
