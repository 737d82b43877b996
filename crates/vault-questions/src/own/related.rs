//! `note:related` (`contracts.md` I27).
//!
//! A link counts 4, a file that both link to or that links to both counts 2, a tag 1, and the words up to 4. The words
//! come from the index of ranked search. The question is the note itself: the 48 weightiest of its 128 most frequent
//! words, without small words and numbers; words that no other note has do not count. The likeness of a note is its
//! score divided by the score of the note itself; below 0.15 it does not count, and with fewer than eight words it
//! counts less. `words` has the spelling of the note that was asked about, so no text of another note is in the
//! answer.

use std::collections::{BTreeMap, HashSet};

use obsidian_note::plural::count;
use vault_files::Refusal;
use vault_index::{Tags, Target};

use super::graph::Graph;
use super::prelude::*;
use super::ranked::{SimilarNotes, rounded};

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<List<RelatedNote>>("note:related", "related-notes", related).with_total();

/// One note that is related to another, with the reasons; a reason that it does not have is absent.
///
/// The score is 4 for a link to it, 4 for a link from it, 2 for each file that both link to, 2 for each file that links
/// to both, 1 for each tag that both have, and up to 4 for words that both have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RelatedNote {
    /// The note.
    pub(super) path: String,
    /// The score: a higher one means closer.
    pub(super) score: f64,
    /// Whether the note that was asked about links to it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) linked_to: bool,
    /// Whether it links to the note that was asked about.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) links_here: bool,
    /// Number of files that both link to.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) shared_links: usize,
    /// Number of files that link to both.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) shared_backlinks: usize,
    /// Number of tags that both have, casing aside.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) shared_tags: usize,
    /// Words that both have, as the note that was asked about spells them in lower case: at most five, the most telling
    /// first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) words: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(value: &usize) -> bool {
    *value == 0
}

impl AnswerItem for RelatedNote {
    /// The words are those of the note that was asked about. If that one is labelled, every answer about it counts.
    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Name(&self.path))
    }

    /// Returns the path, the score and the reasons.
    fn cells(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        match (self.linked_to, self.links_here) {
            (true, true) => reasons.push("links both ways".to_owned()),
            (true, false) => reasons.push("link to it".to_owned()),
            (false, true) => reasons.push("link from it".to_owned()),
            (false, false) => {}
        }
        for (number, what) in [
            (self.shared_links, "shared link"),
            (self.shared_backlinks, "shared backlink"),
            (self.shared_tags, "shared tag"),
        ] {
            if number > 0 {
                reasons.push(count(number, what));
            }
        }
        if !self.words.is_empty() {
            reasons.push(format!("words: {}", self.words.join(" ")));
        }
        vec![
            self.path.clone(),
            format!("{:.1}", self.score),
            reasons.join(", "),
        ]
    }

    names!(path);
}

/// The number of notes in an answer unless `limit` is given.
const LIMIT: usize = 10;
/// The maximum number of words of a row.
const WORDS: usize = 5;
/// The score for the greatest likeness of two texts: as much as a link.
const SCORE_OF_TEXT: f64 = 4.0;
/// The least likeness that counts. Nearly all notes share some words.
const LEAST_LIKENESS: f64 = 0.15;

/// Notes that are related to one by links, tags and words, the closest first; ties by path.
fn related(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
    target.must_exist(vault)?;
    let (mut graph, seen) = Graph::read::<Tags>(vault)?;
    let similar = SimilarNotes::find(vault, &target.path)?;
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
    let mut found: BTreeMap<usize, RelatedNote> = BTreeMap::new();
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
    for (path, likeness) in similar.notes() {
        // A note that was added in the meantime is in one of the two lists only.
        if likeness >= LEAST_LIKENESS
            && let Ok(id) = seen.files.binary_search(path)
        {
            found.entry(id).or_default().score = SCORE_OF_TEXT * likeness;
        }
    }
    let notes = found.into_iter().filter_map(|(id, mut note)| {
        let path = seen.files.get(id).filter(|path| path.is_note())?;
        note.path = path.to_string();
        let is_like = note.score > 0.0;
        note.score += note.score_of_graph();
        (Some(id) != here && seen.lists(id)).then_some((path, note, is_like))
    });
    let mut notes: Vec<_> = notes.collect();
    notes.sort_by(|(_, left, _), (_, right, _)| right.score.total_cmp(&left.score));
    let answer = page(notes, arguments, LIMIT, |(path, mut note, is_like)| {
        if is_like {
            note.words = similar.words_in(vault, path, WORDS);
        }
        note.score = rounded(note.score);
        note
    });
    let mut warnings = seen.warnings;
    for warning in similar.warnings {
        warning.add_new(&mut warnings);
    }
    Ok(Reply::new(answer, warnings))
}

/// Returns the tags of the files for which `wanted` is true, in lower case.
fn folded_tags(
    tags: &Tags,
    wanted: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (usize, HashSet<String>)> {
    let files = tags.iter().filter(move |(id, _)| wanted(*id));
    files.map(|(id, tags)| (id, tags.map(str::to_lowercase).collect()))
}

impl RelatedNote {
    /// Returns the part of the score for links and tags.
    fn score_of_graph(&self) -> f64 {
        let links = usize::from(self.linked_to) + usize::from(self.links_here);
        let graph = 4 * links + 2 * (self.shared_links + self.shared_backlinks) + self.shared_tags;
        f64::from(u32::try_from(graph).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, text, without};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("related_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    /// The scores without the part of the words, which is less than 1 in notes with few words.
    fn scores(found: &Value) -> Vec<(&str, f64)> {
        let items = found["items"].as_array().unwrap().iter();
        let score = items.map(|note| {
            (
                note["path"].as_str().unwrap(),
                note["score"].as_f64().unwrap().floor(),
            )
        });
        score.collect()
    }

    #[test]
    fn links_and_tags_make_the_score() {
        let (_folder, vault) = vault(&NOTES);
        let found = ask(&vault, "note:related path=a.md");
        // In order: links both ways; two files and two tags in common; a link here and a tag; a
        // link to it; a file that links to both and a tag.
        assert_eq!(
            scores(&found),
            [
                ("b.md", 8.0),
                ("c.md", 6.0),
                ("hidden/map.md", 5.0),
                ("hub.md", 4.0),
                ("d.md", 3.0)
            ]
        );
        assert_eq!(
            found["items"][2],
            json!({"path": "hidden/map.md", "score": 5.0, "linksHere": true, "sharedTags": 1})
        );
        assert_eq!(ask(&vault, "note:related path=e.md")["total"], 0);
        assert_eq!(
            ask(&vault, "note:related path=a.md total"),
            json!({"total": 5})
        );
        assert_eq!(
            text(&vault, "note:related path=a.md limit=1"),
            "b.md\t8.6\tlinks both ways, words: b\n"
        );
        fails(&vault, "note:related path=none.md");
    }

    #[test]
    fn d13_what_may_not_be_seen_relates_nothing() {
        let (_folder, vault) = vault(&NOTES);
        let (found, _) = ask_without(&vault, "hidden", "note:related path=a.md");
        assert_eq!(
            scores(&found),
            [("b.md", 8.0), ("c.md", 6.0), ("hub.md", 4.0), ("d.md", 1.0)]
        );
    }

    static SHOP: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "shop"));

    #[test]
    fn a_note_without_links_is_related_by_its_words() {
        let (_folder, vault) = vault(&SHOP);
        let found = ask(&vault, "note:related path=Orphan.md");
        assert_eq!(
            found["items"],
            json!([
                {"path": "Boat.md", "score": 3.0,
                 "words": ["oak", "masts", "red", "keel", "patches"]},
                {"path": "hidden/Yard.md", "score": 3.0,
                 "words": ["oak", "masts", "red", "keel", "patches"]},
            ])
        );
        assert_eq!(
            text(&vault, "note:related path=Orphan.md limit=1"),
            "Boat.md\t3.0\twords: oak masts red keel patches\n"
        );
    }

    #[test]
    fn d13_closed_notes_change_no_likeness() {
        let (_folder, all) = vault(&SHOP);
        let (_other, alone) = vault(&without(&SHOP, "hidden"));
        let line = "note:related path=Orphan.md";
        let expected = ask(&alone, line);
        assert_eq!(expected["total"], 1);
        assert_eq!(ask_without(&all, "hidden", line).0, expected);
    }

    #[test]
    fn a_note_that_lists_leave_out_has_related_notes_and_is_not_one() {
        let app = (".obsidian/app.json", r#"{"userIgnoreFilters":["Orphan"]}"#);
        let (_folder, vault) = vault(&[&SHOP[..], &[app]].concat());
        assert_eq!(ask(&vault, "note:related path=Orphan.md")["total"], 2);
        let found = ask(&vault, "note:related path=Boat.md").to_string();
        assert!(
            found.contains("Yard") && !found.contains("Orphan"),
            "{found}"
        );
    }
}
