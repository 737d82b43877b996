//! Implements the command `links`.

use std::collections::BTreeSet;

use cli_output::LinkItem;
use obsidian_note::resolve::unresolved_name;
use obsidian_note::{Resolution, VaultPath};
use vault_files::{Call, EngineError};
use vault_index::{IndexedVault, OneNote, Target};

use super::reply::{Reply, listed};

/// Returns the targets of one file's links, each once, ordered by UTF-16 code units of the printed text
/// (`vault-semantics.md` §1.3). The vault is walked for names only, and only if the file has links.
pub(super) fn links(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let OneNote {
        path,
        record,
        mut warnings,
    } = OneNote::read(vault, Target::from_arguments(vault, arguments)?)?;
    let mut items = BTreeSet::new();
    if !record.links.is_empty() {
        let (index, more) = IndexedVault(vault).link_index()?;
        for link in record.links {
            items.insert(match index.resolve(&link.linkpath, &path) {
                Resolution::Found(found) => Destination::File(found.path),
                Resolution::Missing => {
                    Destination::Nowhere(unresolved_name(&link.linkpath).to_owned())
                }
            });
        }
        // The look-up of the file by name may have given the same warnings.
        warnings.retain(|warning| !more.contains(warning));
        warnings.extend(more);
    }
    let mut items: Vec<Destination> = items.into_iter().collect();
    items.sort_by_cached_key(|item| item.text().encode_utf16().collect::<Vec<u16>>());
    let items = items.into_iter().map(Destination::item).collect();
    Ok(Reply::new(listed(items, arguments), warnings))
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Destination {
    File(VaultPath),
    Nowhere(String),
}

impl Destination {
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
