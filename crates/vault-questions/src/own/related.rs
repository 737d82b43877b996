//! `note:related` (`contracts.md` I27).

use std::collections::{BTreeMap, HashSet};
use std::convert::identity;

use cli_output::{AnswerItem, AppError, List, NameVisitor, OwnForm};
use schemars::JsonSchema;
use serde::Serialize;
use vault_files::page::page;
use vault_files::{Call, EngineError};
use vault_index::{Tags, Target};

use super::command::OwnCommand;
use super::graph::Graph;
use crate::reply::Reply;

pub(super) static COMMAND: OwnCommand = OwnCommand::new(
    "note:related",
    related,
    OwnForm::new::<List<RelatedNote>>("related-notes").with_total(),
);

/// One note that is related to another.
///
/// The score is 4 for a link to it, 4 for a link from it, 2 for each file that both link to, 2 for
/// each file that links to both, and 1 for each tag that both have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RelatedNote {
    /// The note.
    pub(super) path: String,
    /// The score: a higher one means closer.
    pub(super) score: usize,
    /// Whether the note that was asked about links to it.
    pub(super) linked_to: bool,
    /// Whether it links to the note that was asked about.
    pub(super) links_here: bool,
    /// Files that both link to.
    pub(super) shared_links: usize,
    /// Files that link to both.
    pub(super) shared_backlinks: usize,
    /// Tags that both have, casing aside.
    pub(super) shared_tags: usize,
}

impl AnswerItem for RelatedNote {
    /// Returns the path and the score.
    fn cells(&self) -> Vec<String> {
        vec![self.path.clone(), self.score.to_string()]
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.path);
    }
}

/// The number of notes in an answer unless `limit` is given.
const LIMIT: usize = 10;

/// Notes that are related to one by links and tags, the closest first; ties by path.
///
/// The score is 4 for a link to it, 4 for a link from it, 2 for each file that both link to, 2 for
/// each file that links to both, and 1 for each tag that both have.
pub(super) fn related(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let target = Target::note(vault, arguments, AppError::NotMarkdown)?;
    target.must_exist(vault)?;
    let (mut graph, seen) = Graph::read::<Tags>(vault)?;
    // The file may have been removed after the look-up; then nothing is related to it.
    let here = seen.files.binary_search(&target.path).ok();
    graph.edges.retain(|edge| edge.source != edge.destination);
    let mut out = HashSet::new();
    let mut back = HashSet::new();
    for edge in &graph.edges {
        if Some(edge.source) == here {
            out.insert(edge.destination);
        }
        if Some(edge.destination) == here {
            back.insert(edge.source);
        }
    }
    let mut found: BTreeMap<usize, Closeness> = BTreeMap::new();
    for id in &out {
        found.entry(*id).or_default().linked_to = true;
    }
    for id in &back {
        found.entry(*id).or_default().links_here = true;
    }
    for edge in &graph.edges {
        if out.contains(&edge.destination) {
            found.entry(edge.source).or_default().shared_links += 1;
        }
        if back.contains(&edge.source) {
            found.entry(edge.destination).or_default().shared_backlinks += 1;
        }
    }
    let tags_here: HashSet<String> = folded_tags(&seen.column, |id| Some(id) == here)
        .flat_map(|(_, tags)| tags)
        .collect();
    if !tags_here.is_empty() {
        for (id, tags) in folded_tags(&seen.column, |_| true) {
            let shared = tags.intersection(&tags_here).count();
            if shared > 0 {
                found.entry(id).or_default().shared_tags = shared;
            }
        }
    }
    let notes = found
        .into_iter()
        .filter(|(id, _)| Some(*id) != here && seen.lists(*id));
    let mut notes: Vec<RelatedNote> = notes
        .filter_map(|(id, closeness)| {
            Some(closeness.into_related_note(seen.files.get(id).filter(|path| path.is_note())?))
        })
        .collect();
    notes.sort_by_key(|note| std::cmp::Reverse(note.score));
    let answer = page(notes, arguments, LIMIT, identity);
    Ok(Reply::new(answer, seen.warnings))
}

/// Returns the tags of the files for which `wanted` is true, in lower case.
fn folded_tags(
    tags: &Tags,
    wanted: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (usize, HashSet<String>)> {
    let files = tags.iter().filter(move |(id, _)| wanted(*id));
    files.map(|(id, tags)| (id, tags.map(str::to_lowercase).collect()))
}

#[derive(Default)]
struct Closeness {
    linked_to: bool,
    links_here: bool,
    shared_links: usize,
    shared_backlinks: usize,
    shared_tags: usize,
}

impl Closeness {
    fn into_related_note(self, path: &obsidian_note::VaultPath) -> RelatedNote {
        let Self {
            linked_to,
            links_here,
            shared_links,
            shared_backlinks,
            shared_tags,
        } = self;
        let links = usize::from(linked_to) + usize::from(links_here);
        RelatedNote {
            path: path.to_string(),
            score: 4 * links + 2 * (shared_links + shared_backlinks) + shared_tags,
            linked_to,
            links_here,
            shared_links,
            shared_backlinks,
            shared_tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, text};

    const NOTES: &[(&str, &str)] = &[
        (
            "a.md",
            "---\ntags: [One, two]\n---\n[[b]] [[hub]] [[pic.png]] [[b]] [[a]]",
        ),
        ("b.md", "[[a]]"),
        ("c.md", "#one #TWO [[hub]] [[pic.png]]"),
        ("d.md", "#one"),
        ("e.md", "nothing"),
        ("hidden/map.md", "[[a]] [[d]] #two"),
        ("hub.md", ""),
        ("pic.png", ""),
    ];

    fn scores(found: &Value) -> Vec<(&str, u64)> {
        let items = found["items"].as_array().unwrap().iter();
        let score = items.map(|note| {
            (
                note["path"].as_str().unwrap(),
                note["score"].as_u64().unwrap(),
            )
        });
        score.collect()
    }

    #[test]
    fn links_and_tags_make_the_score() {
        let (_folder, vault) = vault(NOTES);
        let found = ask(&vault, "note:related path=a.md");
        // In order: links both ways; two files and two tags in common; a link here and a tag; a
        // link to it; a file that links to both and a tag.
        assert_eq!(
            scores(&found),
            [
                ("b.md", 8),
                ("c.md", 6),
                ("hidden/map.md", 5),
                ("hub.md", 4),
                ("d.md", 3)
            ]
        );
        assert_eq!(
            found["items"][2],
            json!({"path": "hidden/map.md", "score": 5, "linkedTo": false, "linksHere": true,
                   "sharedLinks": 0, "sharedBacklinks": 0, "sharedTags": 1})
        );
        assert_eq!(ask(&vault, "note:related path=e.md")["total"], 0);
        assert_eq!(
            ask(&vault, "note:related path=a.md total"),
            json!({"total": 5})
        );
        assert_eq!(text(&vault, "note:related path=a.md limit=1"), "b.md\t8\n");
        fails(&vault, "note:related path=none.md");
    }

    #[test]
    fn d13_what_may_not_be_seen_relates_nothing() {
        let (_folder, vault) = vault(NOTES);
        let (found, _) = ask_without(&vault, "hidden", "note:related path=a.md");
        assert_eq!(
            scores(&found),
            [("b.md", 8), ("c.md", 6), ("hub.md", 4), ("d.md", 1)]
        );
    }
}
