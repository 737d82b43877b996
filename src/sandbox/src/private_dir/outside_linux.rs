//! Remembers which paths are outside of a folder, so that a server, which checks this at each call,
//! need not walk up the same parents each time.
//!
//! A finding counts while path and folder are unchanged: each is still the same file at the same
//! canonical path, no symlink is on the way, and it is reached through the same mount.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, StatxFlags, openat2, statx};

/// Most findings to remember. A server needs fewer: its settings file and its state folders against
/// a few vaults.
const MOST: usize = 32;

struct Outside {
    path: CheckedPath,
    folder: CheckedPath,
}

/// A path, with the file and the canonical path that it led to.
struct CheckedPath {
    requested: PathBuf,
    canonical: PathBuf,
    file: FileNumbers,
}

/// Device (major, minor), inode, and the id of the mount; the mount is 0 if the kernel does not
/// report it.
type FileNumbers = (u32, u32, u64, u64);

static FOUND: Mutex<Vec<Outside>> = Mutex::new(Vec::new());

/// Whether `path` was found outside of `folder` before, and both are unchanged. False if that is
/// not known.
pub(super) fn is_known(path: &Path, folder: &Path) -> bool {
    found()
        .iter()
        .find(|known| known.path.requested == path && known.folder.requested == folder)
        .is_some_and(|known| known.path.holds() && known.folder.holds())
}

/// Remembers that `path` is outside of `folder`, and is not the folder itself.
pub(super) fn remember(path: &Path, folder: &Path) {
    let (Some(path), Some(folder)) = (CheckedPath::find(path), CheckedPath::find(folder)) else {
        return;
    };
    if path.file == folder.file || path.canonical.starts_with(&folder.canonical) {
        return;
    }
    let mut found = found();
    found.retain(|known| {
        known.path.requested != path.requested || known.folder.requested != folder.requested
    });
    let surplus = (found.len() + 1).saturating_sub(MOST);
    found.drain(..surplus);
    found.push(Outside { path, folder });
}

impl CheckedPath {
    fn find(path: &Path) -> Option<Self> {
        let canonical = fs_err::canonicalize(path).ok()?;
        Some(Self {
            file: file_at(&canonical, ResolveFlags::NO_SYMLINKS)?,
            requested: path.to_owned(),
            canonical,
        })
    }

    fn holds(&self) -> bool {
        let leads_there = |path, how| file_at(path, how) == Some(self.file);
        leads_there(&self.canonical, ResolveFlags::NO_SYMLINKS)
            && (self.requested == self.canonical
                || leads_there(&self.requested, ResolveFlags::empty()))
    }
}

/// Returns the file that a path leads to, resolved with the restrictions `how`.
fn file_at(path: &Path, how: ResolveFlags) -> Option<FileNumbers> {
    let file = openat2(
        CWD,
        path,
        OFlags::PATH | OFlags::CLOEXEC,
        Mode::empty(),
        how,
    )
    .ok()?;
    let wanted = StatxFlags::INO | StatxFlags::MNT_ID;
    let found = statx(&file, c"", AtFlags::EMPTY_PATH, wanted).ok()?;
    let device = (found.stx_dev_major, found.stx_dev_minor);
    Some((device.0, device.1, found.stx_ino, found.stx_mnt_id))
}

fn found() -> MutexGuard<'static, Vec<Outside>> {
    // Findings are added and removed as a whole, so a panic cannot leave half of one.
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use fs_err::os::unix::fs::symlink;

    use super::super::{lies_within, would_lie_within};
    use super::*;

    #[test]
    fn h05_what_was_found_outside_is_looked_for_again_when_anything_moved() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        let (vault, state) = (root.join("vault"), root.join("home/state"));
        fs_err::create_dir_all(&vault).unwrap();
        fs_err::create_dir_all(&state).unwrap();
        assert!(!would_lie_within(&state, &vault));
        assert!(is_known(&state, &vault));
        assert!(!is_known(&vault, &vault) && would_lie_within(&vault, &vault));

        // The folder `home` moves into the vault, and a link takes its place.
        fs_err::rename(root.join("home"), vault.join("home")).unwrap();
        symlink(vault.join("home"), root.join("home")).unwrap();
        assert!(!is_known(&state, &vault));
        assert!(would_lie_within(&state, &vault));
        assert!(lies_within(&state, &vault).unwrap());

        // A path that leads outside through a link, and then into the vault.
        let (link, other) = (root.join("link"), root.join("other"));
        fs_err::create_dir(&other).unwrap();
        symlink(&other, &link).unwrap();
        assert!(!would_lie_within(&link, &vault) && is_known(&link, &vault));
        fs_err::remove_file(&link).unwrap();
        symlink(vault.join("home"), &link).unwrap();
        assert!(!is_known(&link, &vault) && would_lie_within(&link, &vault));
    }

    #[test]
    fn h05_of_what_does_not_exist_only_the_folder_above_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        let (vault, none) = (root.join("vault"), root.join("home/none"));
        fs_err::create_dir(&vault).unwrap();
        fs_err::create_dir(root.join("home")).unwrap();
        assert!(!would_lie_within(&none, &vault));
        assert!(!is_known(&none, &vault) && is_known(&root.join("home"), &vault));
        symlink(&vault, &none).unwrap();
        assert!(would_lie_within(&none, &vault));
        assert!(would_lie_within(&none.join("deeper"), &vault));
    }
}
