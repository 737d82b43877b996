//! The link graph: which file links to which (`vault-semantics.md` §2.4).

use std::collections::BTreeMap;
use std::sync::Mutex;

use foldhash::HashMap;
use obsidian_note::resolve::{Rule, unresolved_name};
use obsidian_note::{FromEverywhere, LinkIndex, NoteRecord, Resolution, VaultPath};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cache::CacheSection;
use super::column::Stored;
use crate::lock;

/// Links from one file to another, or to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LinkEdge {
    source: u32,
    destination: u32,
    count: u32,
}

/// Every resolved link, ordered by source, then destination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedLinks(Vec<LinkEdge>);

impl ResolvedLinks {
    /// Source, destination and number of links, in that order.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.0.iter().map(|edge| {
            (
                place(edge.source),
                place(edge.destination),
                place(edge.count),
            )
        })
    }

    /// Returns the files that link to a file, with how many links each has.
    pub fn backlinks(&self, destination: usize) -> impl Iterator<Item = (usize, usize)> {
        self.edges()
            .filter(move |(_, leads_to, _)| *leads_to == destination)
            .map(|(source, _, count)| (source, count))
    }

    /// Marks, of `count` files, those that have an incoming link.
    pub fn destinations(&self, count: usize) -> Vec<bool> {
        self.marked(count, |edge| edge.destination)
    }

    /// Marks, of `count` files, those that have an outgoing link.
    pub fn sources(&self, count: usize) -> Vec<bool> {
        self.marked(count, |edge| edge.source)
    }

    fn marked(&self, count: usize, end: impl Fn(&LinkEdge) -> u32) -> Vec<bool> {
        let mut marked = vec![false; count];
        for edge in &self.0 {
            if let Some(mark) = marked.get_mut(place(end(edge))) {
                *mark = true;
            }
        }
        marked
    }
}

/// The number of other files that link to each file.
#[derive(Debug, PartialEq, Eq)]
pub struct BacklinkCounts(Vec<u32>);

impl BacklinkCounts {
    /// Counts the links between `files` files.
    pub(super) fn new(links: &ResolvedLinks, files: usize) -> Self {
        let mut counts = vec![0_u32; files];
        for (source, destination, _) in links.edges() {
            if source != destination
                && let Some(count) = counts.get_mut(destination)
            {
                *count += 1;
            }
        }
        Self(counts)
    }

    /// Returns the number of files that link to this one.
    pub fn count(&self, file: usize) -> u32 {
        self.0.get(file).copied().unwrap_or_default()
    }
}

/// A linkpath that leads to no file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnresolvedLink {
    /// The linkpath as written, without a final `.md`.
    pub linkpath: String,
    uses: Vec<(u32, u32)>,
}

impl UnresolvedLink {
    /// Returns the files that use it, with how often each does.
    pub fn uses(&self) -> impl Iterator<Item = (usize, usize)> {
        self.uses
            .iter()
            .map(|&(source, count)| (place(source), place(count)))
    }
}

/// Every linkpath that leads to no file, in byte order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnresolvedLinks(pub Vec<UnresolvedLink>);

impl Stored for ResolvedLinks {
    const SECTION: CacheSection = CacheSection::Resolved;
    const SOURCE: CacheSection = CacheSection::Links;

    fn build_from(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        resolve_all(files, records).0
    }
}

impl Stored for UnresolvedLinks {
    const SECTION: CacheSection = CacheSection::Unresolved;
    const SOURCE: CacheSection = CacheSection::Links;

    fn build_from(files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        resolve_all(files, records).1
    }
}

/// Resolves every link. The files are sorted, and the records are in their order.
pub(super) fn resolve_all(
    files: &[VaultPath],
    records: &[&NoteRecord],
) -> (ResolvedLinks, UnresolvedLinks) {
    resolve_all_with(&LinkIndex::new(files.iter().cloned()), files, records)
}

/// As [`resolve_all`], with a link index of the files.
pub(super) fn resolve_all_with(
    index: &LinkIndex,
    files: &[VaultPath],
    records: &[&NoteRecord],
) -> (ResolvedLinks, UnresolvedLinks) {
    let resolver = Resolver::new(index);
    let with_links = (0_u32..).zip(files).zip(records);
    let with_links: Vec<_> = with_links
        .filter(|(_, record)| !record.links.is_empty())
        .collect();
    // Each thread has a map of leads, which knows more with every part. Only ambiguous linkpaths,
    // which are slow to resolve, are shared between threads.
    let idle: Mutex<Vec<LinkLeads<'_>>> = Mutex::default();
    let found = with_links.par_chunks(PART).flat_map_iter(|part| {
        let mut leads = lock(&idle).pop().unwrap_or_default();
        let found = part
            .iter()
            .map(|&((id, source), record)| resolver.outgoing(&mut leads, id, source, record));
        let found: Vec<Outgoing<'_>> = found.collect();
        lock(&idle).push(leads);
        found
    });
    whole(Vec::new(), Vec::new(), found.collect())
}

/// Updates the graph after the links of some notes changed. The files must be the same; only the
/// links of the changed notes are resolved again.
pub(super) fn resolve_changed(
    before: (&ResolvedLinks, &UnresolvedLinks),
    changed: &BTreeMap<u32, NoteRecord>,
    index: &LinkIndex,
    files: &[VaultPath],
) -> (ResolvedLinks, UnresolvedLinks) {
    let resolver = Resolver::new(index);
    let mut leads = LinkLeads::default();
    let found = changed.iter().filter_map(|(&id, record)| {
        let source = files.get(place(id))?;
        Some(resolver.outgoing(&mut leads, id, source, record))
    });
    let stays = |source: u32| !changed.contains_key(&source);
    let edges = before.0.0.iter().filter(|edge| stays(edge.source));
    let missing = before.1.0.iter().flat_map(|link| {
        let uses = link.uses.iter().filter(|(source, _)| stays(*source));
        uses.map(|&(source, count)| (link.linkpath.as_str(), source, count))
    });
    whole(
        edges.copied().collect(),
        missing.collect(),
        found.collect::<Vec<_>>(),
    )
}

/// Merges known links and newly resolved ones into a graph.
fn whole<'records>(
    mut edges: Vec<LinkEdge>,
    mut missing: Vec<(&'records str, u32, u32)>,
    found: Vec<Outgoing<'records>>,
) -> (ResolvedLinks, UnresolvedLinks) {
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
    // Sorted except for a few items: an adaptive sort takes about one pass.
    edges.sort_by_key(|edge| (edge.source, edge.destination));
    missing.par_sort();
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
    (ResolvedLinks(edges), UnresolvedLinks(unresolved))
}

/// The links of one file.
struct Outgoing<'records> {
    source: u32,
    edges: Vec<LinkEdge>,
    unresolved: Vec<(&'records str, u32)>,
}

struct Resolver<'files, 'records> {
    index: &'files LinkIndex,
    /// The path of an imaginary note in a folder without files of the vault.
    elsewhere: VaultPath,
    /// Cache for linkpaths that match several files: resolving one takes long if they match very many.
    ambiguous: Mutex<HashMap<&'records str, Lead>>,
}

/// The number of notes whose links a thread resolves at a time.
const PART: usize = 256;
/// A hidden path, which no file of a vault has.
const ELSEWHERE: &str = ".none/none.md";

/// The target of a linkpath.
#[derive(Clone, Copy)]
enum Lead {
    /// The link leads to the same file from every note, or to no file (`None`).
    Everywhere(Option<u32>),
    /// The link leads to a matching file below the note's folder (rule 6 of `vault-semantics.md` §2.3), or else to this
    /// file.
    Below(Option<u32>),
    /// The destination depends on the note in another way: resolve it for each note.
    Depends,
}

/// The results of one thread, for reuse.
#[derive(Default)]
struct LinkLeads<'records> {
    by_linkpath: HashMap<&'records str, Lead>,
    /// The folder of the last note, and what ambiguous linkpaths mean in it. Notes of one folder
    /// mostly come one after another.
    folder: String,
    in_folder: HashMap<&'records str, Option<u32>>,
}

impl<'files, 'records> Resolver<'files, 'records> {
    fn new(index: &'files LinkIndex) -> Self {
        Self {
            index,
            elsewhere: VaultPath::file(ELSEWHERE).unwrap_or_else(|_| VaultPath::root()),
            ambiguous: Mutex::default(),
        }
    }

    fn outgoing(
        &self,
        leads: &mut LinkLeads<'records>,
        id: u32,
        source: &VaultPath,
        record: &'records NoteRecord,
    ) -> Outgoing<'records> {
        let mut destinations: BTreeMap<u32, u32> = BTreeMap::new();
        let mut unresolved: BTreeMap<&str, u32> = BTreeMap::new();
        for link in &record.links {
            let linkpath = link.linkpath.as_str();
            let lead = leads.by_linkpath.entry(linkpath);
            let lead = *lead.or_insert_with(|| self.lead(linkpath));
            let destination = match lead {
                Lead::Everywhere(destination) => destination,
                Lead::Below(elsewhere) => self.below(leads, linkpath, source).or(elsewhere),
                Lead::Depends => self.resolve(linkpath, source),
            };
            let counter = if let Some(destination) = destination {
                destinations.entry(destination).or_default()
            } else {
                unresolved.entry(unresolved_name(linkpath)).or_default()
            };
            *counter = counter.saturating_add(link.count);
        }
        let edges = destinations
            .into_iter()
            .map(|(destination, count)| LinkEdge {
                source: id,
                destination,
                count,
            })
            .collect();
        Outgoing {
            source: id,
            edges,
            unresolved: unresolved.into_iter().collect(),
        }
    }

    /// Returns the file below the folder of `source` that an ambiguous linkpath means.
    fn below(
        &self,
        leads: &mut LinkLeads<'records>,
        linkpath: &'records str,
        source: &VaultPath,
    ) -> Option<u32> {
        let folder = source.parent_text();
        if folder.is_empty() {
            return None;
        }
        if leads.folder != folder {
            folder.clone_into(&mut leads.folder);
            leads.in_folder.clear();
        }
        let found = leads.in_folder.entry(linkpath);
        *found.or_insert_with(|| {
            let number = self.index.below(linkpath, folder)?;
            u32::try_from(number).ok()
        })
    }

    fn lead(&self, linkpath: &'records str) -> Lead {
        let begins = linkpath.trim_start();
        if begins.starts_with("./") || begins.starts_with("../") {
            return Lead::Depends;
        }
        match self.index.lead_from_everywhere(linkpath) {
            FromEverywhere::Nowhere => Lead::Everywhere(None),
            FromEverywhere::File(number) => Lead::Everywhere(u32::try_from(number).ok()),
            FromEverywhere::Depends => {
                let known = lock(&self.ambiguous).get(linkpath).copied();
                known.unwrap_or_else(|| {
                    let lead = self.lead_of_ambiguous(linkpath);
                    lock(&self.ambiguous).insert(linkpath, lead);
                    lead
                })
            }
        }
    }

    fn lead_of_ambiguous(&self, linkpath: &str) -> Lead {
        match self.index.resolve(linkpath, &self.elsewhere) {
            Resolution::Found(found) => match found.rule {
                Rule::ExactPath => Lead::Everywhere(self.id(&found.path)),
                Rule::OnlyOne | Rule::BelowSource | Rule::Shortest => {
                    Lead::Below(self.id(&found.path))
                }
                Rule::Source | Rule::Relative | Rule::Absolute => Lead::Depends,
            },
            Resolution::Missing => Lead::Depends,
        }
    }

    fn resolve(&self, linkpath: &str, source: &VaultPath) -> Option<u32> {
        self.id(&self.index.resolve(linkpath, source).path()?)
    }

    fn id(&self, path: &VaultPath) -> Option<u32> {
        u32::try_from(self.index.number(path)?).ok()
    }
}

pub(super) fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
