use std::time::{Duration, Instant};

use obsidian_note::CancellationToken;
use proptest::prelude::*;

use super::super::certainty::Certainty;
use super::super::from_text::FromText;
use super::super::query::Query;
use super::super::testing::ByLine;
use super::*;

const CASES: &str = include_str!("cases.txt");

const NOTE: &str = include_str!("note.md");

const PATH: &str = "Projects/Boat log.md";

fn document() -> Document<'static> {
    Document::new(PATH, NOTE, &FromText)
}

/// Whether the note matches; also checks that the prefilter agrees.
fn matches(query: &str) -> bool {
    let parsed = Query::parse(query, false).unwrap_or_else(|error| panic!("{query}: {error}"));
    let document = document();
    let matches = parsed.matches(&document).unwrap();
    let hits = parsed.hits(&document).unwrap();
    assert_eq!(hits.is_some(), matches, "{query}");
    for bytes in [None, Some(NOTE.as_bytes())] {
        match parsed.prefilter(PATH, bytes) {
            Certainty::Maybe => {}
            certain => assert_eq!(certain, Certainty::from(matches), "{query}"),
        }
    }
    matches
}

/// The lines of the hits, from 1, and the text that was hit.
fn hits(query: &str) -> Vec<(usize, &'static str)> {
    let document = document();
    let hits = Query::parse(query, false).unwrap().hits(&document).unwrap();
    let hits = hits.unwrap_or_else(|| panic!("{query}")).places.into_iter();
    let line = |at| NOTE[..at].matches('\n').count() + 1;
    hits.map(|hit| (line(hit.start), &NOTE[hit])).collect()
}

/// Checks that each query of the section `name` matches the note, and no query of the section `NAME, none` does.
fn check(name: &str) {
    for (section, expected) in [(name, true), (&*format!("{name}, none"), false)] {
        for query in tables::lines(CASES, section) {
            assert_eq!(matches(query), expected, "{query}");
        }
    }
}

#[test]
fn words_phrases_and_logic() {
    check("words phrases and logic");
}

#[test]
fn case_is_ignored_unless_requested() {
    assert!(matches("match-case:BOAT") && matches("match-case:(Intro ignore-case:INTRO)"));
    assert!(!matches("match-case:intro"));
    let sensitive = |query: &str| {
        let query = Query::parse(query, true).unwrap();
        query.matches(&document()).unwrap()
    };
    assert!(sensitive("Intro") && !sensitive("intro") && sensitive("ignore-case:intro"));
    assert!(sensitive("/Intro/") && !sensitive("/intro/"));
    assert!(sensitive("tag:#WORK") && sensitive("[STATUS:Draft]") && !sensitive("[STATUS:draft]"));
}

#[test]
fn names_paths_and_content() {
    check("names paths and content");
}

#[test]
fn a_query_may_be_spread_over_name_and_body() {
    assert!(matches("log sugar") && matches("\"boat log\" ships"));
    assert_eq!(hits("log sugar"), [(14, "sugar")]);
    assert_eq!(hits("\"boat log\""), []);
}

#[test]
fn tags_are_nested_and_of_text_and_properties() {
    check("tags are nested and of text and properties");
    assert_eq!(hits("tag:work"), [(23, "#work/urgent")]);
    assert_eq!(hits("tag:idea"), []);
}

#[test]
fn lines() {
    check("lines");
    let all = [(12, "the"), (12, "boat"), (12, "the"), (12, "BOAT")];
    assert_eq!(hits("line:(the boat)"), all);
    assert_eq!(hits("line:(boat OR sugar)").len(), 4);
}

#[test]
fn blocks_are_sections_of_the_text_and_outermost_items() {
    check("blocks are sections of the text and outermost items");
}

#[test]
fn a_list_has_no_blocks_but_its_items() {
    let document = Document::new("a.md", "- plain\n- plain too\n  - plain\n", &FromText);
    let matches = |query: &str| {
        let query = Query::parse(query, false).unwrap();
        query.matches(&document).unwrap()
    };
    assert!(!matches("block:(-plain)"));
    assert!(matches("block:(-too)"));
}

#[test]
fn sections_run_from_heading_to_heading() {
    check("sections run from heading to heading");
    assert_eq!(hits("section:(day call)"), [(25, "call"), (25, "day")]);
}

#[test]
fn tasks_by_state() {
    check("tasks by state");
    assert_eq!(hits("task:call"), [(17, "call")]);
    assert_eq!(hits("task-done:\"\""), [(18, ""), (19, "")]);
}

#[test]
fn properties_by_name() {
    check("properties by name");
    assert_eq!(hits("[status]"), []);
}

#[test]
fn properties_by_value() {
    check("properties by value");
}

#[test]
fn regular_expressions() {
    check("regular expressions");
    let all = [(17, "call"), (18, "Bo"), (25, "call")];
    assert_eq!(hits(r"/c[ao]ll|bo\b/"), all);
    assert_eq!(hits("/x*/"), [(13, "x"), (18, "x")]);
}

#[test]
fn hits_of_all_terms_in_order_and_once() {
    assert_eq!(hits("ships intro -whale"), [(12, "Intro"), (12, "ships")]);
    assert_eq!(hits("call OR whale OR call"), [(17, "call"), (25, "call")]);
    assert_eq!(hits("boat boat match-case:BOAT").len(), 3);
}

#[test]
fn a_regular_expression_that_takes_too_long_gives_up() {
    let text = "a".repeat(60);
    let document = Document::new("a.md", &text, &FromText);
    let query = Query::parse(r"/(a+)+\1b/", false).unwrap();
    assert_eq!(query.matches(&document), Err(super::super::error::GaveUp));
    let linear = Query::parse("/(a+)+$b/", false).unwrap();
    assert_eq!(linear.matches(&document), Ok(false));
}

#[test]
fn words_alone_never_scan_the_note() {
    struct Never;
    impl super::super::document::NoteReader for Never {
        fn facts(&self, _text: &str) -> obsidian_note::NoteFacts {
            panic!("scanned")
        }
        fn properties(&self, _text: &str) -> super::super::document::SearchedProperties {
            panic!("read")
        }
    }
    let document = Document::new(PATH, NOTE, &Never);
    let queries = "boat -whale|line:(boat ships)|/bo.t/ file:log|content:x OR path:y";
    for query in queries.split('|') {
        Query::parse(query, false).unwrap().hits(&document).unwrap();
    }
}

#[test]
fn large_notes_take_linear_time() {
    for [unit, query] in tables::section(CASES, "large notes take linear time") {
        let text = unit.repeat(200_000 / unit.len());
        let document = Document::new("x.md", &text, &FromText);
        let found = Query::parse(query, false).unwrap().matches(&document);
        assert_eq!(found, Ok(false), "{query}");
    }
}

/// Without checks of the deadline, each would take much longer.
#[test]
fn e16_one_note_and_very_many_terms_end_at_their_deadline() {
    let words: Vec<String> = (0..40_000).map(|number| format!("word{number}")).collect();
    let words = words.join(" OR ");
    let body = "nothing of the kind #tag\n".repeat(20_000);
    let text = format!("---\nkey: x\n---\n{body}");
    for query in [
        format!("tag:({words})"),
        format!("[{}:x]", words.replace("word", "w")),
        format!("line:({words})"),
        format!("({words}) section:({words})"),
    ] {
        let started = Instant::now();
        let deadline = started + Duration::from_millis(500);
        let cancellation = CancellationToken::default().with_deadline(deadline);
        if let Ok(query) = Query::parse_under(&query, false, cancellation.clone()) {
            query.prefilter("x.md", Some(text.as_bytes()));
            let document = Document::new("x.md", &text, &FromText);
            drop(query.hits(&document));
        }
        assert!(cancellation.is_cancelled());
        let took = started.elapsed();
        assert!(took < Duration::from_secs(120), "{took:?} {}", &query[..12]);
    }
}

#[test]
fn e16_the_same_word_many_times_costs_no_memory_for_each() {
    let text = "the ".repeat(2_000);
    let document = Document::new("x.md", &text, &FromText);
    let query = Query::parse(&vec!["the"; 2_000].join(" OR "), false).unwrap();
    let hits = query.hits(&document).unwrap().unwrap();
    assert_eq!((hits.places.len(), hits.left_out), (2_000, 0));
}

/// A query in a simple form, whose evaluation is easy to check.
#[derive(Clone, Debug)]
enum Plain {
    Word(String),
    ExactCase(String),
    Content(Box<Plain>),
    Path(Box<Plain>),
    Line(Box<Plain>),
    Section(Box<Plain>),
    Task(Box<Plain>),
    Tag(String),
    Property(String, Option<String>),
    Not(Box<Plain>),
    All(Vec<Plain>),
    Any(Vec<Plain>),
}

impl Plain {
    fn query(&self) -> String {
        let join = |parts: &[Self], by: &str| {
            let parts: Vec<_> = parts.iter().map(Self::query).collect();
            format!("({})", parts.join(by))
        };
        match self {
            Self::Word(word) => format!("\"{word}\""),
            Self::ExactCase(word) => format!("match-case:\"{word}\""),
            Self::Content(inner) => format!("content:({})", inner.query()),
            Self::Path(inner) => format!("path:({})", inner.query()),
            Self::Line(inner) => format!("line:({})", inner.query()),
            Self::Section(inner) => format!("section:({})", inner.query()),
            Self::Task(inner) => format!("task:({})", inner.query()),
            Self::Tag(tag) => format!("tag:{tag}"),
            Self::Property(name, None) => format!("[{name}]"),
            Self::Property(name, Some(value)) => format!("[{name}:\"{value}\"]"),
            Self::Not(inner) => format!("-({})", inner.query()),
            Self::All(parts) => join(parts, " "),
            Self::Any(parts) => join(parts, " OR "),
        }
    }

    /// `paths` are the other texts besides `text` in which words are searched.
    fn holds(&self, note: &PlainNote, text: &str, paths: &[&str]) -> bool {
        let lower = |text: &str| text.to_lowercase();
        let mut texts = paths.iter().copied().chain([text]);
        match self {
            Self::Word(word) => texts.any(|text| lower(text).contains(&lower(word))),
            Self::ExactCase(word) => texts.any(|text| text.contains(word)),
            Self::Content(inner) => inner.holds(note, text, &[]),
            Self::Path(inner) => inner.holds(note, note.path, &[]),
            Self::Line(inner) => text.split('\n').any(|line| inner.holds(note, line, &[])),
            Self::Section(inner) => {
                let mut sections = vec![String::new()];
                for line in text.split_inclusive('\n') {
                    if line.starts_with("# ") {
                        sections.push(String::new());
                    }
                    sections.last_mut().unwrap().push_str(line);
                }
                if sections.len() > 1 && sections[0].is_empty() {
                    sections.remove(0);
                }
                let mut sections = sections.iter();
                sections.any(|section| inner.holds(note, section, &[]))
            }
            Self::Task(inner) => text
                .split('\n')
                .filter_map(|line| line.strip_prefix("- [ ] ").or(line.strip_prefix("- [x] ")))
                .any(|task| inner.holds(note, task, &[])),
            Self::Tag(tag) => text
                .split([' ', '\n'])
                .any(|word| format!("{}/", lower(word)).starts_with(&format!("#{tag}/"))),
            Self::Property(name, value) => note.properties.iter().any(|(key, found)| {
                let has = |value: &String| lower(found).contains(&lower(value));
                lower(key) == lower(name) && value.as_ref().is_none_or(has)
            }),
            Self::Not(inner) => !inner.holds(note, text, paths),
            Self::All(parts) => parts.iter().all(|part| part.holds(note, text, paths)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(note, text, paths)),
        }
    }
}

#[derive(Clone, Debug)]
struct PlainNote {
    path: &'static str,
    properties: Vec<(String, String)>,
    body: Vec<String>,
}

impl PlainNote {
    fn text(&self) -> String {
        let mut text = String::new();
        if !self.properties.is_empty() {
            text.push_str("---\n");
            for (name, value) in &self.properties {
                text += &format!("{name}: \"{value}\"\n");
            }
            text.push_str("---\n");
        }
        text + &self.body.join("\n")
    }
}

fn query() -> impl Strategy<Value = Plain> {
    let word = "[aAbBéÉ]{1,2}|a b|";
    let leaf = prop_oneof![
        4 => word.prop_map(Plain::Word),
        1 => "[aAbB]{1,2}".prop_map(Plain::ExactCase),
        1 => "[ab]".prop_map(Plain::Tag),
        1 => ("[pP]|q", proptest::option::of("[abA]")).prop_map(|(name, value)| Plain::Property(name, value)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let one = inner.clone().prop_map(Box::new);
        // In parts of the text, this tests only words. The tables above test tags and properties.
        let words = prop_oneof![
            word.prop_map(Plain::Word),
            word.prop_map(|word| Plain::Not(Box::new(Plain::Word(word)))),
        ];
        let words =
            proptest::collection::vec(words, 1..3).prop_map(|words| Box::new(Plain::All(words)));
        prop_oneof![
            2 => one.prop_map(Plain::Not),
            2 => proptest::collection::vec(inner.clone(), 1..4).prop_map(Plain::All),
            2 => proptest::collection::vec(inner, 1..4).prop_map(Plain::Any),
            1 => words.clone().prop_map(Plain::Content),
            1 => words.clone().prop_map(Plain::Path),
            1 => words.clone().prop_map(Plain::Line),
            1 => words.clone().prop_map(Plain::Section),
            1 => words.prop_map(Plain::Task),
        ]
    })
}

fn note() -> impl Strategy<Value = PlainNote> {
    let line = "[abABéÉ ]{0,5}|# [ab]{0,2}|- \\[[ x]\\] [abé ]{1,4}|#[aAb](/[ab])? [ab]?";
    (
        prop_oneof![Just("a/B.md"), Just("é b.md"), Just("x.md")],
        proptest::collection::vec(("[pq]", "[abAB]{0,2}"), 0..3),
        proptest::collection::vec(line, 0..6),
    )
        .prop_map(|(path, mut properties, body)| {
            properties.sort();
            properties.dedup_by(|left, right| left.0 == right.0);
            PlainNote {
                path,
                properties,
                body,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_answer_is_that_of_a_naive_evaluation(note in note(), plain in query()) {
        let text = note.text();
        let expected = plain.holds(&note, &text, &[note.path]);
        let query = Query::parse(&plain.query(), false).unwrap();
        let document = Document::new(note.path, &text, &ByLine);
        prop_assert_eq!(query.matches(&document), Ok(expected), "{} in {:?}", plain.query(), text);
        let hits = query.hits(&document).unwrap();
        prop_assert_eq!(hits.is_some(), expected);
        for hit in hits.into_iter().flat_map(|hits| hits.places) {
            prop_assert!(text.get(hit).is_some());
        }
        for bytes in [None, Some(text.as_bytes())] {
            let prefiltered = query.prefilter(note.path, bytes);
            if prefiltered != Certainty::Maybe {
                prop_assert_eq!(prefiltered, Certainty::from(expected), "{} in {:?}", plain.query(), text);
            }
        }
    }
}
