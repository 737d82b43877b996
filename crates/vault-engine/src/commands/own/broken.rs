//! `links:broken` (`contracts.md` I17, I25).

use cli_output::{Arguments, List, OwnForm, OwnItem};

use super::command::OwnCommand;
use super::graph::Nowhere;
use super::likeness::Names;
use super::likeness::{Candidate, Likeness};
use super::page::page;
use super::view::{Seen, View};
use crate::commands::reply::Reply;
use crate::error::EngineError;
use crate::index::Properties;
use crate::surroundings::Surroundings;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) static COMMAND: OwnCommand = OwnCommand {
    id: "links:broken",
    form: OwnForm::new::<List<BrokenLink>>("broken-links").with_total(),
    serve: Some(broken),
};

/// One link text that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BrokenLink {
    /// The text before `#`, as written.
    pub(super) target: String,
    /// How often it is used.
    pub(super) count: usize,
    /// The files that use it.
    pub(super) sources: Vec<LinkSource>,
    /// Files that may be meant; at most 5, the likeliest first.
    pub(super) candidates: Vec<Candidate>,
}

/// A file with links of one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkSource {
    /// The file.
    pub(super) path: String,
    /// How many of its links have the text.
    pub(super) count: usize,
}

impl OwnItem for BrokenLink {
    /// Text, how often, where, what may be meant.
    fn cells(&self) -> Vec<String> {
        let sources: Vec<&str> = self
            .sources
            .iter()
            .map(|source| source.path.as_str())
            .collect();
        let candidates = self.candidates.iter().map(|candidate| {
            let why = match candidate.why {
                Likeness::Name | Likeness::Spelling => "",
                Likeness::Alias => " (alias)",
            };
            format!("{}{why}", candidate.path)
        });
        let candidates: Vec<String> = candidates.collect();
        let meant = if candidates.is_empty() {
            String::new()
        } else {
            format!("did you mean {}?", candidates.join(", "))
        };
        vec![
            self.target.clone(),
            self.count.to_string(),
            sources.join(", "),
            meant,
        ]
    }
}

/// How many are told unless `limit` says otherwise.
const LIMIT: usize = 100;

/// Links that lead nowhere, the most used first, each with the files that may be meant.
pub(super) fn broken(
    view: &View<'_>,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let (graph, seen) = view.graph::<Properties>()?;
    let mut links = graph.nowhere;
    links.sort_by_key(|link| std::cmp::Reverse(link.count()));
    let names = seen.names();
    let answer = page(links, arguments, LIMIT, |link| told(&link, &seen, &names))?;
    Ok(Reply::new(answer, seen.warnings))
}

fn told(link: &Nowhere, seen: &Seen<Properties>, names: &Names<'_>) -> BrokenLink {
    let sources = link.uses.iter().filter_map(|(source, count)| {
        Some(LinkSource {
            path: seen.files.get(*source)?.to_string(),
            count: *count,
        })
    });
    BrokenLink {
        target: link.linkpath.clone(),
        count: link.count(),
        sources: sources.collect(),
        candidates: names.like(&link.linkpath),
    }
}

impl Seen<Properties> {
    /// The names and aliases of the listed files.
    pub(super) fn names(&self) -> Names<'_> {
        let mut names = Names::default();
        for (id, path) in self.files.iter().enumerate() {
            if self.lists(id) {
                names.add_file(path);
            }
        }
        for (id, properties) in self.column.iter() {
            if let Some(path) = self.files.get(id).filter(|_| self.lists(id)) {
                names.add_aliases(path, &properties.0);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::commands::own::testing::{ask, ask_without, text};
    use crate::vault::testing::vault;

    const NOTES: &[(&str, &str)] = &[
        (
            ".obsidian/app.json",
            r#"{"userIgnoreFilters":["Archive/"]}"#,
        ),
        ("Archive/old.md", "[[Gone]] [[Only here]]"),
        ("a.md", "[[Gone]] [[gardn#x]] ![[Gone|y]] [[Archive/old]]"),
        ("b.md", "[[Gone]] [[Secret]]"),
        ("Garden.md", "---\naliases: [Gone]\n---\n"),
        ("hidden/Secret.md", "[[Nope]]"),
    ];

    #[test]
    fn links_that_lead_nowhere_with_what_may_be_meant() {
        let (_folder, vault) = vault(NOTES);
        let found = ask(&vault, "links:broken");
        assert_eq!(
            found,
            json!({"total": 3, "returned": 3, "offset": 0, "truncated": false, "items": [
                {"target": "Gone", "count": 3,
                 "sources": [{"path": "a.md", "count": 2}, {"path": "b.md", "count": 1}],
                 "candidates": [{"path": "Garden.md", "why": "alias"}]},
                {"target": "Nope", "count": 1, "sources": [{"path": "hidden/Secret.md", "count": 1}], "candidates": []},
                {"target": "gardn", "count": 1, "sources": [{"path": "a.md", "count": 1}],
                 "candidates": [{"path": "Garden.md", "why": "spelling"}]},
            ]})
        );
        assert_eq!(ask(&vault, "links:broken total"), json!({"total": 3}));
        assert_eq!(
            text(&vault, "links:broken limit=1"),
            "Gone\t3\ta.md, b.md\tdid you mean Garden.md (alias)?\n"
        );
    }

    #[test]
    fn d13_a_link_to_what_may_not_be_seen_leads_nowhere() {
        let (_folder, vault) = vault(NOTES);
        let (found, _) = ask_without(&vault, "hidden", "links:broken");
        let targets: Vec<&str> = found["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|link| link["target"].as_str().unwrap())
            .collect();
        assert_eq!(targets, ["Gone", "Secret", "gardn"]);
        assert_eq!(found["items"][1]["candidates"], json!([]));
    }
}
