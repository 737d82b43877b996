//! Links to headings and blocks, by the note that they lead to (`vault-semantics.md` §2.2).
//!
//! The index has the links as written. The headings and blocks are read now, and only from notes to which such a link
//! leads, so a vault without such links costs nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use foldhash::HashMap;
use obsidian_note::resolve::Kin;
use obsidian_note::scan::{NoteFacts, scan};
use obsidian_note::{
    AnchorKind, AnchorUse, Anchors, LinkIndex, SimilarAnchor, VaultPath, byte_order_mark,
};
use rayon::prelude::*;
use vault_files::{EngineError, Vault};

use crate::AnchorLinks;

/// The links of one file to one heading or block.
#[derive(Clone, Copy, Debug)]
pub struct AnchorLink<'links> {
    /// The number of the file with the links.
    pub source: usize,
    /// The links.
    pub link: &'links AnchorUse,
}

/// Links of one text whose note exists, but not the heading or block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadAnchor {
    /// The number of the note.
    pub note: usize,
    /// The target as written, with its `#heading` or `#^block`.
    pub target: String,
    /// The kind of what is missing.
    pub kind: AnchorKind,
    /// The files with such links, by number, each with the number of its links.
    pub uses: Vec<(usize, usize)>,
    /// The places of the note that may be meant, the likeliest first.
    pub similar: Vec<SimilarAnchor>,
}

/// Returns the links to headings and blocks of the notes that `leads_to` selects, by the number of the note. Links of
/// files that `counts` leaves out are not returned.
pub fn by_note<'links>(
    links: &'links AnchorLinks,
    files: &[VaultPath],
    counts: impl Fn(usize) -> bool,
    leads_to: impl Fn(&VaultPath) -> bool,
) -> BTreeMap<usize, Vec<AnchorLink<'links>>> {
    let counted = || {
        let counted = links.iter().filter(|(source, _)| counts(*source));
        counted.filter_map(|(source, uses)| Some((source, files.get(source)?, uses)))
    };
    let mut kin = Kin::default();
    for (_, path, uses) in counted() {
        for link in uses.iter().filter(|link| !link.linkpath.is_empty()) {
            kin.add_link(&link.linkpath, path);
        }
    }
    let index = LinkIndex::new(kin.among(files));
    // The same linkpath can lead to different files from notes in different folders.
    let mut known: HashMap<(&str, &str), Option<usize>> = HashMap::default();
    let mut found: BTreeMap<usize, Vec<AnchorLink<'links>>> = BTreeMap::new();
    for (source, path, uses) in counted() {
        for link in uses {
            let note = if link.linkpath.is_empty() {
                Some(source)
            } else {
                let key = (link.linkpath.as_str(), path.parent_text());
                *known.entry(key).or_insert_with(|| {
                    let found = index.resolve(&link.linkpath, path).path()?;
                    files.binary_search(&found).ok()
                })
            };
            let is_meant = |path: &VaultPath| path.is_note() && leads_to(path);
            if let Some(note) = note.filter(|note| files.get(*note).is_some_and(is_meant)) {
                found
                    .entry(note)
                    .or_default()
                    .push(AnchorLink { source, link });
            }
        }
    }
    found
}

/// Returns the links whose note exists, but not the heading or block that they name, in the order of their texts. A
/// note that cannot be read or is too large for the index has no dead links, because its headings are not known.
///
/// # Errors
///
/// [`EngineError::Stopped`] after a cancellation.
pub fn dead(
    vault: &Vault,
    links: &AnchorLinks,
    files: &[VaultPath],
    counts: impl Fn(usize) -> bool,
) -> Result<Vec<DeadAnchor>, EngineError> {
    if links.as_slice().is_empty() {
        return Ok(Vec::new());
    }
    let linked: Vec<_> = by_note(links, files, counts, |_| true)
        .into_iter()
        .collect();
    let stop = vault.disk().cancellation();
    let dead: Vec<Vec<DeadAnchor>> = linked
        .into_par_iter()
        .map(|(note, links)| {
            stop.check()?;
            let facts = files.get(note).and_then(|path| facts_now(vault, path));
            Ok(facts.map_or_else(Vec::new, |facts| dead_in(note, &facts, &links)))
        })
        .collect::<Result<_, EngineError>>()?;
    let mut dead: Vec<DeadAnchor> = dead.into_iter().flatten().collect();
    dead.sort_by(|left, right| (&left.target, left.note).cmp(&(&right.target, right.note)));
    Ok(dead)
}

/// Returns the headings and blocks of a note as it is now; `None` if it cannot be read or is too large for the index.
pub fn facts_now(vault: &Vault, note: &VaultPath) -> Option<NoteFacts> {
    Some(facts_of(&vault.indexed_bytes(note).ok()?))
}

/// Returns the headings and blocks of a note with these bytes, as [`facts_now`].
pub fn facts_of(bytes: &[u8]) -> NoteFacts {
    let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
    scan(byte_order_mark::strip(&text))
}

/// Returns the dead ones of these links to one note.
fn dead_in(note: usize, facts: &NoteFacts, links: &[AnchorLink<'_>]) -> Vec<DeadAnchor> {
    let anchors = Anchors::new(facts);
    let mut missing: HashMap<&str, Option<AnchorKind>> = HashMap::default();
    let mut dead: BTreeMap<String, DeadAnchor> = BTreeMap::new();
    for AnchorLink { source, link } in links {
        let subpath = link.subpath.as_str();
        let kind = *missing
            .entry(subpath)
            .or_insert_with(|| anchors.missing(subpath));
        let Some(kind) = kind else { continue };
        let target = format!("{}{subpath}", link.linkpath);
        let found = dead.entry(target).or_insert_with_key(|target| DeadAnchor {
            note,
            target: target.clone(),
            kind,
            uses: Vec::new(),
            similar: anchors.similar(subpath),
        });
        let count = usize::try_from(link.count).unwrap_or(usize::MAX);
        found.uses.push((*source, count));
    }
    dead.into_values().collect()
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::IndexedVault;

    const CASES: &str = include_str!("anchors_cases.txt");

    fn dead_links(files: &[(&str, &str)]) -> Vec<String> {
        let (_folder, vault) = vault(files);
        let indexed = IndexedVault(&vault).column::<AnchorLinks>().unwrap();
        let files = &indexed.files;
        let found = dead(&vault, &indexed.column, files, |_| true).unwrap();
        let shown = found.iter().map(|dead| {
            let uses = dead.uses.iter();
            let uses: Vec<String> = uses
                .map(|(source, count)| format!("{}*{count}", files[*source]))
                .collect();
            let near = dead.similar.iter().map(|near| near.place.as_str());
            let near: Vec<&str> = near.collect();
            let (target, note) = (&dead.target, &files[dead.note]);
            format!("{target} in {note}: {:?}, {uses:?} {near:?}", dead.kind)
        });
        shown.collect()
    }

    #[test]
    fn links_to_headings_and_blocks_that_are_missing() {
        let found = dead_links(&tables::typed::<(&str, &str)>(
            CASES,
            "links to headings and blocks",
        ));
        assert_eq!(
            found,
            [
                "#Missing in a.md: Heading, [\"a.md*1\"] []",
                "./o#A in sub/o.md: Heading, [\"sub/b.md*1\"] []",
                "o#B#A in o.md: Heading, [\"a.md*1\"] [\"A\"]",
                "o#Nope in o.md: Heading, [\"a.md*2\", \"sub/b.md*1\"] []",
                "o#^nob in o.md: Block, [\"a.md*1\"] []",
                "o#^x in o.md: Block, [\"c.canvas*1\"] []",
                "o#hidden in o.md: Heading, [\"a.md*1\"] []",
                "o.md#Lost in o.md: Heading, [\"c.canvas*1\"] []",
                "o.md#Nope two in o.md: Heading, [\"a.md*1\"] []",
            ]
        );
    }

    #[test]
    fn e10_notes_are_not_read_once_the_call_is_over() {
        let (_folder, vault) = vault(&[("a.md", "[[#x]]")]);
        let indexed = IndexedVault(&vault).column::<AnchorLinks>().unwrap();
        vault.disk().cancellation().cancel();
        let stopped = dead(&vault, &indexed.column, &indexed.files, |_| true);
        assert!(matches!(stopped, Err(EngineError::Stopped)));
    }
}
