//! The repairs that the next process makes after an interrupted run.

use std::time::Duration;

use uuid::Uuid;
use vault_engine::{Change, Editor, Version};

use super::world::{
    World, create, edits, make_folder, modify, new_entry, now, path, relocate, remove,
};
use crate::journal::{CutOff, NewEntry, Outcome, PlannedRun, RunStanding};
use allowlist::BackendName;
use protocol::Code;

/// Begins a run and does not end it, like a killed process.
fn leave(world: &World, backend: BackendName, changes: &[Change], applied: &[Change]) -> Uuid {
    let run = Uuid::new_v4();
    let vault = world.vault();
    let lock = world.lock();
    let new = NewEntry {
        backend,
        ..new_entry(run, PlannedRun::Changes(changes), now())
    };
    drop(lock.begin(&vault, new).unwrap());
    Editor(&vault).apply(applied, &run.to_string()).unwrap();
    run
}

fn recover(world: &World) -> Vec<Outcome> {
    let recovered = world.lock().recover(&world.vault(), now()).unwrap();
    recovered.into_iter().map(|run| run.outcome).collect()
}

#[test]
fn a_run_that_did_nothing_is_forgotten_and_one_that_did_all_is_closed() {
    for (name, changes) in edits() {
        let world = World::new();
        let before = world.tree();
        leave(&world, BackendName::Embedded, &changes, &[]);
        assert_eq!(recover(&world), [Outcome::NothingHappened], "{name}");
        assert!(world.journal().entries().unwrap().entries.is_empty());
        leave(&world, BackendName::Embedded, &changes, &changes);
        assert_eq!(recover(&world), [Outcome::Finished], "{name}");
        assert_eq!(recover(&world), []);
        world.undo(None).unwrap();
        assert_eq!(world.tree(), before, "{name}");
    }
}

#[test]
fn any_beginning_of_a_run_is_taken_back() {
    for (name, changes) in edits() {
        for done in 1..changes.len() {
            let world = World::new();
            let before = world.tree();
            leave(&world, BackendName::Embedded, &changes, &changes[..done]);
            let left_alone = Vec::new();
            assert_eq!(
                recover(&world),
                [Outcome::PutBack { left_alone }],
                "{name} {done}"
            );
            assert_eq!(world.tree(), before, "{name} {done}");
            assert!(world.journal().entries().unwrap().entries.is_empty());
        }
    }
}

#[test]
fn later_writes_of_others_are_kept_and_reported() {
    let world = World::new();
    let changes = [
        modify("a.md", "one\r\n[[b]]", "1"),
        modify("b.md", "two", "2"),
        modify("c.md", "[[b]] three\n", "3"),
    ];
    let run = leave(&world, BackendName::Embedded, &changes, &changes[..2]);
    world.write("b.md", "mine");
    let left_alone = vec![path("b.md")];
    let recovered = world.lock().recover(&world.vault(), now()).unwrap();
    assert_eq!(recovered[0].outcome, Outcome::PutBack { left_alone });
    assert!(
        recovered[0]
            .issue(|_| true)
            .message
            .text()
            .contains("`b.md`")
    );
    let tree = world.tree();
    assert_eq!(tree["a.md"].0.as_deref(), Some(&b"one\r\n[[b]]"[..]));
    assert_eq!(tree["b.md"].0.as_deref(), Some(&b"mine"[..]));
    // `undo` without an id does not take this run, and with its id it does not overwrite the note.
    assert_eq!(world.undo(None).unwrap_err().code, Code::UsageError);
    let failure = world.undo(Some(run)).unwrap_err();
    assert_eq!(failure.code, Code::PreconditionFailed);
    assert_eq!(world.tree(), tree);
}

#[test]
fn a_moved_note_that_another_program_saved_goes_back_with_its_text() {
    let world = World::new();
    let mut expected = world.tree();
    let changes = [
        make_folder("z"),
        relocate("b.md", "z/b.md", "two"),
        modify("z/b.md", "two", "2"),
        modify("a.md", "one\r\n[[b]]", "1"),
    ];
    leave(&world, BackendName::Embedded, &changes, &changes[..3]);
    world.write("z/b.md", "mine");
    let left_alone = Vec::new();
    assert_eq!(recover(&world), [Outcome::PutBack { left_alone }]);
    expected.get_mut("b.md").unwrap().0 = Some(b"mine".to_vec());
    assert_eq!(world.tree(), expected);
}

#[test]
fn who_went_on_from_a_finished_run_keeps_all_of_it() {
    let world = World::new();
    let changes = [
        modify("a.md", "one\r\n[[b]]", "1"),
        modify("b.md", "two", "2"),
    ];
    leave(&world, BackendName::Embedded, &changes, &changes);
    world.write("b.md", "2 and more");
    let tree = world.tree();
    assert_eq!(recover(&world), [Outcome::Finished]);
    assert_eq!(world.tree(), tree);
}

/// A path that is not as planned may be another program's, and is not undone.
#[test]
fn e17_what_the_official_program_began_is_never_taken_back_but_can_be_undone() {
    for (found, is_undone) in [("1", true), ("1!", false)] {
        let world = World::new();
        let before = world.tree();
        let changes = [
            modify("a.md", "one\r\n[[b]]", "1"),
            modify("b.md", "two", "2"),
        ];
        let half = [modify("a.md", "one\r\n[[b]]", found)];
        leave(&world, BackendName::Obsidian, &changes, &half);
        let after = world.tree();
        assert_eq!(recover(&world), [Outcome::Interrupted]);
        assert_eq!(world.tree(), after);
        let entries = world.journal().entries().unwrap().entries;
        assert_eq!(entries[0].standing, RunStanding::Interrupted);
        if is_undone {
            world.undo(None).unwrap();
            assert_eq!(world.tree(), before);
        } else {
            let failure = world.undo(None).unwrap_err();
            assert_eq!(failure.code, Code::PreconditionFailed);
            assert_eq!(world.tree(), after);
        }
    }
}

/// Another program wrote between the comparison and the exchange, and then the power failed: its
/// version is under the temporary name.
#[test]
fn a_version_that_was_pushed_aside_takes_its_place_again() {
    let world = World::new();
    let changes = [
        modify("a.md", "one\r\n[[b]]", "1"),
        modify("b.md", "two", "2"),
    ];
    let run = leave(&world, BackendName::Embedded, &changes, &changes[1..]);
    world.write(&format!(".vault-gw-{run}-1.tmp"), "typed a moment ago");
    let left_alone = Vec::new();
    assert_eq!(recover(&world), [Outcome::PutBack { left_alone }]);
    let tree = world.tree();
    assert_eq!(tree["b.md"].0.as_deref(), Some(&b"typed a moment ago"[..]));
    assert_eq!(tree["a.md"].0.as_deref(), Some(&b"one\r\n[[b]]"[..]));
    assert!(!tree.keys().any(|name| name.contains(".vault-gw-")));
}

/// The run was killed before it replaced a note, and another note was edited since.
#[test]
fn h11_a_note_that_was_not_replaced_is_not_replaced_by_a_temporary_file() {
    for text in ["", "typed a moment ago"] {
        let world = World::new();
        let changes = [
            modify("a.md", "one\r\n[[b]]", "1"),
            modify("b.md", "two", "2"),
        ];
        let run = leave(&world, BackendName::Embedded, &changes, &[]);
        let leftover = format!(".vault-gw-{run}-1.tmp");
        world.write(&leftover, text);
        world.write("a.md", "mine");
        let tree = world.tree();
        let recovered = world.lock().recover(&world.vault(), now()).unwrap();
        assert_eq!(recovered[0].leftovers, [path(&leftover)]);
        assert_eq!(recovered[0].saved, []);
        assert_eq!(world.tree(), tree);
    }
}

/// A version was pushed aside, and then a person edited the note before the next call. The saved version is the text before the run.
#[test]
fn a_version_that_was_pushed_aside_is_kept_when_the_note_was_edited_since() {
    for (folder, note, change) in [
        ("", "b.md", modify("b.md", "two", "2")),
        ("", "e.md", create("e.md", "e")),
        ("", "b.md", remove("b.md", "two")),
        // The folder has no file of the run.
        ("deep/", "b.md", modify("b.md", "two", "2")),
    ] {
        let world = World::new();
        let applied = std::slice::from_ref(&change);
        let run = leave(&world, BackendName::Embedded, applied, applied);
        let leftover = format!("{folder}.vault-gw-{run}-0.tmp");
        world.write(&leftover, "typed a moment ago");
        world.write(note, "and more");
        let recovered = world.lock().recover(&world.vault(), now()).unwrap();
        let message = recovered[0].issue(|_| true).message.text();
        let tree = world.tree();
        assert_eq!(tree[note].0.as_deref(), Some(&b"and more"[..]));
        if !folder.is_empty() {
            assert_eq!(recovered[0].leftovers, [path(&leftover)]);
            assert!(message.contains(&leftover) && tree.contains_key(&leftover));
            continue;
        }
        assert_eq!(recovered[0].saved, [path(note)]);
        assert!(message.contains(&format!("saved in `{note}`")), "{message}");
        assert!(!tree.contains_key(&leftover), "{note}");
        let entry = &world.journal().entries().unwrap().entries[0].entry;
        assert_eq!(
            entry.files[0].before.version(),
            Some(Version::from_bytes(b"typed a moment ago"))
        );
    }
}

/// Another program saved the file at the moment when the run moved it.
#[test]
fn a_version_that_was_moved_goes_back_with_the_file() {
    let world = World::new();
    let changes = [
        relocate("b.md", "deep/b.md", "two"),
        modify("a.md", "one\r\n[[b]]", "1"),
    ];
    let mut before = world.tree();
    leave(&world, BackendName::Embedded, &changes, &changes[..1]);
    world.write("deep/b.md", "typed a moment ago");
    let left_alone = Vec::new();
    assert_eq!(recover(&world), [Outcome::PutBack { left_alone }]);
    before.get_mut("b.md").unwrap().0 = Some(b"typed a moment ago".to_vec());
    assert_eq!(world.tree(), before);
    assert_eq!(recover(&world), []);
}

#[test]
fn h11_a_run_whose_entry_was_never_whole_had_not_begun() {
    let world = World::new();
    let before = world.tree();
    let text = "kept with the entry";
    world.write("b.md", text);
    leave(
        &world,
        BackendName::Embedded,
        &[modify("b.md", text, "2")],
        &[],
    );
    world.write("b.md", "two");
    let whole = world.journal_file("open");
    let bytes = fs_err::read(&whole).unwrap();
    fs_err::remove_file(&whole).unwrap();
    let entry = whole.with_extension("new");
    let lock = world.journal_folder().join("lock");
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        // The copy keeps the permissions of the journal's own file.
        fs_err::copy(&lock, &entry).unwrap();
        fs_err::write(&entry, &bytes[..length]).unwrap();
        assert_eq!(recover(&world), [Outcome::NothingHappened], "{length}");
        assert_eq!(recover(&world), []);
        assert_eq!(world.tree(), before);
    }
}

#[test]
fn an_abandoned_run_leaves_no_entry() {
    let world = World::new();
    let vault = world.vault();
    let lock = world.lock();
    let changes = [modify("b.md", "two", "2")];
    let new = new_entry(Uuid::new_v4(), PlannedRun::Changes(&changes), now());
    lock.begin(&vault, new).unwrap().abandon().unwrap();
    assert!(lock.recover(&vault, now()).unwrap().is_empty());
    assert!(world.journal().entries().unwrap().entries.is_empty());
}

#[test]
fn h11_a_reader_finds_a_cut_off_run_by_its_entry_whatever_became_of_the_other_files() {
    let world = World::new();
    let looked = |patience: Duration| world.journal().cut_off(patience).unwrap();
    // Between fork and exec, a process that another test starts holds the lock too.
    let cut_off = || looked(Duration::from_secs(30));
    assert!(matches!(cut_off(), CutOff::Nothing) && !world.state.exists());
    world.run(&[modify("b.md", "two", "2")]);
    assert!(matches!(cut_off(), CutOff::Nothing));
    let before = world.tree();
    let changes = [create("e.md", "e"), modify("b.md", "2", "two")];
    leave(&world, BackendName::Embedded, &changes, &changes[..1]);
    let busy = world.lock();
    assert!(
        matches!(looked(Duration::ZERO), CutOff::UnderWay),
        "and says so"
    );
    drop(busy);
    // The file with the holder's process id after a kill or a power failure.
    let holder = world.journal_file("holder");
    for text in ["", "4", "999999", "\0\0\0\0"] {
        fs_err::write(&holder, text).unwrap();
        assert!(matches!(cut_off(), CutOff::Run(_)), "{text:?}");
    }
    fs_err::remove_file(&holder).unwrap();
    let CutOff::Run(lock) = cut_off() else {
        panic!("the entry is still there");
    };
    lock.recover(&world.vault(), now()).unwrap();
    drop(lock);
    assert_eq!(world.tree(), before);
    assert!(matches!(cut_off(), CutOff::Nothing));
}
