//! `notes:search` (`design/questions.md`): the notes that fit a question best.

use obsidian_note::byte_order_mark;
use obsidian_note::{VaultPath, Warning};
use ranked_search::{Passage, boundary, passages, snippet};
use serde_json::{Map, Value};
use vault_files::{Args, Vault};
use vault_index::note_parts;

use super::filter::{NoteMetadata, body};
use super::note::{content, heading_or_name, text_now, titled};
use super::prelude::*;
use super::ranked::{FoundNote, RankedQuery, rounded};

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<List<NoteHit>>("notes:search", "note-hits", search).with_total();

/// A note that fits a question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteHit {
    /// The note.
    pub path: String,
    /// Its property `title`, else its first heading of level 1, else its name.
    pub title: String,
    /// The score: a higher one means a better match. Scores of different questions cannot be compared.
    pub score: f64,
    /// The line that shows why, from 1. Not with `fields=path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The heading above that line. Only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// A piece of that line. Not with `fields=path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Its metadata from its properties. Only with `fields=metadata` and `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<NoteMetadata>,
    /// All its properties. Only with `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter: Option<Map<String, Value>>,
    /// Its text below the properties. Only with `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

impl AnswerItem for NoteHit {
    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Text(&self.path))
    }

    /// Path with line, score, snippet.
    fn cells(&self) -> Vec<String> {
        let line = self
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        vec![
            format!("{}{line}", self.path),
            format!("{:.1}", self.score),
            self.snippet.clone().unwrap_or_default(),
        ]
    }
}

/// The number of notes in an answer unless `limit` is given.
const LIMIT: usize = 10;
/// The longest snippet, in bytes.
const SNIPPET_BYTES: usize = 96;

/// Returns the notes that fit the question, the best first.
pub(super) fn search(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let mut question = RankedQuery::rank(vault, (arguments, call.surroundings))?;
    let text = TextMatch::from_arguments(arguments);
    if let Some(text) = &text {
        question.take_all(vault, |path| text.is_in(vault, path))?;
    }
    let count = question.notes.len();
    if arguments.flag("total") {
        return Ok(Reply::new(total(count), question.warnings));
    }
    let offset = arguments.number("offset").unwrap_or(0);
    let limit = arguments.number("limit").unwrap_or(LIMIT);
    let page = match arguments.text("order") {
        None | Some("rank") => question.page(offset, limit),
        Some(order) => question.page_in_order(order, offset, limit),
    };
    let fields = arguments.text("fields").unwrap_or("snippet");
    let longest = arguments.number("snippet").unwrap_or(SNIPPET_BYTES);
    let mut warnings = std::mem::take(&mut question.warnings);
    let items: Vec<NoteHit> = page
        .iter()
        .filter_map(|note| {
            let hit = note_hit(&question, note, vault, text.as_ref(), (fields, longest))?;
            Some(with_more(
                hit,
                &question,
                note,
                vault,
                fields,
                &mut warnings,
            ))
        })
        .collect();
    Ok(Reply::new(List::part(items, offset, count), warnings))
}

/// Texts that a note must contain, also within words (`contracts.md` K06).
struct TextMatch(Vec<String>);

impl TextMatch {
    fn from_arguments(arguments: &Args) -> Option<Self> {
        let query = arguments.text("query")?.to_lowercase();
        match arguments.text("match")? {
            "phrase" => {
                let phrase = Some(query.trim()).filter(|phrase| !phrase.is_empty());
                Some(Self(phrase.into_iter().map(str::to_owned).collect()))
            }
            "all" => Some(Self(query.split_whitespace().map(str::to_owned).collect())),
            _ => None,
        }
    }

    /// Returns the first line of `body` with one of the texts: its index from 0, and at most `longest` bytes of it.
    fn line(&self, body: &str, longest: usize) -> Option<(usize, String)> {
        let lines = body.lines().enumerate();
        let mut found = lines.filter_map(|(number, line)| {
            let lower = line.to_lowercase();
            let at = self.0.iter().filter_map(|part| lower.find(part.as_str()));
            Some((number, line, at.min()?))
        });
        let (number, line, at) = found.next()?;
        // The line in lower case may be longer, so the offset is only near the text.
        let start = boundary(line, at.saturating_sub(longest / 2));
        let end = boundary(line, start.saturating_add(longest));
        let dots = |is_cut| if is_cut { "…" } else { "" };
        let shown = line.get(start..end).unwrap_or_default().trim();
        let (before, after) = (dots(start > 0), dots(end < line.len()));
        Some((number, format!("{before}{shown}{after}")))
    }

    /// Whether the note or its path contains every text, in any casing.
    fn is_in(&self, vault: &Vault, path: &VaultPath) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let text = text_now(vault, path).unwrap_or_default();
        let text = format!("{path}\n{text}").to_lowercase();
        self.0.iter().all(|part| text.contains(part.as_str()))
    }
}

/// Adds what `fields` asks for to the hit.
fn with_more(
    mut hit: NoteHit,
    wanted: &RankedQuery,
    note: &FoundNote,
    vault: &Vault,
    fields: &str,
    warnings: &mut Vec<Warning>,
) -> NoteHit {
    if !matches!(fields, "metadata" | "full") {
        return hit;
    }
    let Some(listed) = wanted.listed(note) else {
        return hit;
    };
    hit.metadata = Some(listed.metadata());
    if fields == "full" {
        hit.body = body(vault, listed.path, warnings);
        hit.frontmatter = Some(listed.properties);
    }
    hit
}

fn note_hit(
    wanted: &RankedQuery,
    note: &FoundNote,
    vault: &Vault,
    text_match: Option<&TextMatch>,
    (fields, longest): (&str, usize),
) -> Option<NoteHit> {
    let path = wanted.path(note)?;
    let known = wanted
        .listed(note)
        .and_then(|listed| titled(&listed.properties));
    // With `fields=path`, a note with a title need not be read.
    let is_read = fields != "path" || known.is_none();
    let bytes = is_read.then(|| content(vault, path)).flatten();
    let mut hit = NoteHit {
        path: path.to_string(),
        title: known.unwrap_or_else(|| {
            let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default());
            heading_or_name(path, byte_order_mark::strip(&text))
        }),
        score: rounded(note.ranked.score),
        line: (fields != "path").then_some(1),
        heading: None,
        snippet: (fields != "path").then(String::new),
        metadata: None,
        frontmatter: None,
        body: None,
    };
    if fields == "path" {
        return Some(hit);
    }
    let Some(bytes) = bytes else {
        return Some(hit);
    };
    let parts = note_parts(&bytes);
    let body = parts.body();
    let passages = passages(body);
    if note.ranked.passages().is_empty()
        && let Some((line, shown)) = text_match.and_then(|text| text.line(body, longest))
    {
        let above = |passage: &&Passage| passage.first_line <= line;
        let heading = passages.iter().rev().find(above).and_then(Passage::heading);
        hit.heading = heading.map(str::to_owned);
        hit.line = Some(parts.lines_before_body() + line + 1);
        hit.snippet = Some(shown);
        return Some(hit);
    }
    let best = note.ranked.passages().first().map_or(0, |best| best.number);
    // The note may have changed since it was ranked; then its beginning is shown.
    let Some(passage) = passages.get(best).or_else(|| passages.first()) else {
        return Some(hit);
    };
    hit.heading = passage.heading().map(str::to_owned);
    hit.line = Some(parts.lines_before_body() + passage.first_line + 1);
    let text = passage.body(body);
    let start = passage.span.end - text.len();
    if let Some(found) = snippet(&wanted.query, &wanted.weights, body, text, longest) {
        let before = body.get(..start + found.span.start).unwrap_or_default();
        hit.line = Some(parts.lines_before_body() + before.matches('\n').count() + 1);
        let dots = |is_cut| if is_cut { "…" } else { "" };
        let shown = text.get(found.span.clone()).unwrap_or_default();
        hit.snippet = Some(format!(
            "{}{}{}",
            dots(found.is_cut_before),
            shown.split_whitespace().collect::<Vec<_>>().join(" "),
            dots(found.is_cut_after)
        ));
    }
    Some(hit)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::{Value, json};
    use vault_files::vault::testing::vault;
    use vault_index::{Followed, IndexedVault};

    use crate::own::testing::{ask, ask_without, fails, reply_without, text, without};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("notes_search_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    fn paths(found: &Value) -> Vec<&str> {
        let items = found["items"].as_array().unwrap().iter();
        items.map(|item| item["path"].as_str().unwrap()).collect()
    }

    #[test]
    fn the_best_notes_are_listed_with_a_line_of_each() {
        let (_folder, vault) = vault(&NOTES);
        let found = ask(&vault, "notes:search query=kneading_of_flour");
        assert_eq!(found["total"], 1);
        let hit = &found["items"][0];
        assert_eq!(
            (&hit["path"], &hit["line"], &hit["heading"], &hit["snippet"]),
            (
                &json!("Bread.md"),
                &json!(7),
                &json!("Dough"),
                &json!("Flour, water and salt are kneaded.")
            )
        );
        // Only callers that have seen the whole note get its hash (`threats.toml` F15).
        assert_eq!(hit.get("sha256"), None);
        let lines = text(&vault, "notes:search query=leaves");
        assert!(lines.starts_with("Kitchen/Tea.md:1\t"), "{lines}");
        assert!(lines.ends_with("\tLeaves in hot water.\n"), "{lines}");
    }

    #[test]
    fn an_answer_that_has_only_parts_of_the_words_says_so() {
        let (_folder, vault) = vault(&NOTES);
        for (query, expected) in [
            ("saltwater", vec!["FOUND_BY_PARTS"]),
            ("saltwater_flour", vec![]),
            ("salt", vec![]),
            ("zebra", vec![]),
        ] {
            let reply = reply_without(&vault, "none", &format!("notes:search query={query}"));
            let codes: Vec<_> = reply
                .warnings
                .iter()
                .map(obsidian_note::Warning::code)
                .collect();
            assert_eq!(codes, expected, "{query}");
        }
    }

    #[test]
    fn a_title_comes_first_and_equal_notes_by_links() {
        let (_folder, vault) = vault(&NOTES);
        let found = ask(&vault, "notes:search query=water");
        assert_eq!(paths(&found)[0], "Kitchen/Water.md");
        let (_folder, vault) = vault_of_twins();
        let found = ask(&vault, "notes:search query=same_words");
        assert_eq!(paths(&found), ["c.md", "b.md", "a.md"]);
    }

    fn vault_of_twins() -> (tempfile::TempDir, vault_files::Vault) {
        let twin = "The same words.";
        vault(&[
            ("a.md", twin),
            ("b.md", twin),
            ("c.md", twin),
            ("x.md", "[[c]] [[b]]"),
            ("y.md", "[[c]]"),
        ])
    }

    #[test]
    fn filters_choose_among_the_hits_and_change_no_score() {
        let (_folder, vault) = vault(&NOTES);
        let all = ask(&vault, "notes:search query=water_salt");
        assert_eq!(all["total"], 4);
        let below = ask(&vault, "notes:search query=water_salt folder=Kitchen");
        assert_eq!(paths(&below).len(), 2);
        let score = |found: &Value, path: &str| {
            let items = found["items"].as_array().unwrap().iter();
            let score = |item: &Value| (item["path"] == path).then(|| item["score"].clone());
            items.into_iter().find_map(score)
        };
        assert_eq!(
            score(&below, "Kitchen/Tea.md"),
            score(&all, "Kitchen/Tea.md")
        );
        for (filters, expected) in
            tables::typed::<(&str, usize)>(CASES, "filters choose among the hits and change")
        {
            let found = ask(
                &vault,
                &format!("notes:search query=water_salt total {filters}"),
            );
            assert_eq!(found, json!({"total": expected}), "{filters}");
        }
        let page = ask(&vault, "notes:search query=water_salt limit=1 offset=1");
        assert_eq!(paths(&page), [paths(&all)[1]]);
        assert_eq!(page["total"], 4);
        fails(&vault, "notes:search");
    }

    #[test]
    fn an_empty_question_finds_nothing() {
        let (_folder, vault) = vault(&NOTES);
        for line in ["notes:search query=", "notes:search query=_"] {
            let found = ask(&vault, line);
            assert_eq!((&found["total"], &found["items"]), (&json!(0), &json!([])));
            let matched = ask(&vault, &format!("{line} match=phrase"));
            assert_eq!(matched["total"], 0, "{line}");
        }
    }

    #[test]
    fn a_text_is_found_within_words_and_in_paths() {
        let (_folder, vault) = vault(&NOTES);
        let found = ask(&vault, "notes:search query=NEADE match=phrase order=path");
        assert_eq!(paths(&found), ["Bread.md"]);
        assert_eq!(
            (&found["items"][0]["line"], &found["items"][0]["snippet"]),
            (&json!(7), &json!("Flour, water and salt are kneaded."))
        );
        let found = ask(&vault, "notes:search query=itchen match=phrase order=path");
        assert_eq!(
            paths(&found),
            ["Bread.md", "Kitchen/Tea.md", "Kitchen/Water.md"]
        );
        let found = ask(&vault, "notes:search query=eave_ot match=all");
        assert_eq!(paths(&found), ["Kitchen/Tea.md"]);
        let found = ask(&vault, "notes:search query=eave match=phrase folder=hidden");
        assert_eq!(found["total"], 0);
        let (found, _) = ask_without(&vault, "hidden", "notes:search query=alt match=phrase");
        assert_eq!(found["total"], 2);
    }

    #[test]
    fn a_title_is_the_property_or_the_first_heading_or_the_name() {
        let (_folder, vault) = vault(&[
            ("a.md", "---\ntitle: By property\n---\n# Heading\nwords"),
            ("b.md", "## Second\nwords\n# First\n"),
            ("c.md", "```\n# code\n```\nwords"),
        ]);
        for fields in ["path", "snippet"] {
            let line = format!("notes:search query=words order=path fields={fields}");
            let found = ask(&vault, &line);
            let titles: Vec<&Value> = found["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| &item["title"])
                .collect();
            assert_eq!(titles, ["By property", "First", "c"]);
        }
    }

    #[test]
    fn more_of_each_note_is_shown_on_request() {
        let (_folder, vault) = vault(&NOTES);
        let line = "notes:search query=water_salt";
        let full = ask(&vault, &format!("{line} fields=full order=date limit=1"));
        let hit = &full["items"][0];
        assert_eq!(hit["path"], "Bread.md");
        assert_eq!(hit["metadata"]["tags"], json!(["#kitchen"]));
        assert_eq!(hit["frontmatter"]["date"], "2026-03-01");
        assert!(hit["body"].as_str().unwrap().contains("kneaded"));
        let bare = ask(&vault, &format!("{line} fields=path order=path"));
        assert_eq!(paths(&bare)[0], "Bread.md");
        assert_eq!(
            (
                bare["items"][0].get("snippet"),
                bare["items"][0].get("line")
            ),
            (None, None)
        );
        let lines = text(&vault, &format!("{line} fields=path order=path limit=1"));
        assert!(lines.starts_with("Bread.md\t"), "{lines}");
        let short = ask(&vault, "notes:search query=flour snippet=20");
        assert!(short["items"][0]["snippet"].as_str().unwrap().len() < 40);
        assert_eq!(ask(&vault, &format!("{line} project=x total"))["total"], 0);
        assert_eq!(
            ask(&vault, &format!("{line} match=phrase total"))["total"],
            0
        );
        assert_eq!(
            ask(
                &vault,
                "notes:search query=Water_and_salt match=phrase total"
            )["total"],
            1
        );
        assert_eq!(
            ask(&vault, "notes:search query=water_salt match=all total")["total"],
            3
        );
    }

    #[test]
    fn what_the_user_excluded_is_not_found() {
        let files = [
            &NOTES[..],
            &[(
                ".obsidian/app.json",
                r#"{"userIgnoreFilters":["Kitchen/"]}"#,
            )],
        ]
        .concat();
        let (_folder, vault) = vault(&files);
        assert_eq!(ask(&vault, "notes:search query=leaves")["total"], 0);
    }

    #[test]
    fn a_followed_vault_answers_with_every_edit() {
        let (_folder, vault) = vault(&NOTES);
        let vault = IndexedVault(&vault).with_followed(Arc::new(Followed::new().unwatched()));
        assert_eq!(ask(&vault, "notes:search query=leaves")["total"], 1);
        fs_err::write(vault.root().join("Bread.md"), "New leaves.").unwrap();
        fs_err::remove_file(vault.root().join("Kitchen/Tea.md")).unwrap();
        let found = ask(&vault, "notes:search query=leaves");
        assert_eq!(paths(&found), ["Bread.md"]);
        assert_eq!(ask(&vault, "notes:search query=kneaded")["total"], 0);
    }

    #[test]
    fn ten_hits_take_at_most_1600_bytes() {
        let body = "A long line about apples in the garden and what they are good for, \
                    which goes on and on until it is much longer than a snippet may be.\n";
        let notes: Vec<(String, String)> = (0..20)
            .map(|number| {
                (
                    format!("A folder/Note about fruit {number}.md"),
                    body.repeat(number),
                )
            })
            .collect();
        let notes: Vec<(&str, &str)> = notes
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let (_folder, vault) = vault(&notes);
        let lines = text(&vault, "notes:search query=apples_in_the_garden");
        assert_eq!(lines.lines().count(), 10);
        assert!(lines.len() <= 1600, "{}", lines.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// `design/path-rules.md`: the answer is byte for byte the same as from a vault without the closed
        /// notes.
        #[test]
        fn d13_closed_notes_change_no_answer(
            texts in prop::collection::vec(
                prop::collection::vec(
                    prop::sample::select(vec![
                        "apple", "pears", "the", "[[a1]]", "[[c0]]", "笔记", "\n\n# Garden\n", "#tag", "garden",
                    ]),
                    0..60,
                ),
                2..10,
            ),
            query in prop::sample::select(vec!["apple", "garden_pear", "笔记", "a1", "closed_apple"]),
        ) {
            let named = texts.iter().enumerate().map(|(number, words)| {
                let folder = if number % 2 == 0 { "a" } else { "closed/c" };
                (format!("{folder}{number}.md"), words.join(" "))
            });
            let named: Vec<(String, String)> = named.collect();
            let files: Vec<(&str, &str)> =
                named.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            let (_folder, all) = vault(&files);
            let (_other, alone) = vault(&without(&files, "closed"));
            for command in ["notes:search", "notes:context"] {
                let line = format!("{command} query={query}");
                let expected = ask(&alone, &line).to_string();
                let kept = IndexedVault(&all.clone()).with_followed(Arc::new(Followed::new().unwatched()));
                for vault in [&all, &kept, &kept] {
                    let (found, warnings) = ask_without(vault, "closed", &line);
                    prop_assert_eq!(&found.to_string(), &expected);
                    prop_assert!(warnings.is_empty());
                    // An unlimited caller, who sees the closed notes, fills the cache in between.
                    drop(ask(vault, &line));
                }
            }
            drop(reply_without(&all, "", &format!("notes:search query={query}")));
        }
    }
}
