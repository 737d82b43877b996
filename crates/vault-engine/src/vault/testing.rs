//! Vaults for tests.

use super::Vault;
use crate::path::VaultPath;
use crate::resolve::Resolution;
use crate::testing::write;

/// A vault of these files, in a folder that goes with the first value.
pub(crate) fn vault(files: &[(&str, &str)]) -> (tempfile::TempDir, Vault) {
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
pub(crate) fn path(text: &str) -> VaultPath {
    VaultPath::file(text).unwrap()
}

/// What `file=` leads to.
pub(crate) fn found(vault: &Vault, linkpath: &str) -> Option<String> {
    match vault.resolve(linkpath).unwrap().resolution {
        Resolution::Found(found) => Some(found.path.to_string()),
        Resolution::Missing => None,
    }
}
