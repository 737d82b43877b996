//! Implements the command `unresolved`.

use obsidian_note::VaultPath;
use vault_answers::{List, UnresolvedItem};
use vault_files::{Call, Collation, EngineError, Vault};
use vault_index::{Indexed, IndexedVault, UnresolvedLinks};

use super::reply::{Found, Reply, total};

/// A target of links that is not a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedTarget {
    /// The linkpath as written, without its `#…` and without a final `.md`. Different casings are different targets.
    pub linkpath: String,
    /// The number of links to it.
    pub count: usize,
    /// The files with these links, in the app's order; empty unless they are wanted.
    pub sources: Vec<VaultPath>,
}

/// Linkpaths that lead to no file, with the number of their uses.
pub(super) fn unresolved(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    if arguments.flag("total") {
        let links = IndexedVault(vault).column::<UnresolvedLinks>()?;
        return Ok(Reply::new(total(links.column.0.len()), links.warnings));
    }
    let is_verbose = arguments.flag("verbose");
    let item = |target: UnresolvedTarget| UnresolvedItem {
        link: target.linkpath,
        count: Some(target.count),
        sources: is_verbose.then(|| target.sources.iter().map(ToString::to_string).collect()),
    };
    let found = unresolved_links(vault, is_verbose)?;
    Ok(found.reply(|targets| List::new(targets.into_iter().map(item).collect())))
}

/// Returns the linkpaths that lead to no file, in the app's order. Different casings are listed separately
/// (`vault-semantics.md` §2.4).
///
/// # Errors
///
/// The error that keeps the vault from being read.
pub fn unresolved_links(
    vault: &Vault,
    with_sources: bool,
) -> Result<Found<Vec<UnresolvedTarget>>, EngineError> {
    let Indexed {
        files,
        column: links,
        warnings,
    } = IndexedVault(vault).column::<UnresolvedLinks>()?;
    let collation = Collation::new()?;
    let targets = links.0.iter().map(|link| {
        let sources = link.uses().filter(|_| with_sources);
        let sources = sources.filter_map(|(source, _)| files.get(source));
        let mut sources: Vec<VaultPath> = sources.cloned().collect();
        collation.sort_by(&mut sources, VaultPath::as_str);
        UnresolvedTarget {
            linkpath: link.linkpath.clone(),
            count: link.uses().map(|(_, count)| count).sum(),
            sources,
        }
    });
    let mut targets: Vec<UnresolvedTarget> = targets.collect();
    collation.sort_by(&mut targets, |target| &target.linkpath);
    Ok(Found::new(targets, warnings))
}
