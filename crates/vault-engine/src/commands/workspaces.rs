//! `workspaces` (`vault-semantics.md` §1.1).

use cli_output::{Answer, Arguments, WorkspaceItem};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::reply::{Reply, listed};
use crate::collation::Collation;
use crate::config_file::ConfigFile;
use crate::error::EngineError;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// `workspaces.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Workspaces {
    workspaces: Map<String, Value>,
    active: Option<String>,
}

/// Saved workspaces by name, the one in use marked.
pub(super) fn workspaces(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let file: ConfigFile<Workspaces> = ConfigFile::read(vault, "workspaces.json")?;
    let Workspaces { workspaces, active } = file.value;
    let mut items: Vec<WorkspaceItem> = workspaces
        .into_iter()
        .map(|(name, _)| WorkspaceItem {
            active: active.as_ref() == Some(&name),
            name,
        })
        .collect();
    Collation::new()?.sort_by(&mut items, |item| &item.name);
    let answer = listed(items, arguments, Answer::Workspaces);
    Ok(Reply::new(answer, file.warnings))
}
