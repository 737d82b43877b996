//! Open entries that were damaged after a run was cut off (`threats.toml` H11).
//!
//! An entry is named `.open` only after it is complete and synced. So anything wrong with such an
//! entry is damage, and its run may have changed the vault.

use std::collections::BTreeMap;

use uuid::Uuid;
use vault_engine::{Change, Editor, State};

use super::kill::is_killed_in_run;
use super::world::{Tree, World, edits, modify, new_entry, now, path};
use crate::journal::{Outcome, PlannedRun, Recovered, RunPrefix, RunStanding};
use protocol::Code;

/// The ways in which the bytes of an entry are damaged.
fn damages(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let flipped = |at: usize| {
        let mut bytes = bytes.to_vec();
        for byte in bytes.iter_mut().skip(at).take(3) {
            *byte ^= 1;
        }
        bytes
    };
    let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let mut damages = vec![
        ("empty".to_owned(), Vec::new()),
        ("zeroed".to_owned(), vec![0; bytes.len()]),
        ("another text".to_owned(), b"{}\n".to_vec()),
        ("longer".to_owned(), [bytes, b"and more"].concat()),
        ("line only".to_owned(), bytes[..=line].to_vec()),
    ];
    for part in 1..8 {
        let at = bytes.len() * part / 8;
        damages.push((format!("cut at {at}"), bytes[..at].to_vec()));
        damages.push((format!("altered at {at}"), flipped(at)));
    }
    damages
}

/// Counts each content in the files of a vault, temporary ones included.
fn contents(tree: &Tree) -> BTreeMap<Vec<u8>, usize> {
    let mut contents = BTreeMap::new();
    for bytes in tree.values().filter_map(|(bytes, _)| bytes.clone()) {
        *contents.entry(bytes).or_default() += 1;
    }
    contents
}

fn outcome(world: &World) -> Option<Outcome> {
    recovered(world).map(|run| run.outcome)
}

fn recovered(world: &World) -> Option<Recovered> {
    let mut recovered = world.lock().recover(&world.vault(), now()).unwrap();
    assert!(recovered.len() <= 1, "{recovered:?}");
    recovered.pop()
}

/// Whatever the damage and wherever the run was killed: either the vault is complete, old or new,
/// or each reader is warned that it is not; and no text is lost.
fn check(world: &World, before: &Tree, after: &Tree, what: &str) {
    let found = world.tree();
    let first = recovered(world);
    match first.as_ref().map(|run| &run.outcome) {
        Some(Outcome::Damaged) => {
            assert_eq!(world.tree(), found, "{what}");
            let is_temporary = |name: &&String| name.contains(".vault-gw-");
            let temporary: Vec<&String> = found.keys().filter(is_temporary).collect();
            let again = recovered(world).unwrap();
            let leftovers = again.leftovers.iter();
            let named: Vec<&str> = leftovers.map(vault_engine::VaultPath::as_str).collect();
            assert_eq!(named, temporary, "{what}");
            assert_eq!(first.as_ref(), Some(&again), "{what}");
            let message = again.issue(|_| true).message.text();
            assert!(!message.contains("nothing"), "{what}: {message}");
            let listing = world.journal().entries().unwrap();
            assert_eq!(listing.warnings.len(), 1, "{what}");
            assert_eq!(listing.warnings[0].details["state"], "unfinished");
            assert_eq!(world.journal().unfinished().unwrap().len(), 1);
        }
        Some(Outcome::Stuck(_)) => {
            assert!(matches!(outcome(world), Some(Outcome::Stuck(_))), "{what}");
            let entries = world.journal().entries().unwrap().entries;
            assert_eq!(entries[0].standing, RunStanding::Unfinished, "{what}");
            // A temporary file with an earlier text stays in the vault or in the journal.
            let kept = kept_contents(world);
            for (content, _) in contents(before) {
                let is_there = contents(&world.tree()).contains_key(&content);
                let was_there = contents(&found).contains_key(&content);
                assert!(!was_there || is_there || kept.contains(&content), "{what}");
            }
        }
        Some(Outcome::NothingHappened | Outcome::Finished | Outcome::PutBack { .. }) | None => {
            let tree = world.tree();
            assert!(tree == *before || tree == *after, "{what}: {tree:?}");
        }
        Some(other) => panic!("{what}: {other:?}"),
    }
}

/// The contents that the only entry of the journal keeps.
fn kept_contents(world: &World) -> Vec<Vec<u8>> {
    let journal = world.journal();
    let name = journal.open_entries().unwrap()[0];
    let entry = journal.read_entry(name).unwrap();
    let versions = entry.files.iter().filter_map(|file| file.before.version());
    versions
        .filter_map(|version| entry.enclosed.get(&version))
        .collect()
}

#[test]
fn h11_a_damaged_entry_is_never_taken_for_a_run_that_changed_nothing() {
    let mut tried = 0;
    for (edit, (name, changes)) in edits().into_iter().enumerate() {
        let whole = World::in_memory();
        let before = whole.tree();
        whole.run(&changes);
        let after = whole.tree();
        for n in (10..).step_by(5) {
            let world = World::in_memory();
            if !is_killed_in_run(&world, edit, n) {
                break;
            }
            let open = world.journal_files_of("open");
            let [entry] = open.as_slice() else {
                continue;
            };
            let entry = world.journal_folder().join(entry);
            let bytes = fs_err::read(&entry).unwrap();
            // One third of the damages at each kill point; over all edits each kind meets each kill
            // point.
            let damages = damages(&bytes);
            for (what, damaged) in damages.iter().skip(n % 3).step_by(3) {
                let world = World::in_memory();
                assert!(is_killed_in_run(&world, edit, n));
                let entry = world.journal_file("open");
                fs_err::write(&entry, damaged).unwrap();
                check(
                    &world,
                    &before,
                    &after,
                    &format!("{name}, killed at {n}, {what}"),
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

/// A run that was killed after its first change.
fn cut_off(world: &World) -> (Uuid, Vec<Change>) {
    let run = Uuid::new_v4();
    let vault = world.vault();
    let changes = vec![
        modify("a.md", "one\r\n[[b]]", "1"),
        modify("b.md", "two", "2"),
    ];
    let lock = world.lock();
    drop(
        lock.begin(&vault, new_entry(run, PlannedRun::Changes(&changes), now()))
            .unwrap(),
    );
    Editor(&vault)
        .apply(&changes[..1], &run.to_string())
        .unwrap();
    (run, changes)
}

#[test]
fn h11_what_the_journal_lost_is_taken_from_the_temporary_files_of_the_run() {
    let world = World::new();
    let before = world.tree();
    let (run, _) = cut_off(&world);
    // The state after a kill between the exchange and the removal.
    world.write(&format!(".vault-gw-{run}-0.tmp"), "one\r\n[[b]]");
    let entry = world.journal_file("open");
    let bytes = fs_err::read(&entry).unwrap();
    let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    fs_err::write(&entry, &bytes[..=line]).unwrap();
    let left_alone = Vec::new();
    assert_eq!(outcome(&world), Some(Outcome::PutBack { left_alone }));
    assert_eq!(world.tree(), before);
    assert_eq!(outcome(&world), None);
}

#[test]
fn h11_a_damaged_entry_warns_until_its_owner_forgets_it() {
    let world = World::new();
    let (run, _) = cut_off(&world);
    let leftover = format!("deep/.vault-gw-{run}-7.tmp");
    world.write(&leftover, "text of a note");
    fs_err::write(world.journal_file("open"), "").unwrap();
    let tree = world.tree();
    for _ in 0..3 {
        let run = recovered(&world).unwrap();
        assert_eq!(run.outcome, Outcome::Damaged);
        assert_eq!(run.leftovers, [path(&leftover)]);
    }
    // Other runs continue meanwhile.
    let other = Uuid::new_v4();
    world
        .try_run(other, &[modify("c.md", "[[b]] three\n", "3")], now())
        .unwrap();
    let failure = world.lock().forget(&RunPrefix::from(other)).unwrap_err();
    assert_eq!(failure.code, Code::PreconditionFailed);
    assert_eq!(world.lock().forget(&RunPrefix::from(run)).unwrap(), run);
    assert_eq!(outcome(&world), None);
    assert!(world.journal().unfinished().unwrap().is_empty());
    world.journal_file("damaged");
    assert_eq!(world.tree()[&leftover], tree[&leftover]);
}

#[test]
fn h11_an_entry_that_is_not_whole_beside_temporary_files_of_its_run_is_damage() {
    let world = World::new();
    let (run, _) = cut_off(&world);
    world.write(&format!(".vault-gw-{run}-1.tmp"), "2");
    let open = world.journal_file("open");
    fs_err::rename(&open, open.with_extension("new")).unwrap();
    let new = world.journal_file("new");
    let bytes = fs_err::read(&new).unwrap();
    fs_err::write(&new, &bytes[..bytes.len() / 2]).unwrap();
    for _ in 0..2 {
        assert!(matches!(outcome(&world), Some(Outcome::Damaged)));
    }
    world.journal_file("open");
}

/// The entry is well-formed JSON and differs from what was written.
#[test]
fn h11_an_altered_path_or_state_in_an_entry_is_damage() {
    let world = World::new();
    let (_, changes) = cut_off(&world);
    assert_eq!(changes.len(), 2);
    let entry = world.journal_file("open");
    let text = fs_err::read(&entry).unwrap();
    let at = text.windows(4).position(|four| four == b"a.md").unwrap();
    let mut altered = text.clone();
    altered[at] = b'c';
    fs_err::write(&entry, altered).unwrap();
    assert!(matches!(outcome(&world), Some(Outcome::Damaged)));
    fs_err::write(&entry, text).unwrap();
    let left_alone = Vec::new();
    assert_eq!(outcome(&world), Some(Outcome::PutBack { left_alone }));
    let found = Editor(&world.vault()).state_at(&path("a.md")).unwrap();
    assert!(matches!(found, State::File { size: 10, .. }));
}
