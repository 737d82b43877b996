//! Implements the command `backlinks`.

use std::borrow::Cow;

use cli_output::{Answer, BacklinkItem, List};
use obsidian_note::VaultPath;
use vault_files::collation::sort_by_weights;
use vault_files::{Call, Collation, EngineError};
use vault_index::{IndexSnapshot, Indexed, IndexedVault, ResolvedLinks, Target};

use super::reply::{Reply, total};

/// Returns the files that link to one file, itself included. `total` is the number of links, not of files
/// (`vault-semantics.md` §2.4).
pub(super) fn backlinks(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    // The index warns of the same unreadable folders as the look-up by name, so its warnings are
    // enough.
    let Target {
        path, requested, ..
    } = Target::from_arguments(vault, arguments)?;
    vault.facts_of_target(&path, &requested)?;
    // Links and weights come from one snapshot, because another may number the files differently.
    let snapshot = IndexedVault(vault).snapshot()?;
    let Indexed {
        files,
        column: resolved,
        warnings,
    } = match &snapshot {
        Some(snapshot) => snapshot.indexed::<ResolvedLinks>(),
        None => IndexedVault(vault).column::<ResolvedLinks>()?,
    };
    let sources: Vec<(usize, usize)> = match files.binary_search(&path) {
        Ok(destination) => resolved.backlinks(destination).collect(),
        // The file was removed after the look-up.
        Err(_) => Vec::new(),
    };
    let answer = if arguments.flag("total") {
        total(sources.iter().map(|(_, count)| count).sum())
    } else {
        Answer::from(List::new(listed(snapshot.as_deref(), &files, &sources)?))
    };
    Ok(Reply::new(answer, warnings))
}

/// Returns the files with their counts in the app's order.
fn listed(
    snapshot: Option<&IndexSnapshot>,
    files: &[VaultPath],
    sources: &[(usize, usize)],
) -> Result<Vec<BacklinkItem>, EngineError> {
    let collation = Collation::new()?;
    let mut items = Vec::with_capacity(sources.len());
    let mut weights = Vec::with_capacity(sources.len());
    for &(source, count) in sources {
        let Some(path) = files.get(source) else {
            continue;
        };
        let known = snapshot.and_then(|snapshot| snapshot.weight(source, &collation));
        weights.push(known.map_or_else(
            || Cow::Owned(collation.weight(path.as_str())),
            Cow::Borrowed,
        ));
        items.push(BacklinkItem {
            path: path.to_string(),
            count: Some(count),
        });
    }
    sort_by_weights(&mut items, weights, |item| &item.path);
    Ok(items)
}
