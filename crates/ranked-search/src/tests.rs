//! Tests of indexing, merging and ranking together.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::{
    MergedSegment, Named, NoteText, Query, Searched, Segment, SegmentBuilder, Tables, Tuning,
    merge, rank,
};

const CASES: &str = include_str!("cases.txt");

/// A segment of notes, each given by its name and text.
fn segment(notes: &[(String, String)]) -> Segment {
    let mut builder = SegmentBuilder::default();
    for (name, body) in notes {
        let note = NoteText {
            names: &[name],
            facets: &[],
            body,
        };
        builder.add(&note).unwrap();
    }
    of(builder.finish().unwrap())
}

fn of((tables, arena): (Tables, Vec<u8>)) -> Segment {
    Segment::new(tables, Box::new(arena)).unwrap()
}

/// The bits of a score, whether the question is the name, and the best passages with the bits of
/// their scores. Bits compare exactly.
type Score = (u64, Named, Vec<(usize, u64)>);

/// The score and the best passages of each note, by its name.
fn scores(query: &str, parts: &[(&Segment, &[bool], &[String])]) -> BTreeMap<String, Score> {
    let searched: Vec<Searched<'_>> = parts
        .iter()
        .map(|(segment, open, _)| Searched { segment, open })
        .collect();
    let ranking = rank(&Query::new(query), &searched, &Tuning::default(), &|| false).unwrap();
    ranking
        .notes
        .into_iter()
        .map(|found| {
            let name = parts[found.segment].2[found.note].clone();
            let passages = found.passages().iter();
            let passages = passages.map(|passage| (passage.number, passage.score.to_bits()));
            (
                name,
                (found.score.to_bits(), found.named, passages.collect()),
            )
        })
        .collect()
}

fn names(notes: &[(String, String)]) -> Vec<String> {
    notes.iter().map(|(name, _)| name.clone()).collect()
}

fn owned(notes: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    notes.iter().map(own).collect()
}

/// Returns the notes of a table: each line has a name and a text.
fn listed(table: &str) -> Vec<(String, String)> {
    let notes = table.trim().lines();
    let notes = notes.map(|note| note.trim().split_once(": ").unwrap());
    owned(&notes.collect::<Vec<_>>())
}

fn best(notes: &[(String, String)], query: &str) -> String {
    let segment = segment(notes);
    let open = vec![true; notes.len()];
    let names = names(notes);
    let scores = scores(query, &[(&segment, &open, &names)]);
    let best = scores.iter().max_by(|(_, left), (_, right)| {
        (left.1, f64::from_bits(left.0))
            .partial_cmp(&(right.1, f64::from_bits(right.0)))
            .unwrap()
    });
    best.map(|(name, _)| name.clone()).unwrap_or_default()
}

#[test]
fn a_name_with_more_of_its_words_in_the_question_comes_first() {
    let other = |number: usize| (format!("n{number}"), "Water, salt and notes.".to_owned());
    let mut notes: Vec<(String, String)> = (0..30).map(other).collect();
    notes.extend(listed(
        "
        Local and remote vaults: Notes are on devices. Your notes, devices, all notes of devices.
        Sync your notes across devices: Put them on every phone and computer. Choose a service, sign in and wait for a while.
        ",
    ));
    assert_eq!(
        best(&notes, "notes across devices"),
        "Sync your notes across devices"
    );
}

#[test]
fn a_note_with_most_words_of_the_question_beats_a_name_with_one() {
    let other = |number: usize| {
        (
            format!("Recipe {number}"),
            "Water, salt and flour.".to_owned(),
        )
    };
    let mut notes: Vec<(String, String)> = (0..30).map(other).collect();
    notes.extend(owned(&[
        (
            "Bread",
            &"Bread: flour, water, salt, yeast. Knead the bread. Bake the bread.\n".repeat(2),
        ),
        (
            "Kvass",
            "A drink that ferments. Use stale rye bread, raisins and water.",
        ),
    ]));
    assert_eq!(best(&notes, "drink from stale rye bread"), "Kvass");
    assert_eq!(best(&notes, "bread flour"), "Bread");
}

#[test]
fn an_alias_does_not_make_a_name_longer() {
    let mut builder = SegmentBuilder::default();
    for names in [
        &["Beverages of the far east"][..],
        &["Beverages of the far east", "Hot drinks", "Tea"],
    ] {
        let note = NoteText {
            names,
            facets: &[],
            body: "Leaves in water.",
        };
        builder.add(&note).unwrap();
    }
    let segment = of(builder.finish().unwrap());
    let searched = [Searched {
        segment: &segment,
        open: &[true, true],
    }];
    let question = Query::new("far beverages");
    let found = rank(&question, &searched, &Tuning::default(), &|| false).unwrap();
    let scores: Vec<f64> = found.notes.iter().map(|note| note.score).collect();
    assert!((scores[0] - scores[1]).abs() < 1e-9, "{scores:?}");
}

#[test]
fn fillers_do_not_decide() {
    let filler = |number: usize| (format!("n{number}"), "Water and salt.".to_owned());
    let mut notes: Vec<(String, String)> = (0..30).map(filler).collect();
    notes.push((
        "money".to_owned(),
        "If something went wrong, we return it; anything goes.".to_owned(),
    ));
    notes.push(("diary".to_owned(), "What I wrote of salt.".to_owned()));
    notes.push(("again".to_owned(), "Salt was written of.".to_owned()));
    assert_eq!(best(&notes, "something that I wrote"), "diary");
    // A question that is only a filler still finds the notes with it.
    assert_eq!(best(&notes, "anything"), "money");
}

#[test]
fn both_spellings_of_english_are_found() {
    let notes = listed(
        "
        a: The colors of the favorite theme are in a folder of the vault.
        b: Die Farben sind in einem Ordner, und das ist nicht alles.
        ",
    );
    assert_eq!(best(&notes, "favourite colours"), "a");
}

#[test]
fn notes_of_every_language_are_found_by_forms_of_their_words() {
    let notes = listed(tables::text(CASES, "notes of every language are found, 2"));
    for [query, expected] in tables::section(CASES, "notes of every language are found") {
        assert_eq!(best(&notes, query), expected, "{query}");
    }
}

#[test]
fn short_notes_are_found_by_forms_of_their_words() {
    let notes = owned(&[
        ("Fahrräder", "Keller, Schuppen"),
        ("Fahrrad verkaufen", "200 Euro"),
        ("Canciones", "Del año 2026"),
        ("Bread", "Flour, salt"),
    ]);
    let segment = segment(&notes);
    for (query, expected) in [
        ("Fahrrad", &["Fahrrad verkaufen", "Fahrräder"][..]),
        ("Fahrräder", &["Fahrrad verkaufen", "Fahrräder"]),
        ("canción", &["Canciones"]),
    ] {
        let found = scores(query, &[(&segment, &[true; 4], &names(&notes))]);
        let mut found: Vec<&String> = found.keys().collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn compounds_are_found_only_if_no_note_has_the_word() {
    let notes = owned(&[
        ("a", "Ein Fahrradschloss kaufen"),
        ("b", "Das Fahrrad steht im Keller"),
        ("c", "Eine Tür und ein Türschloss"),
        ("d", "Die Tür ist offen"),
    ]);
    let segment = segment(&notes);
    for (query, open, expected) in [
        ("Schloss", [true; 4], &["a", "c"][..]),
        ("Fahrradschlösser", [true; 4], &["a"]),
        ("Fahrradschloss", [false, true, true, true], &["b"]),
        ("Fahrrad", [true; 4], &["b"]),
        ("Türschlösser", [true, true, false, true], &[]),
        ("Fahrradschlauch", [false, false, true, true], &[]),
    ] {
        let found = scores(query, &[(&segment, &open, &names(&notes))]);
        assert_eq!(found.keys().collect::<Vec<_>>(), expected, "{query}");
    }
}

#[test]
fn a_title_finds_its_note_whatever_others_say() {
    let notes = owned(&tables::typed::<(&str, &str)>(
        CASES,
        "a title finds its note",
    ));
    for (query, expected) in [
        ("quick  sort", "Quick Sort"),
        ("the who", "The Who"),
        ("C++", "C++"),
    ] {
        assert_eq!(best(&notes, query), expected, "{query}");
    }
}

#[test]
fn a_word_in_name_heading_or_lead_counts_more_than_in_the_text() {
    let text = "Some words about something, and then a word more.\n".repeat(40);
    let within = text.replacen("more.\nSome", "more.\napple", 1);
    let notes = owned(&[
        ("apple", &text),
        ("b", &format!("# apple\n{text}")),
        ("c", &format!("{within}{text}")),
        ("d", &format!("{text}{within}")),
        ("e", &format!("{text}{text}")),
    ]);
    let segment = segment(&notes);
    let found = scores("apple word", &[(&segment, &[true; 5], &names(&notes))]);
    let score = |name: &str| f64::from_bits(found[name].0);
    assert!(score("apple") > score("b"));
    assert!(score("c") > score("d"));
    assert!(score("d") > score("e"));
}

fn a_note() -> impl Strategy<Value = String> {
    let word = prop::sample::select(tables::lines(CASES, "a note"));
    prop::collection::vec(word, 0..120).prop_map(|words| words.join(" "))
}

fn some_notes() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(a_note(), 1..12).prop_map(|texts| {
        let named = |(number, text)| (format!("apple {number}"), text);
        texts.into_iter().enumerate().map(named).collect()
    })
}

const QUERIES: [&str; 6] = [
    "apple",
    "pear größe",
    "笔记",
    "заметка heading",
    "the",
    "apple 1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// `design/path-rules.md`: closed notes do not exist, not even in scores.
    #[test]
    fn d13_scores_are_those_of_an_index_without_the_closed_notes(
        notes in some_notes(),
        closed in prop::collection::vec(any::<bool>(), 12),
    ) {
        let all = segment(&notes);
        let open: Vec<bool> = (0..notes.len()).map(|number| !closed[number]).collect();
        let seen: Vec<_> = notes.iter().zip(&open).filter(|(_, open)| **open).map(|(note, _)| note.clone()).collect();
        let alone = segment(&seen);
        for query in QUERIES {
            prop_assert_eq!(
                scores(query, &[(&all, &open, &names(&notes))]),
                scores(query, &[(&alone, &vec![true; seen.len()], &names(&seen))])
            );
        }
    }

    #[test]
    fn one_segment_several_and_their_merger_answer_alike(
        notes in some_notes(),
        cut in 0_usize..12,
        gone in prop::collection::vec(any::<bool>(), 12),
    ) {
        let cut = cut.min(notes.len());
        let stays: Vec<bool> = (0..notes.len()).map(|number| !gone[number]).collect();
        let (left, right) = notes.split_at(cut);
        let parts = [segment(left), segment(right)];
        let merged = of(merge(&[
            MergedSegment { segment: &parts[0], stays: &stays[..cut] },
            MergedSegment { segment: &parts[1], stays: &stays[cut..] },
        ], &|| false).unwrap());
        let kept: Vec<_> = notes.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(note, _)| note.clone()).collect();
        for query in QUERIES {
            let of_merged = scores(query, &[(&merged, &vec![true; kept.len()], &names(&kept))]);
            let of_parts = scores(query, &[
                (&parts[0], &stays[..cut], &names(left)),
                (&parts[1], &stays[cut..], &names(right)),
            ]);
            prop_assert_eq!(of_merged, of_parts);
        }
        // The bytes are the same as those of a segment that was built at once.
        let again = merge(&[MergedSegment { segment: &segment(&kept), stays: &vec![true; kept.len()] }], &|| false).unwrap();
        let at_once = merge(&[MergedSegment { segment: &merged, stays: &vec![true; kept.len()] }], &|| false).unwrap();
        prop_assert_eq!(again, at_once);
    }

    #[test]
    fn damaged_postings_are_an_error_or_an_answer_and_no_panic(
        notes in some_notes(),
        patches in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut builder = SegmentBuilder::default();
        for (name, body) in &notes {
            builder.add(&NoteText { names: &[name], facets: &["tag"], body }).unwrap();
        }
        let (tables, mut arena) = builder.finish().unwrap();
        for (place, byte) in patches {
            let place = place.index(arena.len());
            arena[place] = byte;
        }
        let segment = Segment::new(tables, Box::new(arena)).unwrap();
        let open = vec![true; notes.len()];
        let searched = [Searched { segment: &segment, open: &open }];
        for query in QUERIES {
            drop(rank(&Query::new(query), &searched, &Tuning::default(), &|| false));
        }
        drop(merge(&[MergedSegment { segment: &segment, stays: &open }], &|| false));
    }
}

#[test]
fn many_notes_are_scored_in_parts_as_they_are_as_a_whole() {
    let notes: Vec<(String, String)> = (0..3000)
        .map(|number| {
            let text = format!(
                "Apples of tree {number}.\n\n# Garden {}\nPears, {} and apples.",
                number % 7,
                "plums ".repeat(number % 5)
            );
            (format!("Tree {number}"), text)
        })
        .collect();
    let whole = segment(&notes);
    // These segments have so few postings that each is scored in one piece.
    let (segments, open, names) = (
        notes.chunks(300).map(segment).collect::<Vec<_>>(),
        vec![true; notes.len()],
        names(&notes),
    );
    let parts: Vec<(&Segment, &[bool], &[String])> = segments
        .iter()
        .zip(names.chunks(300))
        .map(|(segment, names)| (segment, &open[..300], names))
        .collect();
    for query in ["apples and pears", "plums", "Tree 1234", "tree 7 garden"] {
        let found = scores(query, &[(&whole, &open, &names)]);
        assert_eq!(found, scores(query, &parts), "{query}");
        assert!(!found.is_empty());
    }
}
