//! Implements the command `unresolved`.

use cli_output::{List, UnresolvedItem};
use vault_files::{Call, Collation, EngineError};
use vault_index::{Indexed, IndexedVault, UnresolvedLinks};

use super::reply::{Reply, total};

/// Linkpaths that lead to no file, with the number of their uses. Different casings are listed
/// separately (`vault-semantics.md` §2.4).
pub(super) fn unresolved(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let Indexed {
        files,
        column: links,
        warnings,
    } = IndexedVault(call.vault).column::<UnresolvedLinks>()?;
    if arguments.flag("total") {
        return Ok(Reply::new(total(links.0.len()), warnings));
    }
    let collation = Collation::new()?;
    let mut items: Vec<UnresolvedItem> = links
        .0
        .iter()
        .map(|link| {
            let count = link.uses().map(|(_, count)| count).sum();
            let sources = arguments.flag("verbose").then(|| {
                let mut sources: Vec<String> = link
                    .uses()
                    .filter_map(|(source, _)| files.get(source))
                    .map(ToString::to_string)
                    .collect();
                collation.sort_by(&mut sources, |source| source);
                sources
            });
            UnresolvedItem {
                link: link.linkpath.clone(),
                count: Some(count),
                sources,
            }
        })
        .collect();
    collation.sort_by(&mut items, |item| &item.link);
    Ok(Reply::new(List::new(items), warnings))
}
