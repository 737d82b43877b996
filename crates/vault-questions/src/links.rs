//! Implements the command `links`.

use std::collections::BTreeSet;

use obsidian_note::resolve::unresolved_name;
use obsidian_note::{Resolution, VaultPath};
use vault_answers::LinkItem;
use vault_files::{Call, EngineError, Vault};
use vault_index::{IndexedVault, OneNote, Target};

use super::reply::{Found, Reply, listed};

/// Returns the targets of one file's links, each once.
pub(super) fn links(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let found = links_of(vault, Target::from_arguments(vault, arguments)?)?;
    let item = LinkDestination::item;
    Ok(found.reply(|links| listed(links.into_iter().map(item).collect(), arguments)))
}

/// Returns the targets of one file's links, each once, ordered by UTF-16 code units of the printed text
/// (`vault-semantics.md` §1.3). The vault is walked for names only, and only if the file has links.
///
/// # Errors
///
/// The app's error if there is no such file; otherwise the error that keeps the vault from being read.
pub fn links_of(vault: &Vault, target: Target) -> Result<Found<Vec<LinkDestination>>, EngineError> {
    let OneNote {
        path,
        record,
        mut warnings,
    } = OneNote::read(vault, target)?;
    let mut items = BTreeSet::new();
    if !record.links.is_empty() {
        let (index, more) = IndexedVault(vault).link_index()?;
        for link in record.links {
            items.insert(match index.resolve(&link.linkpath, &path) {
                Resolution::Found(found) => LinkDestination::File(found.path),
                Resolution::Missing => {
                    LinkDestination::Nowhere(unresolved_name(&link.linkpath).to_owned())
                }
            });
        }
        // The look-up of the file by name may have given the same warnings.
        warnings.retain(|warning| !more.contains(warning));
        warnings.extend(more);
    }
    let mut items: Vec<LinkDestination> = items.into_iter().collect();
    items.sort_by_cached_key(|item| item.text().encode_utf16().collect::<Vec<u16>>());
    Ok(Found::new(items, warnings))
}

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkDestination {
    /// The file that the link means.
    File(VaultPath),
    /// No file has this name: the linkpath as written, without its `#…` and without a final `.md`.
    Nowhere(String),
}

impl LinkDestination {
    fn text(&self) -> String {
        match self {
            Self::File(path) => path.to_string(),
            Self::Nowhere(linkpath) => format!("{linkpath} (unresolved)"),
        }
    }

    fn item(self) -> LinkItem {
        match self {
            Self::File(path) => LinkItem::File {
                path: path.to_string(),
            },
            Self::Nowhere(target) => LinkItem::Unresolved { target },
        }
    }
}
