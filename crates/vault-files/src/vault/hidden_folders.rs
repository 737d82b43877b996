//! The names of the vault's root that may be a configuration folder, remembered in the cache folder.
//!
//! A question about one file has to know them all (`design/vault-settings.md`), and the root may have thousands of
//! notes. An entry that is added, removed or renamed changes the times of the root, and then it is listed again.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::SystemTime;

use obsidian_note::VaultPath;
use serde::{Deserialize, Serialize};

use super::Vault;
use crate::disk::{EntryKind, FileStamp, create_private, list, make_private_folder};

/// The content of the file in the cache folder.
#[derive(Serialize, Deserialize)]
struct Remembered {
    /// The state of the root when it was listed.
    root: FileStamp,
    names: Vec<String>,
}

/// Returns the folders of the root whose names begin with a dot, in byte order. A symlink is not one.
pub(super) fn hidden_folders(vault: &Vault) -> Vec<VaultPath> {
    let Ok(root) = vault.disk.folder(&VaultPath::root()) else {
        return Vec::new();
    };
    let started = SystemTime::now();
    // The state before the listing: a change in between is seen at the next question.
    let stamp = root.stamp(OsStr::new(".")).ok();
    let names = remembered(vault, stamp).unwrap_or_else(|| {
        let mut names: Vec<String> = list(&root)
            .unwrap_or_default()
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::Folder)
            .filter_map(|entry| entry.name.into_string().ok())
            .filter(|name| name.starts_with('.'))
            .collect();
        names.sort();
        if let Some(root) = stamp.filter(|stamp| stamp.is_settled(started)) {
            // Without the file, the root is listed again.
            remember(
                vault,
                &Remembered {
                    root,
                    names: names.clone(),
                },
            )
            .ok();
        }
        names
    });
    let paths = names.iter().filter_map(|name| VaultPath::file(name).ok());
    paths.collect()
}

/// Returns the names in the cache, unless the root has changed since.
fn remembered(vault: &Vault, root: Option<FileStamp>) -> Option<Vec<String>> {
    let bytes = fs_err::read(place(vault)?).ok()?;
    let remembered: Remembered = serde_json::from_slice(&bytes).ok()?;
    (Some(remembered.root) == root).then_some(remembered.names)
}

/// Replaces the file in the cache folder. A reader sees the old or the new one.
fn remember(vault: &Vault, remembered: &Remembered) -> io::Result<()> {
    let (Some(folder), Some(place)) = (vault.cache_folder(), place(vault)) else {
        return Ok(());
    };
    make_private_folder(folder)?;
    let temporary = place.with_extension(format!("{}.tmp", std::process::id()));
    // A file of that name was left by a killed process whose id has been reused.
    fs_err::remove_file(&temporary).ok();
    let written = create_private(&temporary).and_then(|mut file| {
        file.write_all(&serde_json::to_vec(remembered)?)?;
        // Windows cannot rename an open file.
        drop(file);
        fs_err::rename(&temporary, &place)
    });
    if written.is_err() {
        fs_err::remove_file(&temporary).ok();
    }
    written
}

fn place(vault: &Vault) -> Option<PathBuf> {
    let name = format!("{}.folders", vault.cache_name());
    Some(vault.cache_folder()?.join(name))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::disk::trace;
    use crate::vault::testing::vault;

    #[test]
    fn the_root_is_listed_only_after_it_has_changed() {
        let (folder, vault) = vault(&[(".obsidian/app.json", "{}"), ("a.md", ""), (".vim/x", "")]);
        let vault = vault.with_cache(folder.path().join("cache"));
        let ask = || {
            let (found, listings, _) = trace::count(|| hidden_folders(&vault));
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            (found.join(" "), listings)
        };
        let usual = ".obsidian .vim".to_owned();
        // The times of the root are too new to prove anything.
        assert_eq!(ask(), (usual.clone(), 1));
        assert_eq!(ask(), (usual.clone(), 1));
        std::thread::sleep(Duration::from_millis(2100));
        assert_eq!(ask(), (usual.clone(), 1));
        assert_eq!(ask(), (usual.clone(), 0));
        // A change in a folder does not change the root.
        fs_err::write(vault.root().join(".vim/app.json"), "{}").unwrap();
        assert_eq!(ask(), (usual.clone(), 0));
        fs_err::create_dir(vault.root().join(".work")).unwrap();
        assert_eq!(ask(), (".obsidian .vim .work".to_owned(), 1));
        // A damaged file counts as absent.
        fs_err::remove_dir(vault.root().join(".work")).unwrap();
        fs_err::write(place(&vault).unwrap(), "{").unwrap();
        assert_eq!(ask(), (usual, 1));
    }
}
