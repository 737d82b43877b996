//! `workspaces` (`vault-semantics.md` §1.1).

use serde::Deserialize;
use serde_json::{Map, Value};
use vault_answers::WorkspaceItem;
use vault_files::{Call, Collation, ConfigFile, EngineError};

use super::reply::{Reply, listed};

/// The keys of `workspaces.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Workspaces {
    workspaces: Map<String, Value>,
    active: Option<String>,
}

/// Returns the saved workspaces by name, the active one marked.
pub(super) fn workspaces(call: &Call<'_>) -> Result<Reply, EngineError> {
    let file: ConfigFile<Workspaces> = ConfigFile::read(call.vault, "workspaces.json")?;
    let Workspaces { workspaces, active } = file.value;
    let mut items: Vec<WorkspaceItem> = workspaces
        .into_iter()
        .map(|(name, _)| WorkspaceItem {
            active: active.as_ref() == Some(&name),
            name,
        })
        .collect();
    Collation::new()?.sort_by(&mut items, |item| &item.name);
    let answer = listed(items, call.arguments);
    Ok(Reply::new(answer, file.warnings))
}
