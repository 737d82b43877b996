//! `recents` (`vault-semantics.md` §1.2).

use cli_output::{Answer, FileItem};
use serde::Deserialize;

use super::reply::{Reply, listed};
use crate::call::Call;
use crate::config_file::ConfigFile;
use crate::error::EngineError;
use crate::path::VaultPath;

/// `workspace.json`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Workspace {
    last_open_files: Vec<String>,
}

/// The files that were opened last, the newest first; those that are gone are left out. The app
/// writes the file now and then, so it may be old.
pub(super) fn recents(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let file: ConfigFile<Workspace> = ConfigFile::read(vault, "workspace.json")?;
    let items = file
        .value
        .last_open_files
        .iter()
        .filter_map(|text| VaultPath::file(text).ok())
        .filter(|path| vault.facts(path).is_ok())
        .map(|path| FileItem {
            path: path.to_string(),
        })
        .collect();
    let answer = listed(items, call.arguments, Answer::Files);
    Ok(Reply::new(answer, file.warnings))
}
