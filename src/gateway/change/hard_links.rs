//! Notes that are the same file as another one, perhaps outside of the vault (`faults.md` D05).
//!
//! No path rule sees the other name. The app writes into the file, so the other one changes too;
//! the engine puts a new file in the place of the old one, so they part. Either may be unwanted,
//! and neither is an attack by itself: the owner made the link, or a tool that saves space.

use std::path::Path;

use vault_engine::{Change, VaultPath};

use crate::issue::Issue;

/// A warning for each of these files that has other names.
pub(super) fn among<'a>(root: &Path, paths: impl Iterator<Item = &'a VaultPath>) -> Vec<Issue> {
    paths
        .filter(|path| has_other_names(&root.join(path.as_str())))
        .map(|path| {
            Issue::new(
                "HARD_LINK",
                "The file has another name, perhaps outside of the vault. The app changes it under both; the embedded engine leaves the other one as it was.",
            )
            .at(path.as_str())
        })
        .collect()
}

/// The file of a change that gets other content, without the app's own files.
pub(super) fn rewritten(change: &Change) -> Option<&VaultPath> {
    match change {
        Change::Modify { path, .. } if !path.is_hidden() => Some(path),
        _ => None,
    }
}

#[cfg(unix)]
fn has_other_names(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs_err::symlink_metadata(file).is_ok_and(|found| found.is_file() && found.nlink() > 1)
}

/// The standard library has no access to this on Windows.
#[cfg(not(unix))]
fn has_other_names(_file: &Path) -> bool {
    false
}
