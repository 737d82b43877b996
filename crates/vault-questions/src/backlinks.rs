//! Implements the command `backlinks`.

use std::borrow::Cow;
use std::sync::Arc;

use obsidian_note::{VaultPath, Warning};
use vault_answers::{Answer, BacklinkItem, List};
use vault_files::collation::sort_by_weights;
use vault_files::{Call, Collation, EngineError, Vault};
use vault_index::{IndexSnapshot, Indexed, IndexedVault, ResolvedLinks, Target};

use super::reply::{Found, Reply, total};

/// A file with links to the file of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlink {
    /// The file with the links.
    pub path: VaultPath,
    /// The number of its links to the file.
    pub count: usize,
}

/// Returns the files that link to one file, itself included. `total` is the number of links, not of files
/// (`vault-semantics.md` §2.4).
pub(super) fn backlinks(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let target = Target::from_arguments(vault, arguments)?;
    if arguments.flag("total") {
        let sources = LinkSources::read(vault, &target)?;
        let links = sources.counts.iter().map(|(_, count)| count).sum();
        return Ok(Reply::new(total(links), sources.warnings));
    }
    let item = |link: Backlink| BacklinkItem {
        path: link.path.to_string(),
        count: Some(link.count),
    };
    let found = backlinks_of(vault, &target)?;
    Ok(found.reply(|links| Answer::from(List::new(links.into_iter().map(item).collect()))))
}

/// Returns the files that link to a file, itself included, in the app's order.
///
/// # Errors
///
/// The app's error if there is no such file; otherwise the error that keeps the vault from being read.
pub fn backlinks_of(vault: &Vault, target: &Target) -> Result<Found<Vec<Backlink>>, EngineError> {
    let sources = LinkSources::read(vault, target)?;
    Ok(Found::new(sources.in_app_order()?, sources.warnings))
}

/// The files that link to one file.
struct LinkSources {
    /// Set if the index is kept in memory.
    snapshot: Option<Arc<IndexSnapshot>>,
    files: Arc<Vec<VaultPath>>,
    /// The number of each file, and how many of its links lead to the file.
    counts: Vec<(usize, usize)>,
    warnings: Vec<Warning>,
}

impl LinkSources {
    fn read(vault: &Vault, target: &Target) -> Result<Self, EngineError> {
        // The index warns of the same unreadable folders as the look-up by name, so its warnings are
        // enough.
        target.must_exist(vault)?;
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
        let counts = match files.binary_search(&target.path) {
            Ok(destination) => resolved.backlinks(destination).collect(),
            // The file was removed after the look-up.
            Err(_) => Vec::new(),
        };
        Ok(Self {
            snapshot,
            files,
            counts,
            warnings,
        })
    }

    fn in_app_order(&self) -> Result<Vec<Backlink>, EngineError> {
        let collation = Collation::new()?;
        let mut links = Vec::with_capacity(self.counts.len());
        let mut weights = Vec::with_capacity(self.counts.len());
        for &(source, count) in &self.counts {
            let Some(path) = self.files.get(source) else {
                continue;
            };
            let snapshot = self.snapshot.as_deref();
            let known = snapshot.and_then(|snapshot| snapshot.weight(source, &collation));
            weights.push(known.map_or_else(
                || Cow::Owned(collation.weight(path.as_str())),
                Cow::Borrowed,
            ));
            let path = path.clone();
            links.push(Backlink { path, count });
        }
        sort_by_weights(&mut links, weights, |link| link.path.as_str());
        Ok(links)
    }
}
