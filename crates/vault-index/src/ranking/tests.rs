//! The ranked index: kept, stored, damaged and stopped, compared with a new one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use obsidian_note::CancellationToken;
use proptest::prelude::*;
use ranked_search::Query;
use vault_files::disk::trace;
use vault_files::vault::testing::vault;

use super::*;
use crate::testing::damage;

/// A whole vault at one moment, whose notes count as unchanged since they were read.
fn settled(vault: &Vault) -> IndexSnapshot {
    let mut whole = IndexSnapshot::read(vault).unwrap();
    for note in whole.notes.iter_mut().flatten() {
        Arc::get_mut(note).unwrap().listed.settled = true;
    }
    whole
}

/// The bits of the scores by path; `None` if the index is damaged.
fn scores(index: &RankedIndex, vault: &Vault, query: &str) -> Option<BTreeMap<String, u64>> {
    let seen = index.seen_notes(&index.files, &vec![true; index.files.len()]);
    let ranking = index.rank(&Query::new(query), &seen, vault).unwrap()?;
    let scores = ranking.notes.iter().map(|note| {
        let path = index.files[seen.file(note).unwrap()].to_string();
        (path, note.score.to_bits())
    });
    Some(scores.collect())
}

fn read(vault: &Vault, whole: &IndexSnapshot, before: Option<&RankedIndex>) -> RankedIndex {
    let until = CancellationToken::default();
    RankedIndex::read(vault, whole, before, &until, &|_| ()).unwrap()
}

fn rebuilt(vault: &Vault, whole: &IndexSnapshot) -> RankedIndex {
    RankedIndex::rebuild(vault, whole, &CancellationToken::default(), &|_| ()).unwrap()
}

const QUERIES: [&str; 3] = ["apple", "pears and apples", "garden 7"];

fn notes(count: usize) -> Vec<(String, String)> {
    let note = |number: usize| {
        let text = format!(
            "Apples {number} and pears.\n\n# Garden {}\nA pear tree.",
            number % 9
        );
        (format!("{}/note {number}.md", number % 4), text)
    };
    (0..count).map(note).collect()
}

fn many(count: usize) -> (tempfile::TempDir, Vault) {
    let files = notes(count);
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    vault(&files)
}

fn assert_same(index: &RankedIndex, other: &RankedIndex, vault: &Vault) {
    for query in QUERIES {
        assert_eq!(
            scores(index, vault, query),
            scores(other, vault, query),
            "{query}"
        );
    }
}

#[test]
fn what_is_stored_is_not_read_again_and_answers_alike() {
    let (folder, vault) = many(90);
    let vault = vault.with_cache(folder.path().join("cache"));
    let whole = settled(&vault);
    let first = read(&vault, &whole, None);
    assert_eq!(first.segments.len(), 1);
    let (second, _, files) = trace::count(|| read(&vault, &whole, None));
    assert_eq!(files, 0);
    assert_same(&first, &second, &vault);
    let third = rebuilt(&vault, &whole);
    assert_same(&third, &second, &vault);
    // Only a file that changed is read again.
    fs_err::write(vault.root().join("0/note 0.md"), "Apples and apples.").unwrap();
    let changed = settled(&vault);
    let (third, _, files) = trace::count(|| read(&vault, &changed, None));
    assert_eq!((files, third.segments.len()), (1, 2));
    assert_same(&third, &rebuilt(&vault, &changed), &vault);
}

#[test]
fn a_vault_that_was_just_written_is_not_stored() {
    let (folder, vault) = many(3);
    let vault = vault.with_cache(folder.path().join("cache"));
    let whole = IndexSnapshot::read(&vault).unwrap();
    read(&vault, &whole, None);
    assert!(stored::read(&vault).is_none());
}

#[test]
fn another_vault_and_a_file_of_another_shape_are_no_cache() {
    let (folder, vault) = many(3);
    let vault = vault.with_cache(folder.path().join("cache"));
    read(&vault, &settled(&vault), None);
    assert!(stored::read(&vault).is_some());
    let other = folder.path().join("other");
    fs_err::create_dir(&other).unwrap();
    let other = Vault::open(&other)
        .unwrap()
        .with_cache(folder.path().join("cache"));
    assert!(stored::read(&other).is_none());
}

#[test]
fn many_changed_notes_make_a_new_base() {
    let (folder, vault) = many(90);
    let vault = vault.with_cache(folder.path().join("cache"));
    let mut index = read(&vault, &settled(&vault), None);
    for number in 0..80 {
        let name = format!("{}/note {number}.md", number % 4);
        fs_err::write(vault.root().join(name), format!("Apples {number} anew.")).unwrap();
        let whole = index.snapshot_after(&vault);
        index = read(&vault, &whole, Some(&index));
        assert!(index.is_of(&whole) && index.segments.len() <= MANY_SEGMENTS + 1);
    }
    let base = index.segments.first().unwrap();
    let gone = 90
        - index
            .places
            .iter()
            .flatten()
            .filter(|place| place.segment == 0)
            .count();
    assert!(base.notes() == 90 && gone < 20, "{gone}");
    assert_same(&index, &rebuilt(&vault, &settled(&vault)), &vault);
}

impl RankedIndex {
    /// The present state of the vault; unchanged notes keep their records in memory.
    fn snapshot_after(&self, vault: &Vault) -> IndexSnapshot {
        let mut whole = settled(vault);
        for (path, note) in whole.files.iter().zip(&mut whole.notes) {
            let before = self.files.binary_search(path).ok();
            let before = before.and_then(|id| self.notes[id].clone());
            if let (Some(now), Some(before)) = (&note, before)
                && before.listed.stamp == now.listed.stamp
            {
                *note = Some(before);
            }
        }
        whole
    }
}

#[test]
fn e10_a_stopped_reading_goes_on_where_it_stopped() {
    let (folder, vault) = many(90);
    let cancellation = CancellationToken::default();
    let cache = folder.path().join("cache");
    let whole = settled(&vault);
    let vault = vault
        .with_cache(cache.clone())
        .with_cancellation(cancellation.clone());
    let stopping = cancellation.clone();
    let stopped = vault
        .clone()
        .with_progress(Arc::new(move |_done: usize, _all: usize| stopping.cancel()));
    let so_far = read(&stopped, &whole, None);
    assert!(stored::read(&vault).is_none());
    let known = so_far.places.iter().flatten().count();
    assert!(0 < known && known < 90 && !so_far.is_of(&whole), "{known}");
    let going_on = vault.with_cancellation(CancellationToken::default());
    let wanted = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&wanted);
    let counted = going_on
        .clone()
        .with_progress(Arc::new(move |_done: usize, all: usize| {
            counting.store(all, Relaxed);
        }));
    // In memory, and in another process.
    for before in [Some(&so_far), None] {
        let copy = folder.path().join("copy");
        fs_err::create_dir_all(&copy).unwrap();
        for entry in fs_err::read_dir(&cache).unwrap().map(Result::unwrap) {
            fs_err::copy(entry.path(), copy.join(entry.file_name())).unwrap();
        }
        let index = read(&counted.clone().with_cache(copy.clone()), &whole, before);
        assert_eq!(wanted.swap(0, Relaxed), 90 - known);
        assert!(index.is_of(&whole));
        let fresh = rebuilt(
            &going_on.clone().with_cache(folder.path().join("fresh")),
            &whole,
        );
        assert_same(&index, &fresh, &going_on);
        let names = fs_err::read_dir(&copy)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let names: Vec<_> = names.collect();
        assert!(names.len() == 1, "the base replaces the pieces: {names:?}");
        fs_err::remove_dir_all(&copy).unwrap();
    }
    let index = read(&going_on, &whole, Some(&so_far));
    let seen = index.seen_notes(&index.files, &[true; 90]);
    let error = index.rank(&Query::new("apple"), &seen, &stopped).err();
    assert!(matches!(error, Some(EngineError::Stopped)));
}

#[test]
fn a_reading_that_takes_long_ends_with_a_part_and_goes_on_with_the_next_call() {
    let (folder, vault) = many(2100);
    let vault = vault.with_cache(folder.path().join("cache"));
    let whole = settled(&vault);
    // With one thread, because each one completes its segment.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let until = CancellationToken::default();
    let part =
        pool.install(|| RankedIndex::read(&vault, &whole, None, &until, &|_| until.cancel()));
    let part = part.unwrap();
    let known = part.places.iter().flatten().count();
    assert!(!part.is_complete() && 0 < known && known < 2100, "{known}");
    let unread = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&unread);
    let counted = vault
        .clone()
        .with_progress(Arc::new(move |_done: usize, all: usize| {
            counting.store(all, Relaxed);
        }));
    let index = read(&counted, &whole, None);
    assert!(index.is_of(&whole));
    assert_eq!(unread.load(Relaxed), 2100 - known);
    let plain = Vault::open(vault.root()).unwrap();
    assert_same(&index, &read(&plain, &whole, None), &vault);
}

#[test]
fn odd_notes_are_found_by_what_can_be_read_of_them() {
    let huge = "word ".repeat(500_000);
    let long_line = format!("{} needle {}", "hay ".repeat(20_000), "hay ".repeat(20_000));
    let (_folder, vault) = vault(&[
        ("huge.md", &huge),
        ("long.md", &long_line),
        ("empty.md", ""),
        ("marks.md", "\u{feff}\u{feff}\u{0}\u{301}\u{200c}apple"),
    ]);
    fs_err::write(vault.root().join("bytes.md"), b"\xff\xfe apple \xc3").unwrap();
    let whole = IndexSnapshot::read(&vault).unwrap();
    let index = read(&vault, &whole, None);
    let found = |query: &str| -> Vec<String> {
        scores(&index, &vault, query).unwrap().into_keys().collect()
    };
    assert_eq!(found("apple"), ["bytes.md", "marks.md"]);
    assert_eq!(found("needle"), ["long.md"]);
    assert_eq!(found("word huge"), ["huge.md"]);
    assert_eq!(found("empty"), ["empty.md"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn updates_one_by_one_equal_a_reading_anew(
        edits in prop::collection::vec((0_usize..12, prop::option::of(0_usize..50)), 1..12),
    ) {
        let (_folder, vault) = many(8);
        let mut index = read(&vault, &settled(&vault), None);
        for (number, text) in edits {
            let path = vault.root().join(format!("{}/note {number}.md", number % 4));
            match text {
                Some(text) => fs_err::write(path, format!("Pears {text}.\n# garden {text}\napple")).unwrap(),
                None => drop(fs_err::remove_file(path)),
            }
            let whole = index.snapshot_after(&vault);
            index = read(&vault, &whole, Some(&index));
        }
        let fresh = rebuilt(&vault, &settled(&vault));
        for query in QUERIES {
            prop_assert_eq!(scores(&index, &vault, query), scores(&fresh, &vault, query));
        }
    }

    #[test]
    fn a_damaged_cache_is_an_index_made_anew_or_the_same_answer(
        patches in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..), 1..4),
        kept in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (folder, vault) = many(40);
        let cache = folder.path().join("cache");
        let vault = vault.with_cache(cache.clone());
        let whole = settled(&vault);
        let sound = read(&vault, &whole, None);
        let expected = QUERIES.map(|query| scores(&sound, &vault, query));
        let file = fs_err::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path());
        let file = file.into_iter().find(|path| path.extension().is_some_and(|end| end == "ranking")).unwrap();
        damage(&file, patches, kept);
        let index = read(&vault, &whole, None);
        for (query, expected) in QUERIES.iter().zip(&expected) {
            // With `None` the caller builds a new index.
            let found = scores(&index, &vault, query);
            prop_assert!(found.is_none() || found == *expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn damaged_pieces_are_read_again(
        patches in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..), 0..4),
        kept in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (folder, vault) = many(80);
        let whole = settled(&vault);
        let expected = QUERIES.map(|query| scores(&read(&vault, &whole, None), &vault, query));
        let vault = vault.with_cache(folder.path().join("cache"));
        let cancellation = CancellationToken::default();
        let stopping = cancellation.clone();
        let stopped = vault
            .clone()
            .with_cancellation(cancellation)
            .with_progress(Arc::new(move |_done: usize, _all: usize| stopping.cancel()));
        read(&stopped, &whole, None);
        let file = fs_err::read_dir(folder.path().join("cache")).unwrap().next().unwrap();
        let file = file.unwrap().path();
        damage(&file, patches, kept);
        let index = read(&vault, &whole, None);
        prop_assert!(index.is_of(&whole));
        for (query, expected) in QUERIES.iter().zip(&expected) {
            prop_assert_eq!(&scores(&index, &vault, query), expected);
        }
    }
}

proptest! {
    /// The letters only rule out what the distance would rule out too.
    #[test]
    fn no_near_term_is_lost_for_its_letters(
        wanted in "[a-fäß日]{0,9}",
        mistakes in proptest::collection::vec((0..9_usize, "[a-z]{0,2}"), 0..5),
    ) {
        let mut known: Vec<String> = wanted.chars().map(String::from).collect();
        for (at, instead) in mistakes {
            if let Some(letter) = known.get_mut(at) {
                *letter = instead;
            }
        }
        let known = known.concat();
        let letters = wanted.chars().count();
        let distance = strsim::osa_distance(&wanted, &known);
        let is_near = letters >= SHORTEST_MISTYPED && distance <= letters / 3;
        prop_assert_eq!(typing_distance(&wanted, &known), is_near.then_some(distance));
    }
}
