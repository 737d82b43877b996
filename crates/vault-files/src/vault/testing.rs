//! Vaults for tests.

#![expect(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test"
)]

use std::sync::Arc;

use obsidian_note::VaultPath;

use super::Vault;
use crate::sight::Sight;
use crate::testing::write;

/// Returns a vault with these files, in a folder that is removed with the first value.
///
/// # Panics
///
/// If the system refuses.
pub fn vault(files: &[(&str, &str)]) -> (tempfile::TempDir, Vault) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("My Notes");
    fs_err::create_dir(&root).unwrap();
    for (name, text) in files {
        write(&root, name, text);
    }
    let vault = Vault::open(&root).unwrap();
    (folder, vault)
}

/// A path that must be one.
///
/// # Panics
///
/// If it is not a path.
pub fn path(text: &str) -> VaultPath {
    VaultPath::file(text).unwrap()
}

/// Sees no path that begins with this text.
pub struct Without(pub String);

impl Sight for Without {
    fn sees_file(&self, path: &VaultPath) -> bool {
        !path.as_str().starts_with(&self.0)
    }

    fn sees_folder(&self, path: &VaultPath) -> bool {
        self.sees_file(path)
    }
}

/// Returns the vault for a caller who does not see paths that begin with `hidden`.
pub fn without_sight_of(vault: &Vault, hidden: &str) -> Vault {
    let sight = Arc::new(Without(hidden.to_owned()));
    vault.clone().with_sight(sight)
}
