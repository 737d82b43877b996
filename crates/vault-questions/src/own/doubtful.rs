//! Ambiguous links: several files have the name that the link gives.

use std::collections::BTreeMap;

use obsidian_note::resolve::Rule;
use obsidian_note::{LinkIndex, Resolution, VaultPath};
use vault_index::{Links, Seen};

use super::graph::Nowhere;

/// The maximum number of files that are named for one ambiguous link.
const FILES: usize = 5;
/// A path whose folder is hidden, so no file of the vault is near it and none is preferred for
/// that.
const ELSEWHERE: &str = ".none/none.md";

/// An ambiguous linkpath with its uses.
pub(super) struct DoubtfulLink {
    pub(super) link: Nowhere,
    /// Whether the app's choice depends on the order of the disk.
    pub(super) is_unstable: bool,
    /// The files that it may mean, in byte order.
    pub(super) files: Vec<String>,
}

/// Returns the ambiguous linkpaths in the listed files.
pub(super) fn doubtful_links<C>(
    links: &Links,
    seen: &Seen<C>,
    index: &LinkIndex,
) -> Vec<DoubtfulLink> {
    let elsewhere = VaultPath::file(ELSEWHERE).unwrap_or_else(|_| VaultPath::root());
    let mut known: BTreeMap<&str, Option<DoubtfulLink>> = BTreeMap::new();
    for (source, uses) in links.iter().filter(|(id, _)| seen.lists(*id)) {
        for link in uses {
            let doubtful = known
                .entry(&link.linkpath)
                .or_insert_with(|| doubt(index, &link.linkpath, &elsewhere));
            if let Some(doubtful) = doubtful {
                let count = usize::try_from(link.count).unwrap_or(usize::MAX);
                doubtful.link.uses.push((source, count));
            }
        }
    }
    known.into_values().flatten().collect()
}

/// Returns the ambiguous linkpath without its uses; `None` if it is not ambiguous.
fn doubt(index: &LinkIndex, linkpath: &str, elsewhere: &VaultPath) -> Option<DoubtfulLink> {
    if linkpath.is_empty() || linkpath.starts_with("./") || linkpath.starts_with("../") {
        return None;
    }
    let Resolution::Found(found) = index.resolve(linkpath, elsewhere) else {
        return None;
    };
    if found.rule != Rule::Shortest {
        return None;
    }
    let mut files: Vec<String> = found
        .others
        .iter()
        .take(FILES - 1)
        .map(ToString::to_string)
        .collect();
    files.push(found.path.to_string());
    files.sort();
    Some(DoubtfulLink {
        link: Nowhere {
            linkpath: linkpath.to_owned(),
            uses: Vec::new(),
        },
        is_unstable: found.unstable,
        files,
    })
}
