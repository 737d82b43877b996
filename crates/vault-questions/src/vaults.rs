//! Implements the commands `vault` and `vaults`.

use obsidian_note::VaultPath;
use vault_answers::{VaultInfo, VaultItem};
use vault_files::{Call, Detail, EngineError};
use vault_index::IndexedVault;

use super::reply::{Reply, listed};

/// Facts about this vault. Whether the app counts the root as a folder is unknown; here it is not
/// counted. An unknown `info` gives all facts.
pub(super) fn vault(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let wanted = call.arguments.text("info");
    let whole = !matches!(wanted, Some("name" | "path" | "files" | "folders" | "size"));
    let asks = |fact: &str| whole || wanted == Some(fact);
    let mut info = VaultInfo {
        name: asks("name").then(|| vault.name()),
        path: asks("path").then(|| vault.root().to_string_lossy().into_owned()),
        ..VaultInfo::default()
    };
    if matches!(wanted, Some("name" | "path")) {
        return Ok(Reply::new(info, Vec::new()));
    }
    let root = VaultPath::root();
    let contents = if asks("size") {
        vault.contents(&root, Detail::Sizes)?
    } else {
        IndexedVault(vault).names_below(&root)?
    };
    info.files = asks("files").then_some(contents.files.len());
    info.folders = asks("folders").then_some(contents.folders.len());
    info.size = asks("size").then(|| contents.size());
    Ok(Reply::new(info, contents.warnings))
}

/// Returns the vaults that the app knows, in its order.
#[expect(
    clippy::unnecessary_wraps,
    reason = "every command of the table has this signature"
)]
pub(super) fn vaults(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (arguments, surroundings) = (call.arguments, call.surroundings);
    let verbose = arguments.flag("verbose");
    let items: Vec<VaultItem> = surroundings
        .registry
        .vaults
        .iter()
        .map(|vault| VaultItem {
            name: vault.name(),
            path: verbose.then(|| vault.path.to_string_lossy().into_owned()),
        })
        .collect();
    Ok(Reply::new(listed(items, arguments), Vec::new()))
}
