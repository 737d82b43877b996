//! Undo and redo.

use std::io;
use std::sync::{Arc, Mutex};

use uuid::Uuid;
use vault_engine::{Detail, Failpoints, Step, VaultPath};

use super::world::{
    World, carry_out, create, edits, make_folder, modify, now, path, relocate, remove,
};
use crate::journal::{Direction, EditedSince, PlannedRun, RunEnd, RunPrefix, RunStanding};
use protocol::{Code, Failure};

/// The hints of a failure, for a person.
fn hints(failure: &Failure) -> String {
    failure.hints().map(protocol::Message::for_person).collect()
}

#[test]
fn every_edit_is_undone_and_done_again_byte_for_byte() {
    for (name, changes) in edits() {
        let world = World::new();
        let before = world.tree();
        let run = world.run(&changes);
        let after = world.tree();
        assert_ne!(before, after, "{name}");
        let undo = world.undo(None).unwrap();
        assert_eq!(world.tree(), before, "{name}");
        let redo = world.undo(Some(undo)).unwrap();
        assert_eq!(world.tree(), after, "{name}");
        // A redo is not a change of its own: `undo` without an id still takes the edit.
        world.undo(None).unwrap();
        assert_eq!(world.tree(), before, "{name}");
        let listing = world.journal().entries().unwrap();
        assert_eq!(listing.entries.len(), 4);
        let of = |run: Uuid| {
            let mut entries = listing.entries.iter();
            entries.find(|listed| listed.entry.run_id == run).unwrap()
        };
        assert!(
            matches!(of(run).standing, RunStanding::Undone { .. }),
            "{name}"
        );
        assert_eq!(of(undo).standing, RunStanding::Undone { by: redo });
    }
}

#[cfg(unix)]
#[test]
fn permissions_come_back_with_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let secret = world.root.join("b.md");
    fs_err::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    let before = world.tree();
    world.run(&[remove("b.md", "two")]);
    world.undo(None).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn of_files_with_equal_contents_each_comes_back() {
    for edited_since in [None, Some("mine")] {
        let world = World::new();
        world.write("twin.md", "two");
        let mut before = world.tree();
        world.run(&[
            relocate("b.md", "moved.md", "two"),
            relocate("twin.md", "b.md", "two"),
            modify("moved.md", "two", "two and more"),
        ]);
        if let Some(text) = edited_since {
            // Only the journal has the content then. The edit stays, because the run left the same text at this path.
            world.write("b.md", text);
            let file = before.get_mut("b.md").unwrap();
            file.0 = Some(text.as_bytes().to_vec());
        }
        world.undo(None).unwrap();
        assert_eq!(world.tree(), before);
    }
}

#[test]
fn runs_are_undone_one_after_the_other() {
    let world = World::new();
    let start = world.tree();
    world.run(&[modify("b.md", "two", "2")]);
    let middle = world.tree();
    world.run(&[modify("b.md", "2", "second")]);
    world.undo(None).unwrap();
    assert_eq!(world.tree(), middle);
    world.undo(None).unwrap();
    assert_eq!(world.tree(), start);
    let failure = world.undo(None).unwrap_err();
    assert_eq!(failure.code, Code::UsageError);
}

#[test]
fn what_was_edited_since_is_not_undone_and_nothing_is_touched() {
    let world = World::new();
    let run = world.run(&[
        modify("a.md", "one\r\n[[b]]", "1"),
        modify("b.md", "two", "2"),
        create("new.md", "new"),
    ]);
    world.write("b.md", "mine");
    fs_err::remove_file(world.root.join("new.md")).unwrap();
    let now = world.tree();
    let failure = world.undo(Some(run)).unwrap_err();
    assert_eq!(failure.code, Code::PreconditionFailed);
    assert_eq!(
        failure.details["paths"],
        serde_json::json!(["b.md", "new.md"])
    );
    assert_eq!(world.tree(), now);
    assert!(world.journal().unfinished().unwrap().is_empty());
}

/// The journal has no copy of a file that is only moved. The hints of a refused undo name only what works.
#[test]
fn h21_a_moved_file_is_moved_back_with_its_text_or_the_answer_says_that_there_is_no_copy() {
    let changes = [
        make_folder("z"),
        relocate("b.md", "z/b.md", "two"),
        modify("a.md", "one\r\n[[b]]", "one\r\n[[z/b]]"),
    ];
    let undo_over = |world: &World, run| {
        let (vault, lock) = (world.vault(), world.lock());
        let run = lock.reversible(Direction::Undo, Some(&RunPrefix::from(run)), None);
        let over = lock.undo(&vault, run.unwrap(), EditedSince::Overwritten)?;
        carry_out(&vault, &lock, &over).map(|_| over)
    };
    // The file was edited: it goes back with its text, and the note with the link is restored.
    let world = World::new();
    let mut before = world.tree();
    let run = world.run(&changes);
    world.write("z/b.md", "edited");
    let after = world.tree();
    let hint = hints(&world.undo(Some(run)).unwrap_err());
    assert!(hint.contains("--over` moves the file back"), "{hint}");
    let over = undo_over(&world, run).unwrap();
    assert_eq!((over.overwritten, over.without_copy), (vec![], vec![]));
    before.get_mut("b.md").unwrap().0 = Some(b"edited".to_vec());
    assert_eq!(world.tree(), before);
    world.reverse(Direction::Redo, None).unwrap();
    assert_eq!(world.tree(), after);

    // The file is gone, or another one has its place: only the rest is restored.
    for (is_there, only_moved) in [(false, false), (false, true), (true, false)] {
        let world = World::new();
        let run = world.run(&changes[..if only_moved { 2 } else { 3 }]);
        if is_there {
            world.write("z/b.md", "edited");
            world.write("b.md", "another");
        } else {
            fs_err::remove_dir_all(world.root.join("z")).unwrap();
        }
        let mut expected = world.tree();
        let refused = world.undo(Some(run)).unwrap_err();
        assert_eq!(refused.code, Code::PreconditionFailed);
        let text = format!("{} {}", refused.message().text(), hints(&refused));
        assert!(text.contains("no copy of"), "{text}");
        assert!(!text.contains("--show"), "{text}");
        assert_eq!(text.contains("--over"), !only_moved, "{text}");
        match undo_over(&world, run) {
            Ok(over) => {
                assert_eq!(over.without_copy[0].path.as_deref(), Some("b.md"));
                expected.get_mut("a.md").unwrap().0 = Some(b"one\r\n[[b]]".to_vec());
            }
            Err(failure) => {
                assert!(only_moved, "{failure:?}");
                assert_eq!(failure.code, Code::PreconditionFailed);
                assert_eq!(failure.details["paths"], serde_json::json!(["b.md"]));
            }
        }
        assert_eq!(world.tree(), expected);
    }

    // A note that the run made has no earlier text.
    let world = World::new();
    let run = world.run(&[create("new.md", "new")]);
    world.write("new.md", "mine");
    let hint = hints(&world.undo(Some(run)).unwrap_err());
    assert!(
        hint.contains("--over") && !hint.contains("--show"),
        "{hint}"
    );
}

/// Each undo and redo takes back the one before it, also if that one replaced a later text.
#[test]
fn a_text_that_a_redo_replaced_comes_back() {
    let world = World::new();
    let run = world.run(&[modify("b.md", "two", "2")]);
    let undo = world.undo(None).unwrap();
    world.write("b.md", "mine");
    let over = EditedSince::Overwritten;
    world
        .reverse_where(Direction::Undo, Some(undo), over)
        .unwrap();
    let text = || fs_err::read_to_string(world.root.join("b.md")).unwrap();
    assert_eq!(text(), "2");
    for run in [None, Some(run)] {
        world.undo(run).unwrap();
        assert_eq!(text(), "mine", "{run:?}");
        world.reverse(Direction::Redo, None).unwrap();
        assert_eq!(text(), "2");
    }
}

#[test]
fn a_folder_that_is_used_since_stays() {
    let world = World::new();
    world.run(&[make_folder("new"), create("new/e.md", "e")]);
    world.write("new/mine.md", "mine");
    world.undo(None).unwrap();
    assert!(!world.root.join("new/e.md").exists());
    assert!(world.root.join("new/mine.md").exists());
}

#[cfg(unix)]
#[test]
fn d03_a_symlink_in_the_place_of_a_note_is_not_followed() {
    let world = World::new();
    world.run(&[modify("b.md", "two", "2")]);
    let outside = world.state.join("outside.md");
    fs_err::write(&outside, "2").unwrap();
    fs_err::remove_file(world.root.join("b.md")).unwrap();
    fs_err::os::unix::fs::symlink(&outside, world.root.join("b.md")).unwrap();
    let failure = world.undo(None).unwrap_err();
    assert_eq!(failure.code, Code::PreconditionFailed);
    assert_eq!(fs_err::read_to_string(outside).unwrap(), "2");
}

#[test]
fn unknown_runs_and_undone_runs_are_distinguished() {
    let world = World::new();
    let unknown = world.undo(Some(Uuid::new_v4())).unwrap_err();
    assert_eq!(unknown.code, Code::UsageError);
    let run = world.run(&[modify("b.md", "two", "2")]);
    let undo = world.undo(Some(run)).unwrap();
    let again = world.undo(Some(run)).unwrap_err();
    assert_eq!(again.code, Code::PreconditionFailed);
    assert_eq!(again.details["undoneBy"], undo.to_string());
    let twice = world.try_run(run, &[modify("b.md", "two", "2")], now());
    assert_eq!(twice.unwrap_err().code, Code::UsageError);
}

/// The result of the app is read from the folder, also where the app did more than planned.
#[test]
fn a_run_of_the_official_program_is_undone_by_what_it_left() {
    let world = World::new();
    let before = world.tree();
    let planned = [
        relocate("b.md", "deep/b.md", "two"),
        modify("a.md", "one\r\n[[b]]", "?"),
    ];
    let further: [VaultPath; 2] = [path("c.md"), path("a.md")];
    let act = || {
        fs_err::rename(world.root.join("b.md"), world.root.join("deep/b.md")).unwrap();
        world.write("a.md", "as the app writes it");
        world.write("c.md", "beyond the plan");
    };
    let ended = RunEnd {
        kept: &[],
        further: &further,
        is_verified: true,
    };
    let entry = world.run_of_app(PlannedRun::Changes(&planned), act, ended);
    assert_eq!(entry.unplanned, [path("c.md")]);
    world.undo(Some(entry.run_id)).unwrap();
    let mut expected = before;
    expected.get_mut("c.md").unwrap().0 = Some(b"beyond the plan".to_vec());
    assert_eq!(world.tree(), expected);
}

#[test]
fn a_file_that_the_app_loses_while_it_moves_it_comes_back() {
    let world = World::new();
    let before = world.tree();
    let planned = [relocate("b.md", "deep/b.md", "two")];
    let lose = || fs_err::remove_file(world.root.join("b.md")).unwrap();
    let ended = RunEnd {
        is_verified: false,
        ..RunEnd::AS_REQUESTED
    };
    let entry = world.run_of_app(PlannedRun::Changes(&planned), lose, ended);
    world.undo(Some(entry.run_id)).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn a_run_whose_paths_alone_are_known_is_undone() {
    let world = World::new();
    let before = world.tree();
    let paths = [path("b.md"), path("new.md"), path("deep/d.md")];
    let act = || {
        fs_err::remove_file(world.root.join("b.md")).unwrap();
        world.write("new.md", "made by the app");
    };
    world.run_of_app(PlannedRun::Paths(&paths), act, RunEnd::AS_REQUESTED);
    world.undo(None).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn h16_a_folder_that_is_gone_by_now_is_made_again_with_those_above_it() {
    for is_redone in [false, true] {
        let world = World::new();
        world.run(&[make_folder("deep/er"), make_folder("deep/er/still")]);
        world.run(&[
            create("deep/er/still/one.md", "1"),
            create("deep/er/still/two.md", "2"),
        ]);
        let before = world.tree();
        let run = world.run(&[
            remove("deep/er/still/one.md", "1"),
            relocate("deep/er/still/two.md", "two.md", "2"),
            remove("deep/d.md", "[[b]]"),
            remove("deep/pixel.png", "\u{1}\u{2}\u{3}"),
        ]);
        fs_err::remove_dir_all(world.root.join("deep")).unwrap();
        let without = world.tree();
        let undo = world.undo(Some(run)).unwrap();
        assert_eq!(world.tree(), before);
        if is_redone {
            world.undo(Some(undo)).unwrap();
            assert_eq!(world.tree(), without, "the folders are removed again");
        }
    }
}

#[test]
fn h16_what_stands_in_the_place_of_a_folder_above_is_not_touched() {
    let world = World::new();
    let run = world.run(&[
        remove("deep/d.md", "[[b]]"),
        remove("deep/pixel.png", "\u{1}\u{2}\u{3}"),
    ]);
    fs_err::remove_dir(world.root.join("deep")).unwrap();
    world.write("deep", "a file by now");
    let before = world.tree();
    let failure = world.undo(Some(run)).unwrap_err();
    assert_eq!(failure.code, Code::PreconditionFailed);
    assert_eq!(failure.details["path"], "deep");
    assert_eq!(world.tree(), before);
}

#[cfg(unix)]
#[test]
fn h16_d03_a_symlink_in_the_place_of_a_folder_above_is_not_followed() {
    let world = World::new();
    world.run(&[make_folder("deep/er"), create("deep/er/one.md", "1")]);
    let run = world.run(&[remove("deep/er/one.md", "1")]);
    fs_err::remove_dir(world.root.join("deep/er")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    for link in ["deep/er", "deep"] {
        let at = world.root.join(link);
        if link == "deep" {
            fs_err::remove_dir_all(&at).unwrap();
        }
        fs_err::os::unix::fs::symlink(elsewhere.path(), at).unwrap();
        let failure = world.undo(Some(run)).unwrap_err();
        assert_ne!(failure.code, Code::InternalError);
        assert_eq!(fs_err::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}

/// A run of the official program that was not verified: another program may have written the note
/// meanwhile, so only the planned state is undone.
#[test]
fn h16_an_edit_of_another_program_during_an_unverified_run_is_not_undone() {
    for (found, is_undone) in [("as planned", true), ("as planned\nand edited", false)] {
        let world = World::new();
        let before = world.tree();
        let planned = [modify("a.md", "one\r\n[[b]]", "as planned")];
        let ended = RunEnd {
            kept: &[],
            further: &[],
            is_verified: false,
        };
        let act = || world.write("a.md", found);
        world.run_of_app(PlannedRun::Changes(&planned), act, ended);
        let undone = world.undo(None);
        if is_undone {
            undone.unwrap();
            assert_eq!(world.tree(), before);
        } else {
            assert_eq!(undone.unwrap_err().code, Code::PreconditionFailed);
            assert_eq!(world.tree()["a.md"].0, Some(found.into()));
        }
    }
}

/// Records the calls on a vault.
#[derive(Default)]
struct Recorded(Mutex<Vec<Step>>);

impl Failpoints for Recorded {
    fn before(&self, step: Step) -> io::Result<()> {
        self.0.lock().unwrap().push(step);
        Ok(())
    }
}

/// Otherwise others could read the note for a moment, and permanently after a kill.
#[cfg(unix)]
#[test]
fn h16_a_note_that_is_put_back_has_its_permissions_before_its_name() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new();
    let note = world.root.join("b.md");
    fs_err::set_permissions(&note, std::fs::Permissions::from_mode(0o600)).unwrap();
    let before = world.tree();
    world.run(&[remove("b.md", "two")]);
    let steps = Arc::new(Recorded::default());
    let vault = world.vault().with_failpoints(steps.clone());
    let lock = world.lock();
    let undoing = lock
        .undo(
            &vault,
            lock.reversible(Direction::Undo, None, None).unwrap(),
            EditedSince::Refused,
        )
        .unwrap();
    undoing.restoration.apply(&vault, "undo").unwrap();
    assert_eq!(world.tree(), before);
    let steps = steps.0.lock().unwrap();
    let named = steps
        .iter()
        .position(|step| step.path == "b.md" && matches!(step.call, "rename" | "link"));
    let modes = steps.iter().rposition(|step| step.call == "chmod");
    assert!(modes.unwrap() < named.unwrap(), "{steps:?}");
}

/// Git and macOS make decomposed names, and pasted text brings no-break spaces.
#[cfg(unix)]
#[test]
fn b10_undo_gives_a_file_the_name_that_it_had_on_the_disk() {
    use std::os::unix::ffi::OsStrExt as _;

    let names: [&[u8]; 3] = [
        "no\u{301}te.md".as_bytes(),
        "nb\u{a0}sp.md".as_bytes(),
        b"b\xff.md",
    ];
    for name in names {
        for is_moved in [false, true] {
            let world = World::new();
            let file = world.root.join(std::ffi::OsStr::from_bytes(name));
            fs_err::write(&file, "odd").unwrap();
            let vault = world.vault();
            let contents = vault.contents(&VaultPath::root(), Detail::Names).unwrap();
            let mut paths = contents.files.iter().map(|file| file.path.as_str());
            let known = ["a.md", "b.md", "c.md", "deep/d.md", "deep/pixel.png"];
            let odd = paths.find(|path| !known.contains(path)).unwrap();
            if is_moved {
                world.run(&[relocate(odd, "plain.md", "odd")]);
            } else {
                world.run(&[remove(odd, "odd")]);
            }
            assert!(!file.exists());
            let undo = world.undo(None).unwrap();
            assert!(file.exists(), "{name:?}");
            world.undo(Some(undo)).unwrap();
            world.undo(None).unwrap();
            assert!(file.exists(), "{name:?}");
        }
    }
}
