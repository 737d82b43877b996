//! Notes with several hard links, perhaps to names outside of the vault (`threats.toml` D05).
//!
//! Names outside of the vault are under no path rule; for those in it see `threats.toml` D17. The app writes
//! into the file, so the other names change too; the engine replaces the file, so the names are separated.
//! Either may be unwanted, and neither is an attack by itself: the owner made the link, or a tool that saves
//! space.

use std::path::Path;

use vault_engine::{Change, VaultPath};

use protocol::Issue;

/// Returns a warning for each of these files that has other names.
pub(super) fn among<'a>(root: &Path, paths: impl Iterator<Item = &'a VaultPath>) -> Vec<Issue> {
    paths
        .filter(|path| has_other_names(&root.join(path.as_str())))
        .map(|path| {
            Issue::new(
                "HARD_LINK",
                "The file also has another path (a hard link), perhaps outside the vault. If the app makes the change, the file changes at both paths. If vault-gw makes the change, only this path changes.",
            )
            .with_path(path.as_str())
        })
        .collect()
}

/// Returns the file whose content the change replaces; `None` for the app's own files.
pub(super) fn rewritten(change: &Change) -> Option<&VaultPath> {
    match change {
        Change::Modify { path, .. } if !path.is_hidden() => Some(path),
        _ => None,
    }
}

/// Whether the file has another name.
#[cfg(unix)]
pub fn has_other_names(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs_err::symlink_metadata(file).is_ok_and(|found| found.is_file() && found.nlink() > 1)
}

/// The standard library cannot count hard links on Windows.
#[cfg(not(unix))]
pub fn has_other_names(_file: &Path) -> bool {
    false
}
