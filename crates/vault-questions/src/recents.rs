//! `recents` (`vault-semantics.md` §1.2).

use obsidian_note::VaultPath;
use serde::Deserialize;
use vault_answers::FileItem;
use vault_files::{Call, ConfigFile, EngineError};

use super::reply::{Reply, listed};

/// The keys of `workspace.json` that list recent files.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Workspace {
    last_open_files: Vec<String>,
}

/// Returns the files that were opened last, the newest first, without those that no longer exist. The app writes
/// `workspace.json` only now and then, so the list may be outdated.
pub(super) fn recents(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let file: ConfigFile<Workspace> = ConfigFile::read(vault, "workspace.json")?;
    let items = file
        .value
        .last_open_files
        .iter()
        .filter_map(|text| VaultPath::file(text).ok())
        .filter(|path| vault.facts(path).is_ok())
        .map(|path| FileItem::new(&path))
        .collect();
    let answer = listed(items, call.arguments);
    Ok(Reply::new(answer, file.warnings))
}
