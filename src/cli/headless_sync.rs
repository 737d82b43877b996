//! The vaults of the official headless client, `ob`, from its own files.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use sandbox::Environment;

/// Largest file of the client that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Most vaults of the client that are checked.
const MAX_SYNCED_VAULTS: usize = 1000;

/// The client's record of a vault that it syncs.
#[derive(Deserialize)]
struct SyncedVault {
    #[serde(rename = "vaultPath")]
    vault_path: PathBuf,
}

/// Returns the folders that the client syncs, from its files.
pub(super) fn vaults(environment: &Environment) -> Vec<PathBuf> {
    let entries = folder(environment).and_then(|folder| fs_err::read_dir(folder.join("sync")).ok());
    entries
        .into_iter()
        .flatten()
        .take(MAX_SYNCED_VAULTS)
        .flatten()
        .filter_map(|entry| synced_vault(&entry.path().join("config.json")))
        .collect()
}

/// Returns the folder of the client's files.
fn folder(environment: &Environment) -> Option<PathBuf> {
    let home = environment.absolute_path("HOME");
    let home = home.or_else(|| environment.absolute_path("USERPROFILE"));
    if !cfg!(target_os = "linux") {
        return Some(home?.join(".obsidian-headless"));
    }
    let configuration = environment.absolute_path("XDG_CONFIG_HOME");
    let configuration = configuration.or_else(|| home.map(|home| home.join(".config")))?;
    Some(configuration.join("obsidian-headless"))
}

fn synced_vault(file: &Path) -> Option<PathBuf> {
    let is_small =
        fs_err::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= MAX_FILE_BYTES);
    let bytes = is_small.then(|| fs_err::read(file).ok())??;
    let vault: SyncedVault = serde_json::from_slice(&bytes).ok()?;
    Some(vault.vault_path)
}
