//! `links:path` (`contracts.md` I45): the shortest way over links from one file to another.

use std::collections::{HashMap, VecDeque};

use obsidian_note::VaultPath;
use obsidian_note::shown::rows;
use vault_files::{Args, Vault};
use vault_index::Tags;

use super::graph::{Adjacency, Direction, Graph};
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<LinkRoute>("links:path", "link-route", route);

/// A shortest way over links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkRoute {
    /// The first file.
    pub(super) from: String,
    /// The last file.
    pub(super) to: String,
    /// Number of links; null if no links connect the files.
    pub(super) length: Option<usize>,
    /// The files of the route, both ends included; empty if no links connect the files.
    pub(super) files: Vec<String>,
}

impl AnswerData for LinkRoute {
    /// Returns one path per line.
    fn text(&self) -> String {
        rows(self.files.iter().map(|file| [file.clone()]))
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// Returns the shortest way over links, in both directions unless `direction` is given. The first by the paths of its
/// files, if there are several.
fn route(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let from = end(vault, arguments, "from")?;
    let to = end(vault, arguments, "to")?;
    let (graph, seen) = Graph::read::<Tags>(vault)?;
    let adjacency = Adjacency::from_graph(&graph, &seen, Direction::from_arguments(arguments));
    let place = |path: &VaultPath| seen.files.binary_search(path).ok();
    let found = match (place(&from), place(&to)) {
        (Some(start), Some(goal)) => shortest(&adjacency, start, goal),
        // One of the files was removed after the look-up.
        _ => None,
    };
    let files: Vec<String> = found
        .into_iter()
        .flatten()
        .filter_map(|file| seen.files.get(file).map(ToString::to_string))
        .collect();
    let answer = LinkRoute {
        from: from.to_string(),
        to: to.to_string(),
        length: files.len().checked_sub(1),
        files,
    };
    Ok(Reply::new(answer, seen.warnings))
}

fn end(vault: &Vault, arguments: &Args, name: &str) -> Result<VaultPath, EngineError> {
    let path = arguments
        .path(name)
        .ok_or_else(|| EngineError::argument(name, "the exact path of a file"))?;
    vault.facts_of_target(path, path.as_str())?;
    Ok(path.clone())
}

fn shortest(adjacency: &Adjacency, start: usize, goal: usize) -> Option<Vec<usize>> {
    let mut before = HashMap::from([(start, start)]);
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        if file == goal {
            let mut way = vec![goal];
            let mut at = goal;
            while at != start {
                at = *before.get(&at)?;
                way.push(at);
            }
            way.reverse();
            return Some(way);
        }
        for next in adjacency.next_to(file) {
            before.entry(next).or_insert_with(|| {
                queue.push_back(next);
                file
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, text};

    const NOTES: &[(&str, &str)] = &[
        ("a.md", "[[b]] [[hidden]]"),
        ("b.md", "[[c]]"),
        ("c.md", "[[z]]"),
        ("hidden.md", "[[z]]"),
        ("lone.md", ""),
        ("z.md", ""),
    ];

    #[test]
    fn the_shortest_way_either_way() {
        let (_folder, vault) = vault(NOTES);
        let found = ask(&vault, "links:path from=z.md to=a.md");
        assert_eq!(
            found,
            json!({"from": "z.md", "to": "a.md", "length": 2, "files": ["z.md", "hidden.md", "a.md"]})
        );
        let against = ask(&vault, "links:path from=z.md to=a.md direction=out");
        assert_eq!(
            (&against["length"], &against["files"]),
            (&json!(null), &json!([]))
        );
        let here = ask(&vault, "links:path from=a.md to=a.md");
        assert_eq!(
            (&here["length"], &here["files"]),
            (&json!(0), &json!(["a.md"]))
        );
        assert_eq!(text(&vault, "links:path from=a.md to=b.md"), "a.md\nb.md\n");
        fails(&vault, "links:path from=a.md");
        fails(&vault, "links:path from=a.md to=none.md");
    }

    #[test]
    fn d13_no_way_leads_through_what_may_not_be_seen() {
        let (_folder, vault) = vault(NOTES);
        let (found, _) = ask_without(&vault, "hidden", "links:path from=a.md to=z.md");
        assert_eq!(found["files"], json!(["a.md", "b.md", "c.md", "z.md"]));
    }
}
