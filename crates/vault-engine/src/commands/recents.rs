//! `recents` (`vault-semantics.md` §1.2).

use cli_output::{Answer, Arguments, FileItem};
use serde::Deserialize;

use super::reply::{Reply, listed};
use crate::config_file::ConfigFile;
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// `workspace.json`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Workspace {
    last_open_files: Vec<String>,
}

/// The files that were opened last, the newest first; those that are gone are left out. The app
/// writes the file now and then, so it may be old.
pub(super) fn recents(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
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
    let answer = listed(items, arguments, Answer::Files);
    Ok(Reply::new(answer, file.warnings))
}
