//! Which file links to which, among those that may be seen.

use std::sync::Arc;

use super::pair::Pair;
use super::view::{Seen, View};
use crate::error::EngineError;
use crate::index::{Column, Held, Links, NoteRecord, Resolved, Unresolved, by_index};
use crate::path::VaultPath;
use crate::resolve::LinkIndex;

/// The links of the listed files. Files are numbered as in the index.
pub(super) struct Graph {
    pub(super) edges: Vec<Edge>,
    /// In byte order of the linkpaths.
    pub(super) nowhere: Vec<Nowhere>,
}

/// Links from one file to another, or to itself.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) source: usize,
    pub(super) destination: usize,
    pub(super) count: usize,
}

/// A linkpath that leads nowhere.
pub(super) struct Nowhere {
    pub(super) linkpath: String,
    /// The files that use it, with how often each does.
    pub(super) uses: Vec<(usize, usize)>,
}

impl View<'_> {
    /// The links, and a column that belongs to the same moment.
    ///
    /// To who may not see every file, links to the others lead nowhere, or to the next file that
    /// they could mean: as if those files did not exist. Links in excluded files count for nobody.
    pub(super) fn graph<C: Column + Held>(&self) -> Result<(Graph, Seen<C>), EngineError> {
        if self.sees_everything() {
            let seen = self.load::<Pair<C, Pair<Resolved, Unresolved>>>()?;
            let Pair(column, graph) = seen.column.as_ref();
            let Pair(resolved, unresolved) = graph.as_ref();
            let graph = Graph::of(resolved, unresolved, Some, &seen.listed);
            return Ok((graph, seen.with(Arc::clone(column))));
        }
        let seen = self.load::<Pair<C, Links>>()?;
        let Pair(column, links) = seen.column.as_ref();
        let mut records = vec![NoteRecord::default(); seen.files.len()];
        for (id, uses) in links.iter() {
            if let Some(record) = records.get_mut(id) {
                record.links.clone_from(uses);
            }
        }
        let visible: Vec<usize> = (0..seen.files.len())
            .filter(|id| seen.files.get(*id).is_some_and(|path| self.sees(path)))
            .collect();
        let files: Vec<VaultPath> = visible
            .iter()
            .filter_map(|id| seen.files.get(*id).cloned())
            .collect();
        let records: Vec<&NoteRecord> = visible.iter().filter_map(|id| records.get(*id)).collect();
        let index = LinkIndex::new(files.iter().cloned());
        let (resolved, unresolved) = by_index(&index, &files, &records);
        let number = |id: usize| visible.get(id).copied();
        let graph = Graph::of(&resolved, &unresolved, number, &seen.listed);
        Ok((graph, seen.with(Arc::clone(column))))
    }

    /// The files that links can lead to, by the names that links use.
    pub(super) fn link_index(&self) -> Result<Arc<LinkIndex>, EngineError> {
        let (index, _) = self.vault.link_index()?;
        if self.sees_everything() {
            return Ok(index);
        }
        let (files, _) = self.files()?;
        Ok(Arc::new(LinkIndex::new(files)))
    }
}

impl Graph {
    fn of(
        resolved: &Resolved,
        unresolved: &Unresolved,
        number: impl Fn(usize) -> Option<usize>,
        listed: &[bool],
    ) -> Self {
        let counts = |id: &usize| listed.get(*id) == Some(&true);
        let edges = resolved.edges().filter_map(|(source, destination, count)| {
            Some(Edge {
                source: number(source).filter(counts)?,
                destination: number(destination)?,
                count,
            })
        });
        let nowhere = unresolved.0.iter().map(|link| Nowhere {
            linkpath: link.linkpath.clone(),
            uses: link
                .uses()
                .filter_map(|(source, count)| Some((number(source).filter(counts)?, count)))
                .collect(),
        });
        Self {
            edges: edges.collect(),
            nowhere: nowhere
                .filter(|link: &Nowhere| !link.uses.is_empty())
                .collect(),
        }
    }

    /// Of `files` files those that a link leads to, and those with a link to a file.
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
    /// How often it is used.
    pub(super) fn count(&self) -> usize {
        self.uses.iter().map(|(_, count)| count).sum()
    }
}
