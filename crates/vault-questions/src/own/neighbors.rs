//! `note:neighbors` (`contracts.md` I45, C25): the notes around one, by links, within bounds.

use std::collections::{BTreeSet, VecDeque};

use obsidian_note::shown::rows;
use vault_index::target::folder;
use vault_index::{Seen, Tags, Target};

use super::graph::{Adjacency, Direction, Graph};
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<Neighborhood>("note:neighbors", "neighborhood", neighbors);

/// The files around one, the nearest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Neighborhood {
    /// The file in the middle.
    pub path: String,
    /// Maximum number of links to a file.
    pub depth: usize,
    /// The files around it, by distance and then by path.
    pub nodes: Vec<Neighbor>,
    /// The links among all these files, by source and destination.
    pub edges: Vec<NeighborEdge>,
    /// Number of listed files, including the one in the middle.
    pub node_count: usize,
    /// Number of listed pairs of linked files.
    pub edge_count: usize,
    /// The limits that left files out.
    pub truncated: NeighborhoodBounds,
}

/// One file around another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Neighbor {
    /// The file.
    pub path: String,
    /// Number of links to the file.
    pub distance: usize,
    /// The file before it on the way from the middle.
    pub via: String,
}

/// The links from one file to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeighborEdge {
    /// The file with the links.
    pub source: String,
    /// The file that they lead to.
    pub target: String,
    /// Number of files.
    pub count: usize,
}

/// The limits that left files out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeighborhoodBounds {
    /// There are files further away than `depth`.
    pub depth: bool,
    /// There are more files than `limit`.
    pub nodes: bool,
}

impl AnswerData for Neighborhood {
    /// Returns a line for each file, indented by its distance.
    fn text(&self) -> String {
        let nodes = self.nodes.iter();
        rows(nodes.map(|node| {
            [
                format!("{}{}", "  ".repeat(node.distance - 1), node.path),
                node.distance.to_string(),
            ]
        }))
    }

    fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        for node in &mut self.nodes {
            visit(&mut node.path);
            visit(&mut node.via);
        }
        for edge in &mut self.edges {
            visit(&mut edge.source);
            visit(&mut edge.target);
        }
    }

    fn items(&mut self) -> Option<usize> {
        Some(self.nodes.len())
    }

    fn keep_first(&mut self, count: usize) {
        self.truncated.nodes |= count < self.nodes.len();
        self.nodes.truncate(count);
        let kept: BTreeSet<&str> = self.nodes.iter().map(|node| node.path.as_str()).collect();
        let is_kept = |path: &str| path == self.path || kept.contains(path);
        self.edges
            .retain(|edge| is_kept(&edge.source) && is_kept(&edge.target));
        self.node_count = self.nodes.len() + 1;
        self.edge_count = self.edges.len();
    }
}

/// The number of files in an answer unless `limit` is given.
const LIMIT: usize = 20;
/// The number of links that a file may be away, unless `depth` is given.
const DEPTH: usize = 2;

/// Returns the files that links connect with the note, over at most `depth` links; at most `limit` files.
fn neighbors(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let target = Target::from_arguments(vault, arguments)?;
    target.must_exist(vault)?;
    let depth = arguments.number("depth").unwrap_or(DEPTH);
    let limit = arguments.number("limit").unwrap_or(LIMIT);
    let below = folder(arguments, "folder");
    let (graph, seen) = Graph::read::<Tags>(vault)?;
    let mut answer = Neighborhood {
        path: target.path.to_string(),
        depth,
        nodes: Vec::new(),
        edges: Vec::new(),
        node_count: 1,
        edge_count: 0,
        truncated: NeighborhoodBounds::default(),
    };
    let mut warnings = target.warnings;
    // The file may have been removed after the look-up; then it has no neighbours.
    if let Ok(here) = seen.files.binary_search(&target.path) {
        let mut adjacency =
            Adjacency::from_graph(&graph, &seen, Direction::from_arguments(arguments));
        let is_below = |id: &usize| {
            seen.files
                .get(*id)
                .is_some_and(|path| path.is_below(&below))
        };
        adjacency.retain(is_below);
        let found = around(&adjacency, here, depth, limit, &mut answer.truncated);
        answer.fill(&found, here, &graph, &seen);
    }
    warnings.extend(seen.warnings);
    Ok(Reply::new(answer, warnings))
}

/// A file that was reached, the file before it, and the number of links to it.
struct Reached {
    file: usize,
    via: usize,
    distance: usize,
}

fn around(
    adjacency: &Adjacency,
    here: usize,
    depth: usize,
    limit: usize,
    truncated: &mut NeighborhoodBounds,
) -> Vec<Reached> {
    let mut known = BTreeSet::from([here]);
    let mut queue = VecDeque::from([(here, 0)]);
    let mut found = Vec::new();
    while let Some((file, distance)) = queue.pop_front() {
        for next in adjacency.next_to(file) {
            if known.contains(&next) {
                continue;
            }
            if distance == depth {
                truncated.depth = true;
                break;
            }
            if found.len() == limit {
                truncated.nodes = true;
                return found;
            }
            known.insert(next);
            queue.push_back((next, distance + 1));
            found.push(Reached {
                file: next,
                via: file,
                distance: distance + 1,
            });
        }
    }
    found
}

impl Neighborhood {
    fn fill<C>(&mut self, found: &[Reached], here: usize, graph: &Graph, seen: &Seen<C>) {
        let name = |id: usize| seen.files.get(id).map(ToString::to_string);
        self.nodes = found
            .iter()
            .filter_map(|reached| {
                Some(Neighbor {
                    path: name(reached.file)?,
                    distance: reached.distance,
                    via: name(reached.via)?,
                })
            })
            .collect();
        self.nodes
            .sort_by(|left, right| (left.distance, &left.path).cmp(&(right.distance, &right.path)));
        let shown: BTreeSet<usize> = found
            .iter()
            .map(|reached| reached.file)
            .chain([here])
            .collect();
        let edges = graph.edges.iter().filter(|edge| {
            edge.source != edge.destination
                && shown.contains(&edge.source)
                && shown.contains(&edge.destination)
        });
        self.edges = edges
            .filter_map(|edge| {
                Some(NeighborEdge {
                    source: name(edge.source)?,
                    target: name(edge.destination)?,
                    count: edge.count,
                })
            })
            .collect();
        self.edges.sort_by(|left, right| {
            (&left.source, &left.target).cmp(&(&right.source, &right.target))
        });
        self.node_count = self.nodes.len() + 1;
        self.edge_count = self.edges.len();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, text};

    const NOTES: &[(&str, &str)] = &[
        ("a.md", "[[b]] [[b]] [[a]]"),
        ("b.md", "[[c]] [[hidden/x]]"),
        ("c.md", "[[d]]"),
        ("d.md", "[[a]]"),
        ("hidden/x.md", "[[y]]"),
        ("y.md", ""),
    ];

    #[test]
    fn files_around_one_by_distance() {
        let (_folder, vault) = vault(NOTES);
        let found = ask(&vault, "note:neighbors path=a.md");
        assert_eq!(
            text(&vault, "note:neighbors path=a.md"),
            "b.md\t1\nd.md\t1\n  c.md\t2\n  hidden/x.md\t2\n"
        );
        assert_eq!(found["nodeCount"], 5);
        assert_eq!(found["truncated"], json!({"depth": true, "nodes": false}));
        assert_eq!(
            found["edges"][0],
            json!({"source": "a.md", "target": "b.md", "count": 2})
        );
        assert_eq!(found["edgeCount"], 5);
        let out = ask(&vault, "note:neighbors path=a.md direction=out depth=1");
        assert_eq!(
            out["nodes"],
            json!([{"path": "b.md", "distance": 1, "via": "a.md"}])
        );
        let few = ask(&vault, "note:neighbors path=a.md limit=1");
        assert_eq!(
            (&few["nodeCount"], &few["truncated"]["nodes"]),
            (&json!(2), &json!(true))
        );
        let below = ask(&vault, "note:neighbors path=a.md folder=hidden");
        assert_eq!(below["nodes"], json!([]));
        let below = ask(&vault, "note:neighbors path=b.md folder=hidden");
        assert_eq!(below["nodes"][0]["path"], "hidden/x.md");
        assert_eq!(below["nodeCount"], 2);
        fails(&vault, "note:neighbors path=none.md");
    }

    #[test]
    fn d13_what_may_not_be_seen_connects_nothing() {
        let (_folder, vault) = vault(NOTES);
        let (found, _) = ask_without(
            &vault,
            "hidden",
            "note:neighbors path=b.md depth=5 direction=out",
        );
        let paths: Vec<&str> = found["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, ["c.md", "d.md", "a.md"]);
        assert_eq!(found["truncated"], json!({"depth": false, "nodes": false}));
    }
}
