//! `links:broken` (`contracts.md` I17, I25).

use std::num::NonZeroUsize;
use std::sync::Arc;

use obsidian_note::{AnchorKind, VaultPath};
use vault_index::anchors::{self, DeadAnchor};
use vault_index::{AnchorLinks, IndexedVault, Links, Pair, Properties, Seen};

use super::doubtful::{DoubtfulLink, doubtful_links};
use super::graph::{Graph, Nowhere};
use super::likeness::{Candidate, Likeness, Names, names};
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<List<BrokenLink>>("links:broken", "broken-links", broken).with_total();

/// One link text that leads nowhere, or to a note without the heading or block that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BrokenLink {
    /// The target as written; without its `#…` if no file has the name.
    pub(super) target: String,
    /// The missing part of what the link names. Not for an ambiguous link, which leads to a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<MissingPart>,
    /// The note that does not have the heading or block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// Whether it leads to a file, but may mean others too: `candidates` are these files. Only with
    /// `ambiguous`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) ambiguous: bool,
    /// Number of its uses.
    pub(super) count: usize,
    /// The files that use it: at most 5, or all with `limit=1`.
    pub(super) sources: Vec<LinkSource>,
    /// Number of further files that use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) more_sources: Option<NonZeroUsize>,
    /// Files, headings or blocks that may be meant; at most 5, the likeliest first.
    pub(super) candidates: Vec<Candidate>,
}

/// The missing part of what a link names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum MissingPart {
    /// No file has the name.
    Note,
    /// The note exists, but not the heading.
    Heading,
    /// The note exists, but not the block.
    Block,
}

impl From<AnchorKind> for MissingPart {
    fn from(kind: AnchorKind) -> Self {
        match kind {
            AnchorKind::Heading => Self::Heading,
            AnchorKind::Block => Self::Block,
        }
    }
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
        let mut sources = sources.join(", ");
        if let Some(more) = self.more_sources {
            sources += &format!(" and {more} more");
        }
        let candidates = self.candidates.iter().map(|candidate| {
            let why = match candidate.why {
                Likeness::Name | Likeness::Spelling | Likeness::Similar => "",
                Likeness::Alias => " (alias)",
            };
            format!("{candidate}{why}")
        });
        let candidates: Vec<String> = candidates.collect();
        let meant = if candidates.is_empty() {
            String::new()
        } else if self.ambiguous {
            format!("may mean {}", candidates.join(", "))
        } else {
            format!("did you mean {}?", candidates.join(", "))
        };
        vec![self.target.clone(), self.count.to_string(), sources, meant]
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.target);
        let sources = self.sources.iter_mut().map(|source| &mut source.path);
        sources
            .chain(&mut self.note)
            .chain(self.candidates.iter_mut().map(|near| &mut near.path))
            .for_each(visit);
    }
}

/// The number of links in an answer unless `limit` is given.
const LIMIT: usize = 100;
/// The maximum number of listed files with a link, unless the answer is about one link. A few files show how the link
/// is used, and the most used links are in dozens of files.
const MOST_SOURCES: usize = 5;
/// The maximum number of headings or blocks that a link may mean.
const MOST_CANDIDATES: usize = 5;
type BrokenFacts = Pair<Properties, AnchorLinks>;

/// A link of the answer, before its candidates are looked up.
enum Broken {
    Nowhere(Nowhere),
    Dead(DeadAnchor),
    Doubtful(DoubtfulLink),
}

/// Unresolved links, the most used first, then links to headings and blocks that their note does not have, each with
/// its candidates. With `ambiguous`, links that may mean several files follow, by the same rule as in `vault:audit`.
pub(super) fn broken(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let (graph, seen, links) = if arguments.flag("ambiguous") {
        let (graph, whole) = Graph::read::<Pair<BrokenFacts, Links>>(vault)?;
        let Pair(facts, links) = whole.column.as_ref();
        let seen = whole.with(Arc::clone(facts));
        (graph, seen, Some(Arc::clone(links)))
    } else {
        let (graph, seen) = Graph::read::<BrokenFacts>(vault)?;
        (graph, seen, None)
    };
    let Pair(properties, anchors) = seen.column.as_ref();
    let count = |link: &Nowhere| std::cmp::Reverse(link.count());
    let mut broken = graph.nowhere;
    broken.sort_by_key(count);
    let mut all: Vec<Broken> = broken.into_iter().map(Broken::Nowhere).collect();
    let mut dead = anchors::dead(vault, anchors, &seen.files, |source| seen.lists(source))?;
    let uses = |dead: &DeadAnchor| dead.uses.iter().map(|(_, count)| count).sum::<usize>();
    dead.sort_by_key(|dead| std::cmp::Reverse(uses(dead)));
    all.extend(dead.into_iter().map(Broken::Dead));
    if let Some(links) = links {
        let (index, _) = IndexedVault(vault).link_index()?;
        let mut doubtful = doubtful_links(&links, &seen, &index);
        doubtful.sort_by_key(|link| count(&link.link));
        all.extend(doubtful.into_iter().map(Broken::Doubtful));
    }
    let seen = seen.with(Arc::clone(properties));
    let names = names(&seen);
    let most = if arguments.number("limit") == Some(1) {
        usize::MAX
    } else {
        MOST_SOURCES
    };
    let answer = page(all, arguments, LIMIT, |link| {
        broken_link(link, (&seen, most), &names)
    });
    Ok(Reply::new(answer, seen.warnings))
}

fn broken_link(
    link: Broken,
    (seen, most): (&Seen<Properties>, usize),
    names: &Names<'_>,
) -> BrokenLink {
    let path = |file: usize| seen.files.get(file);
    let of_link = |link: Nowhere, missing, candidates| BrokenLink {
        missing,
        note: None,
        ambiguous: missing.is_none(),
        count: link.count(),
        sources: sources(link.uses.iter().take(most), &seen.files),
        more_sources: NonZeroUsize::new(link.uses.len().saturating_sub(most)),
        target: link.linkpath,
        candidates,
    };
    match link {
        Broken::Nowhere(link) => {
            let candidates = names.like(&link.linkpath);
            of_link(link, Some(MissingPart::Note), candidates)
        }
        Broken::Doubtful(DoubtfulLink { link, files, .. }) => {
            let candidates = files.into_iter().map(Candidate::named).collect();
            of_link(link, None, candidates)
        }
        Broken::Dead(dead) => {
            let note = path(dead.note);
            let similar = dead.similar.iter().take(MOST_CANDIDATES);
            let candidates = similar.filter_map(|near| Some(Candidate::of_place(note?, near)));
            let link = Nowhere {
                linkpath: dead.target,
                uses: dead.uses,
            };
            BrokenLink {
                note: note.map(ToString::to_string),
                ..of_link(link, Some(dead.kind.into()), candidates.collect())
            }
        }
    }
}

fn sources<'uses>(
    uses: impl Iterator<Item = &'uses (usize, usize)>,
    files: &[VaultPath],
) -> Vec<LinkSource> {
    let sources = uses.filter_map(|(source, count)| {
        Some(LinkSource {
            path: files.get(*source)?.to_string(),
            count: *count,
        })
    });
    sources.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, text};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("broken_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    #[test]
    fn links_that_lead_nowhere_with_what_may_be_meant() {
        let (_folder, vault) = vault(&NOTES);
        let found = ask(&vault, "links:broken");
        assert_eq!(
            found,
            json!({"total": 3, "returned": 3, "offset": 0, "truncated": false, "items": [
                {"target": "Gone", "missing": "note", "count": 3,
                 "sources": [{"path": "a.md", "count": 2}, {"path": "b.md", "count": 1}],
                 "candidates": [{"path": "Garden.md", "why": "alias"}]},
                {"target": "Nope", "missing": "note", "count": 1, "sources": [{"path": "hidden/Secret.md", "count": 1}], "candidates": []},
                {"target": "gardn", "missing": "note", "count": 1, "sources": [{"path": "a.md", "count": 1}],
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
    fn of_many_files_with_a_link_a_few_are_listed() {
        let names: Vec<String> = (1..=7).map(|number| format!("{number}.md")).collect();
        let mut notes: Vec<(&str, &str)> = names
            .iter()
            .map(|name| (name.as_str(), "[[Gone]]"))
            .collect();
        notes.push(("8.md", "[[Else]]"));
        let (_folder, vault) = vault(&notes);
        let found = ask(&vault, "links:broken");
        let item = &found["items"][0];
        assert_eq!(
            (&item["count"], &item["moreSources"]),
            (&json!(7), &json!(2))
        );
        assert_eq!(item["sources"].as_array().unwrap().len(), 5);
        assert_eq!(found["items"][1].get("moreSources"), None);
        assert_eq!(
            text(&vault, "links:broken"),
            "Gone\t7\t1.md, 2.md, 3.md, 4.md, 5.md and 2 more\nElse\t1\t8.md\n"
        );
        let one = ask(&vault, "links:broken limit=1");
        assert_eq!(one["items"][0]["sources"].as_array().unwrap().len(), 7);
        assert_eq!(one["items"][0].get("moreSources"), None);
    }

    #[test]
    fn ambiguous_links_are_reported_on_request() {
        let (_folder, vault) = vault(&[
            ("a.md", "[[Log]] [[Log#x]] [[Nope]]"),
            ("b.md", "[[x/Log]] [[Log]]"),
            ("x/Log.md", "# X"),
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
    fn a_link_to_a_missing_heading_or_block_says_which_and_what_is_near() {
        let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(
            CASES,
            "a link to a missing heading or block",
        ));
        let found = ask(&vault, "links:broken");
        assert_eq!(
            found["items"],
            json!([
                {"target": "none", "missing": "note", "count": 1, "sources": [{"path": "a.md", "count": 1}], "candidates": []},
                {"target": "o#^b2", "missing": "block", "note": "o.md", "count": 2, "sources": [{"path": "b.md", "count": 2}],
                 "candidates": []},
                {"target": "#Missing", "missing": "heading", "note": "a.md", "count": 1, "sources": [{"path": "a.md", "count": 1}], "candidates": []},
                {"target": "o#seedlist", "missing": "heading", "note": "o.md", "count": 1, "sources": [{"path": "a.md", "count": 1}],
                 "candidates": [{"path": "o.md", "place": "Seed list", "why": "name"}]},
                {"target": "o.md#Seed lists", "missing": "heading", "note": "o.md", "count": 1, "sources": [{"path": "b.md", "count": 1}],
                 "candidates": [{"path": "o.md", "place": "Seed list", "why": "similar"}]},
            ])
        );
        assert_eq!(ask(&vault, "links:broken total"), json!({"total": 5}));
        assert!(
            text(&vault, "links:broken")
                .contains("o#seedlist\t1\ta.md\tdid you mean o.md#Seed list?\n")
        );
        let (found, _) = ask_without(&vault, "o.md", "links:broken");
        assert_eq!(found["items"][0]["target"], "o");
        assert_eq!(found["items"][0]["missing"], "note");
        assert_eq!(found["total"], 3, "{found:#}");
    }

    #[test]
    fn d13_a_link_to_what_may_not_be_seen_leads_nowhere() {
        let (_folder, vault) = vault(&NOTES);
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
