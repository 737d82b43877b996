//! Refuses a vault in a folder that is closed in every vault. If the folder of the app's configuration were opened as a
//! vault, a call could write a plugin into it (`threats.toml` D06).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::Error;
use allowlist::shown;
use protocol::{Caller, Failure};
use tiers::is_never_a_vault;
use vault_engine::Registry;

/// Refuses a vault in a closed folder: the app's configuration, with its usual name or another, the folder of Git, and
/// any hidden folder of another vault that is not a vault itself.
///
/// `root` is absolute and has no links, so that neither another spelling nor a link hides the place.
///
/// # Errors
///
/// `VAULT_NOT_FOUND`. Only for a person it has the path of the vault around it.
pub fn ensure_open(root: &Path, caller: Caller) -> Result<(), Failure> {
    let Some(closed) = closed_folder(root) else {
        return Ok(());
    };
    let name = closed.file_name().unwrap_or_default().to_string_lossy();
    let around = closed.parent().filter(|_| caller == Caller::Person);
    Err(Error::ClosedFolder(shown(&name), around.map(Path::to_owned)).into())
}

/// Returns the folders of the vaults of this name, each with its id, for a person.
pub fn folders_named(name: &str, registry: &Registry) -> String {
    let named = registry.named(name).map(|vault| {
        let folder = vault.path.to_string_lossy();
        format!("`{}` (id `{}`)", shown(&folder), shown(&vault.id))
    });
    named.collect::<Vec<_>>().join(", ")
}

/// Returns the closed folder that `root` is or is in.
fn closed_folder(root: &Path) -> Option<PathBuf> {
    let places = || {
        root.ancestors()
            .filter(|place| is_hidden(place.file_name()))
    };
    let named = |place: &&Path| {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        is_never_a_vault(&name) || holds_configuration(place)
    };
    if let Some(place) = places().find(named) {
        return Some(place.to_owned());
    }
    // Before the folders around it, which may have many entries.
    if places().next().is_none() || is_vault(root) {
        return None;
    }
    places()
        .find(|place| place.ancestors().skip(1).any(is_vault))
        .map(Path::to_owned)
}

/// Whether the app uses this folder as a vault: it has `.obsidian`, or a configuration folder with another name.
pub fn is_vault(folder: &Path) -> bool {
    let is_renamed = || {
        let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
        entries
            .filter(|entry| is_hidden(Some(&entry.file_name())))
            .any(|entry| {
                entry.file_type().is_ok_and(|kind| kind.is_dir())
                    && holds_configuration(&entry.path())
            })
    };
    folder.join(".obsidian").is_dir() || is_renamed()
}

/// Returns the nearest vault that contains a folder: one with a configuration folder, or one that the app knows.
pub fn vault_around(folder: &Path, registry: Option<&Registry>) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|folder| {
            is_vault(folder)
                || registry.is_some_and(|registry| registry.find_by_root(folder).is_some())
        })
        .map(Path::to_owned)
}

fn is_hidden(name: Option<&OsStr>) -> bool {
    name.is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Whether the app keeps its configuration in this folder, which may not have the usual name. Folders of other programs
/// may contain an `app.json`, but not these files.
fn holds_configuration(folder: &Path) -> bool {
    ["core-plugins.json", "community-plugins.json"]
        .iter()
        .any(|name| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(root: &Path) -> Option<String> {
        let root = fs_err::canonicalize(root).unwrap();
        ensure_open(&root, Caller::Person)
            .err()
            .map(|failure| failure.to_string())
    }

    #[test]
    fn d06_no_vault_is_in_a_folder_that_is_closed_in_every_vault() {
        let folder = tempfile::Builder::new().prefix("closed").tempdir().unwrap();
        let vault = folder.path().join("Notes");
        let own = vault.join(".local/Own");
        let renamed = folder.path().join("Other/.setup");
        for made in [
            vault.join(".obsidian/plugins/p"),
            vault.join(".claude"),
            vault.join("Projects/.git/hooks"),
            own.join(".obsidian"),
            renamed.clone(),
            folder.path().join(".local/share/notes"),
            folder.path().join("Spelled/.OBSIDIAN"),
        ] {
            fs_err::create_dir_all(made).unwrap();
        }
        fs_err::write(renamed.join("core-plugins.json"), "{}").unwrap();
        let beside = folder.path().join("Other/.claude");
        fs_err::create_dir_all(&beside).unwrap();
        for closed in [
            vault.join(".obsidian"),
            vault.join(".obsidian/plugins/p"),
            vault.join(".claude"),
            vault.join("Projects/.git/hooks"),
            renamed,
            beside,
            folder.path().join("Spelled/.OBSIDIAN"),
        ] {
            assert!(refused(&closed).is_some(), "{}", closed.display());
        }
        for open in [
            vault.clone(),
            vault.join("Projects"),
            own,
            folder.path().join(".local/share/notes"),
        ] {
            assert_eq!(refused(&open), None, "{}", open.display());
        }
        let shown = refused(&vault.join(".obsidian/plugins")).unwrap();
        assert!(shown.contains("Notes`"), "{shown}");
        let agent = ensure_open(&vault.join(".obsidian"), Caller::Agent).unwrap_err();
        assert!(
            !agent.to_string().contains("Notes"),
            "{}",
            agent.to_string()
        );
    }
}
