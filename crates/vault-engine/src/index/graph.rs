//! Which file links to which (`vault-semantics.md` §2.4).

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cache::Section;
use super::column::Stored;
use super::record::NoteRecord;
use crate::path::VaultPath;
use crate::resolve::{FromEverywhere, LinkIndex, Resolution};

/// Links from one file to another, or to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edge {
    source: u32,
    destination: u32,
    count: u32,
}

/// Every link that leads to a file, in the order of its source, then its destination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Resolved(Vec<Edge>);

impl Resolved {
    /// The files that link to a file, with how many links each has.
    pub(crate) fn backlinks(&self, destination: usize) -> impl Iterator<Item = (usize, usize)> {
        self.0
            .iter()
            .map(|edge| {
                (
                    place(edge.source),
                    place(edge.destination),
                    place(edge.count),
                )
            })
            .filter(move |(_, leads_to, _)| *leads_to == destination)
            .map(|(source, _, count)| (source, count))
    }

    /// Of `count` files those that some link leads to.
    pub(crate) fn destinations(&self, count: usize) -> Vec<bool> {
        self.marked(count, |edge| edge.destination)
    }

    /// Of `count` files those with a link to a file.
    pub(crate) fn sources(&self, count: usize) -> Vec<bool> {
        self.marked(count, |edge| edge.source)
    }

    fn marked(&self, count: usize, end: impl Fn(&Edge) -> u32) -> Vec<bool> {
        let mut marked = vec![false; count];
        for edge in &self.0 {
            if let Some(mark) = marked.get_mut(place(end(edge))) {
                *mark = true;
            }
        }
        marked
    }
}

/// A linkpath that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnresolvedLink {
    /// As written.
    pub(crate) linkpath: String,
    uses: Vec<(u32, u32)>,
}

impl UnresolvedLink {
    /// The files that use it, with how often each does.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (usize, usize)> {
        self.uses
            .iter()
            .map(|&(source, count)| (place(source), place(count)))
    }
}

/// Every linkpath that leads nowhere, in byte order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unresolved(pub(crate) Vec<UnresolvedLink>);

impl Stored for Resolved {
    const SECTION: Section = Section::Resolved;

    fn made_of(files: &[VaultPath], records: &[NoteRecord]) -> Self {
        of(files, records).0
    }
}

impl Stored for Unresolved {
    const SECTION: Section = Section::Unresolved;

    fn made_of(files: &[VaultPath], records: &[NoteRecord]) -> Self {
        of(files, records).1
    }
}

/// Resolves every link. The files are sorted, and the records stand in their order.
pub(super) fn of(files: &[VaultPath], records: &[NoteRecord]) -> (Resolved, Unresolved) {
    let index = LinkIndex::new(files.iter().cloned());
    let resolver = Resolver {
        files,
        index: &index,
    };
    let found: Vec<Outgoing<'_>> = (0_u32..)
        .zip(files)
        .zip(records)
        .collect::<Vec<_>>()
        .into_par_iter()
        .filter(|(_, record)| !record.links.is_empty())
        .map(|((id, source), record)| resolver.outgoing(id, source, record))
        .collect();
    let mut edges = Vec::new();
    let mut missing: Vec<(&str, u32, u32)> = Vec::new();
    for Outgoing {
        source,
        edges: more,
        unresolved,
    } in found
    {
        edges.extend(more);
        let uses = unresolved.into_iter();
        missing.extend(uses.map(|(linkpath, count)| (linkpath, source, count)));
    }
    missing.par_sort_unstable();
    let unresolved = missing
        .chunk_by(|(left, ..), (right, ..)| left == right)
        .filter_map(|uses| {
            let (linkpath, ..) = uses.first()?;
            Some(UnresolvedLink {
                linkpath: (*linkpath).to_owned(),
                uses: uses
                    .iter()
                    .map(|(_, source, count)| (*source, *count))
                    .collect(),
            })
        })
        .collect();
    (Resolved(edges), Unresolved(unresolved))
}

/// The links of one file.
struct Outgoing<'records> {
    source: u32,
    edges: Vec<Edge>,
    unresolved: Vec<(&'records str, u32)>,
}

struct Resolver<'files> {
    files: &'files [VaultPath],
    index: &'files LinkIndex,
}

impl Resolver<'_> {
    fn outgoing<'records>(
        &self,
        id: u32,
        source: &VaultPath,
        record: &'records NoteRecord,
    ) -> Outgoing<'records> {
        let mut destinations: BTreeMap<u32, u32> = BTreeMap::new();
        let mut unresolved = Vec::new();
        for link in &record.links {
            let destination = match self.index.lead_from_everywhere(&link.linkpath) {
                FromEverywhere::Nowhere => None,
                FromEverywhere::File(number) => u32::try_from(number).ok(),
                FromEverywhere::Depends => match self.index.resolve(&link.linkpath, source) {
                    Resolution::Missing => None,
                    Resolution::Found(found) => self.id(&found.path),
                },
            };
            match destination {
                Some(destination) => {
                    let count = destinations.entry(destination).or_default();
                    *count = count.saturating_add(link.count);
                }
                None => unresolved.push((link.linkpath.as_str(), link.count)),
            }
        }
        let edges = destinations
            .into_iter()
            .map(|(destination, count)| Edge {
                source: id,
                destination,
                count,
            })
            .collect();
        Outgoing {
            source: id,
            edges,
            unresolved,
        }
    }

    fn id(&self, path: &VaultPath) -> Option<u32> {
        u32::try_from(self.files.binary_search(path).ok()?).ok()
    }
}

fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
