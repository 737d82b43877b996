//! Links that may mean several files.

use std::collections::BTreeMap;

use super::graph::Nowhere;
use crate::index::Links;
use crate::listed_files::Seen;
use crate::path::VaultPath;
use crate::resolve::{LinkIndex, Resolution, Rule};

/// How many of the files that a link may mean are told.
const FILES: usize = 5;
/// A note in a folder that no file of the vault is in.
const ELSEWHERE: &str = ".none/none.md";

/// A linkpath that may mean several files.
pub(super) struct DoubtfulLink {
    pub(super) link: Nowhere,
    /// Whether the choice is left to the order of the disk.
    pub(super) is_unstable: bool,
    /// The files that it may mean.
    pub(super) files: Vec<String>,
}

/// The linkpaths of the listed files that may mean several files.
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

/// A linkpath that may mean several files, still without its uses; `None` where it means one.
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
