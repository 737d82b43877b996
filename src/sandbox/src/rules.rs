//! The paths that a confined process may still use.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Paths that stay usable. A folder includes everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessRules {
    /// Readable paths. Missing ones are left out.
    #[serde(with = "any_paths")]
    pub read: Vec<PathBuf>,
    /// Readable and writable paths. Missing ones are left out.
    #[serde(with = "any_paths")]
    pub write: Vec<PathBuf>,
    /// Files that may be executed. All of them must exist.
    #[serde(with = "any_paths")]
    pub execute: Vec<PathBuf>,
    /// Unix sockets that may be connected to, if the kernel can distinguish them (Landlock ABI 9).
    #[serde(with = "any_paths")]
    pub sockets: Vec<PathBuf>,
}

impl AccessRules {
    /// Returns every path of these rules.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths = self.execute.iter().chain(&self.read).chain(&self.write);
        paths.chain(&self.sockets).map(PathBuf::as_path)
    }
}

/// Paths as the bytes that they are, because a path may not be UTF-8.
mod any_paths {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        paths: &[PathBuf],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| path.as_os_str()))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(
        reader: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<OsString>::deserialize(reader)?
            .into_iter()
            .map(PathBuf::from)
            .collect())
    }
}
