//! `backlinks`.

use cli_output::{Answer, Arguments, BacklinkItem, List};

use super::target::Target;
use super::{Reply, total};
use crate::collation::Collation;
use crate::error::EngineError;
use crate::index::{self, Indexed, Resolved};
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// The files that link to one file, itself included. `total` is the number of links, not of files
/// (`vault-semantics.md` §2.4).
pub(super) fn backlinks(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    // What a look-up by name could not see, the index cannot see either, and says so.
    let Target { path, asked, .. } = Target::of(vault, arguments)?;
    vault.facts_of_target(&path, &asked)?;
    let Indexed {
        files,
        column: resolved,
        warnings,
    } = index::load::<Resolved>(vault)?;
    let mut items: Vec<BacklinkItem> = match files.binary_search(&path) {
        Ok(destination) => resolved
            .backlinks(destination)
            .filter_map(|(source, count)| {
                Some(BacklinkItem {
                    path: files.get(source)?.to_string(),
                    count: Some(count),
                })
            })
            .collect(),
        // It is gone since it was looked at.
        Err(_) => Vec::new(),
    };
    let answer = if arguments.flag("total") {
        total(items.iter().filter_map(|item| item.count).sum())
    } else {
        Collation::new()?.sort_by(&mut items, |item| &item.path);
        Answer::Backlinks(List::new(items))
    };
    Ok(Reply::new(answer, warnings))
}
