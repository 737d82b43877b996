//! The links between files.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use vault_files::{Args, EngineError, Vault};
use vault_index::{Column, KeptColumn, Pair, ResolvedLinks, Seen, UnresolvedLinks};

/// The links of the listed files. Files are numbered as in the index.
pub(super) struct Graph {
    pub(super) edges: Vec<Edge>,
    /// The linkpaths that lead to no file, in byte order.
    pub(super) nowhere: Vec<Nowhere>,
}

/// The links from one file to another, or to itself.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) source: usize,
    pub(super) destination: usize,
    pub(super) count: usize,
}

/// A linkpath that leads to no file.
pub(super) struct Nowhere {
    pub(super) linkpath: String,
    /// The files that use it, by number, each with the number of its links.
    pub(super) uses: Vec<(usize, usize)>,
}

impl Graph {
    /// Returns the links, and another column of the same snapshot. Links in excluded files do not count.
    pub(super) fn read<C: Column + KeptColumn>(
        vault: &Vault,
    ) -> Result<(Self, Seen<C>), EngineError> {
        let seen = Seen::<Pair<C, Pair<ResolvedLinks, UnresolvedLinks>>>::read(vault)?;
        let Pair(column, graph) = seen.column.as_ref();
        let Pair(resolved, unresolved) = graph.as_ref();
        let graph = Self::from_links(resolved, unresolved, &seen.listed);
        Ok((graph, seen.with(Arc::clone(column))))
    }

    fn from_links(resolved: &ResolvedLinks, unresolved: &UnresolvedLinks, listed: &[bool]) -> Self {
        let counts = |id: usize| listed.get(id) == Some(&true);
        let edges = resolved.edges().filter(|(source, ..)| counts(*source)).map(
            |(source, destination, count)| Edge {
                source,
                destination,
                count,
            },
        );
        let nowhere = unresolved.0.iter().map(|link| Nowhere {
            linkpath: link.linkpath.clone(),
            uses: link.uses().filter(|(source, _)| counts(*source)).collect(),
        });
        Self {
            edges: edges.collect(),
            nowhere: nowhere
                .filter(|link: &Nowhere| !link.uses.is_empty())
                .collect(),
        }
    }

    /// Returns, for each of `files` files, whether a link leads to it, and whether it has a link to a file.
    pub(super) fn marks(&self, files: usize) -> (Vec<bool>, Vec<bool>) {
        let mut destinations = vec![false; files];
        let mut sources = vec![false; files];
        for edge in &self.edges {
            if let Some(mark) = destinations.get_mut(edge.destination) {
                *mark = true;
            }
            if let Some(mark) = sources.get_mut(edge.source) {
                *mark = true;
            }
        }
        (destinations, sources)
    }
}

impl Nowhere {
    /// Returns the number of uses in all files.
    pub(super) fn count(&self) -> usize {
        self.uses.iter().map(|(_, count)| count).sum()
    }
}

/// The direction in which links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Out,
    In,
    Both,
}

impl Direction {
    pub(super) fn from_arguments(arguments: &Args) -> Self {
        match arguments.text("direction") {
            Some("out") => Self::Out,
            Some("in") => Self::In,
            _ => Self::Both,
        }
    }
}

/// The neighbours of each file, in byte order of their paths.
pub(super) struct Adjacency(HashMap<usize, BTreeSet<usize>>);

impl Adjacency {
    pub(super) fn from_graph<C>(graph: &Graph, seen: &Seen<C>, direction: Direction) -> Self {
        let mut next: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        let edges = graph.edges.iter();
        for edge in edges.filter(|edge| edge.source != edge.destination) {
            if !seen.lists(edge.destination) {
                continue;
            }
            if direction != Direction::In {
                next.entry(edge.source)
                    .or_default()
                    .insert(edge.destination);
            }
            if direction != Direction::Out {
                next.entry(edge.destination)
                    .or_default()
                    .insert(edge.source);
            }
        }
        Self(next)
    }

    /// Keeps only these files.
    pub(super) fn retain(&mut self, keeps: impl Fn(&usize) -> bool) {
        for next in self.0.values_mut() {
            next.retain(&keeps);
        }
    }

    pub(super) fn next_to(&self, file: usize) -> impl Iterator<Item = usize> {
        self.0.get(&file).into_iter().flatten().copied()
    }
}
