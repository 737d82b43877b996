//! `orphans`, and a helper that `deadends` uses too.

use obsidian_note::VaultPath;
use vault_answers::FileItem;
use vault_files::{Args, Call, Collation, EngineError, Vault};
use vault_index::{Indexed, IndexedVault, ResolvedLinks};

use super::reply::{Reply, listed};

/// Files of every extension that no link leads to. A link of a file to itself counts
/// (`vault-semantics.md` §2.4).
pub(super) fn orphans(call: &Call<'_>) -> Result<Reply, EngineError> {
    unmarked(call.vault, call.arguments, ResolvedLinks::destinations)
}

/// Returns the files that `marks` does not mark, in the app's order.
pub(super) fn unmarked(
    vault: &Vault,
    arguments: &Args,
    marks: impl Fn(&ResolvedLinks, usize) -> Vec<bool>,
) -> Result<Reply, EngineError> {
    let Indexed {
        files,
        column: resolved,
        warnings,
    } = IndexedVault(vault).column::<ResolvedLinks>()?;
    let marked = marks(&resolved, files.len());
    let mut unmarked: Vec<&VaultPath> = files
        .iter()
        .zip(marked)
        .filter(|(_, marked)| !marked)
        .map(|(path, _)| path)
        .collect();
    if !arguments.flag("total") {
        Collation::new()?.sort_by(&mut unmarked, |path| path.as_str());
    }
    let items = unmarked.into_iter().map(FileItem::new).collect();
    Ok(Reply::new(listed(items, arguments), warnings))
}
