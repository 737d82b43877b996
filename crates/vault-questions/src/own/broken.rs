//! `links:broken` (`contracts.md` I17, I25).

use std::sync::Arc;

use cli_output::{AnswerItem, List, NameVisitor, OwnForm};
use schemars::JsonSchema;
use serde::Serialize;
use vault_files::page::page;
use vault_files::{Call, EngineError};
use vault_index::{IndexedVault, Links, Pair, Properties, Seen};

use super::command::OwnCommand;
use super::doubtful::doubtful_links;
use super::graph::{Graph, Nowhere};
use super::likeness::{Candidate, Likeness, Names, names};
use crate::reply::Reply;

pub(super) static COMMAND: OwnCommand = OwnCommand::new(
    "links:broken",
    broken,
    OwnForm::new::<List<BrokenLink>>("broken-links").with_total(),
);

/// One link text that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BrokenLink {
    /// The text before `#`, as written.
    pub(super) target: String,
    /// Whether it leads to a file, but may mean others too: `candidates` are these files. Only with
    /// `ambiguous`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) ambiguous: bool,
    /// Number of its uses.
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
    /// Number of its links with this text.
    pub(super) count: usize,
}

impl AnswerItem for BrokenLink {
    /// Returns the text, how often it is used, the files with it, and the candidates.
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
        } else if self.ambiguous {
            format!("may mean {}", candidates.join(", "))
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

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.target);
        let sources = self.sources.iter_mut().map(|source| &mut source.path);
        sources
            .chain(self.candidates.iter_mut().map(|near| &mut near.path))
            .for_each(visit);
    }
}

/// The number of links in an answer unless `limit` is given.
const LIMIT: usize = 100;

/// Unresolved links, the most used first, each with its candidates. With `ambiguous`, links that
/// may mean several files follow, by the same rule as in `vault:audit`.
pub(super) fn broken(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let (graph, seen, links) = if arguments.flag("ambiguous") {
        let (graph, whole) = Graph::read::<Pair<Properties, Links>>(vault)?;
        let Pair(properties, links) = whole.column.as_ref();
        let seen = whole.with(Arc::clone(properties));
        (graph, seen, Some(Arc::clone(links)))
    } else {
        let (graph, seen) = Graph::read::<Properties>(vault)?;
        (graph, seen, None)
    };
    let count = |link: &Nowhere| std::cmp::Reverse(link.count());
    let mut broken = graph.nowhere;
    broken.sort_by_key(count);
    let mut all: Vec<(Nowhere, Option<Vec<String>>)> =
        broken.into_iter().map(|link| (link, None)).collect();
    if let Some(links) = links {
        let (index, _) = IndexedVault(vault).link_index()?;
        let mut doubtful = doubtful_links(&links, &seen, &index);
        doubtful.sort_by_key(|link| count(&link.link));
        all.extend(
            doubtful
                .into_iter()
                .map(|doubt| (doubt.link, Some(doubt.files))),
        );
    }
    let names = names(&seen);
    let answer = page(all, arguments, LIMIT, |(link, files)| {
        broken_link(&link, files, &seen, &names)
    });
    Ok(Reply::new(answer, seen.warnings))
}

fn broken_link(
    link: &Nowhere,
    files: Option<Vec<String>>,
    seen: &Seen<Properties>,
    names: &Names<'_>,
) -> BrokenLink {
    let sources = link.uses.iter().filter_map(|(source, count)| {
        Some(LinkSource {
            path: seen.files.get(*source)?.to_string(),
            count: *count,
        })
    });
    BrokenLink {
        target: link.linkpath.clone(),
        ambiguous: files.is_some(),
        count: link.count(),
        sources: sources.collect(),
        candidates: match files {
            Some(files) => files.into_iter().map(Candidate::named).collect(),
            None => names.like(&link.linkpath),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, text};

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
    fn ambiguous_links_are_reported_on_request() {
        let (_folder, vault) = vault(&[
            ("a.md", "[[Log]] [[Log#x]] [[Nope]]"),
            ("b.md", "[[x/Log]] [[Log]]"),
            ("x/Log.md", ""),
            ("y/z/log.md", ""),
        ]);
        let found = ask(&vault, "links:broken ambiguous");
        assert_eq!(found["total"], 2);
        assert_eq!(found["items"][0]["target"], "Nope");
        assert_eq!(found["items"][0].get("ambiguous"), None);
        assert_eq!(
            found["items"][1],
            json!({
                "target": "Log", "ambiguous": true, "count": 3,
                "sources": [{"path": "a.md", "count": 2}, {"path": "b.md", "count": 1}],
                "candidates": [
                    {"path": "x/Log.md", "why": "name"}, {"path": "y/z/log.md", "why": "name"},
                ],
            })
        );
        assert_eq!(ask(&vault, "links:broken total"), json!({"total": 1}));
        let lines = text(&vault, "links:broken ambiguous");
        assert!(
            lines.ends_with("\tmay mean x/Log.md, y/z/log.md\n"),
            "{lines}"
        );
        let (found, _) = ask_without(&vault, "y", "links:broken ambiguous");
        assert_eq!(found["total"], 1, "{found:#}");
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
