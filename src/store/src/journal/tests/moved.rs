//! The history of a vault folder that was moved, copied or replaced.

use std::path::{Path, PathBuf};

use uuid::Uuid;
use vault_engine::Failpoints;

use super::world::{FailFrom, World, create, modify};
use protocol::Deadline;

const NONE: [Uuid; 0] = [];

/// The runs in the journal of the vault in this folder, newest first.
fn runs(world: &World) -> Vec<Uuid> {
    let listing = world.journal().entries().unwrap();
    assert_eq!(listing.warnings, []);
    let entries = listing.entries.into_iter();
    entries.map(|listed| listed.entry.run_id).collect()
}

/// A folder next to the vault.
fn beside(world: &World, name: &str) -> PathBuf {
    world.root.with_file_name(name)
}

/// The same state folder, with the vault in this folder.
fn at(world: &World, root: &Path) -> World {
    World::at(root, &world.state)
}

/// Moves the vault to the folder of this name.
fn moved(world: &World, name: &str) -> World {
    let to = beside(world, name);
    fs_err::create_dir_all(to.parent().unwrap()).unwrap();
    fs_err::rename(&world.root, &to).unwrap();
    at(world, &to)
}

pub(super) fn copy(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn h16_the_history_follows_a_folder_that_is_moved_and_moved_back() {
    let world = World::new();
    let before = world.tree();
    let first = world.run(&[modify("b.md", "two", "2")]);
    let elsewhere = moved(&world, "Archive/Old notes");
    assert_eq!(
        runs(&elsewhere),
        [first],
        "before anything is written there"
    );
    let second = elsewhere.run(&[create("e.md", "e")]);
    assert_eq!(runs(&elsewhere), [second, first]);
    let again = moved(&elsewhere, "Once more");
    assert_eq!(runs(&again), [second, first]);
    fs_err::rename(&again.root, &world.root).unwrap();
    assert_eq!(runs(&world), [second, first]);
    world.undo(None).unwrap();
    world.undo(Some(first)).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn h16_a_copy_has_no_history_whether_or_not_the_original_is_there() {
    let world = World::new();
    let run = world.run(&[modify("b.md", "two", "2")]);
    let duplicate = at(&world, &beside(&world, "Copy"));
    copy(&world.root, &duplicate.root);
    assert_eq!(runs(&duplicate), NONE);
    let own = duplicate.run(&[create("e.md", "e")]);
    assert_eq!(runs(&duplicate), [own]);
    assert_eq!(runs(&world), [run]);
    fs_err::remove_dir_all(&world.root).unwrap();
    let later = at(&world, &beside(&world, "Copy of the copy"));
    copy(&duplicate.root, &later.root);
    assert_eq!(runs(&later), NONE);
    assert_eq!(runs(&duplicate), [own]);
}

/// Here the copy at the old path is opened first.
#[test]
fn h16_what_stands_at_the_old_path_does_not_take_the_history() {
    let world = World::new();
    let run = world.run(&[modify("b.md", "two", "2")]);
    let original = moved(&world, "Moved");
    copy(&original.root, &world.root);
    assert_eq!(runs(&world), NONE);
    let own = world.run(&[create("e.md", "e")]);
    assert_eq!((runs(&world), runs(&original)), (vec![own], vec![run]));
    let second = original.run(&[create("f.md", "f")]);
    assert_eq!(
        (runs(&world), runs(&original)),
        (vec![own], vec![second, run])
    );
    // The two folders swap their paths.
    let third = moved(&world, "Third");
    fs_err::rename(&original.root, &world.root).unwrap();
    assert_eq!((runs(&third), runs(&world)), (vec![own], vec![second, run]));
    world.undo(Some(run)).unwrap();
    third.undo(None).unwrap();
}

/// A restored backup and a new clone are new folders, but have the same notes.
#[test]
fn h16_the_history_of_an_earlier_folder_is_named_and_can_be_used() {
    let world = World::new();
    let before = world.tree();
    let run = world.run(&[modify("b.md", "two", "2")]);
    let is_named = || world.journal().earlier_issue().unwrap().is_some();
    let replace = || {
        let new = beside(&world, "New");
        copy(&world.root, &new);
        fs_err::remove_dir_all(&world.root).unwrap();
        fs_err::rename(new, &world.root).unwrap();
    };
    let adopt = || {
        let journal = world.journal();
        journal.adopt_earlier(Deadline::after_ms(1000)).unwrap();
    };
    assert!(!is_named());
    replace();
    assert_eq!((runs(&world), is_named()), (NONE.to_vec(), true));
    adopt();
    assert_eq!((runs(&world), is_named()), (vec![run], false));
    // This folder gets a history of its own first. Each of the two can be used.
    replace();
    let own = world.run(&[create("e.md", "e")]);
    for expected in [run, own, run] {
        adopt();
        assert_eq!((runs(&world), is_named()), (vec![expected], true));
    }
    world.undo(None).unwrap();
    fs_err::remove_file(world.root.join("e.md")).unwrap();
    assert_eq!(world.tree(), before);
}

/// A new folder often gets the inode number of the one that was removed last.
#[test]
fn h16_a_folder_with_the_number_of_a_removed_one_has_no_history() {
    let world = World::new();
    world.run(&[modify("b.md", "two", "2")]);
    let identity = world.vault().identity();
    for name in ["New", "Notes"] {
        drop(fs_err::remove_dir_all(&world.root));
        let mut attempts = 0..50;
        let new = attempts.find_map(|_| {
            let new = at(&world, &beside(&world, name));
            fs_err::create_dir(&new.root).unwrap();
            let (own, removed) = (new.vault().identity()?, identity?);
            if own.inode == removed.inode {
                return Some(new);
            }
            fs_err::remove_dir(&new.root).unwrap();
            None
        });
        // Not every file system reuses inode numbers.
        if let Some(new) = new {
            assert_eq!(runs(&new), NONE, "{name}");
            fs_err::remove_dir(&new.root).unwrap();
        }
    }
}

#[test]
fn h16_what_is_not_known_leaves_the_history_to_the_path() {
    let world = World::new();
    let run = world.run(&[modify("b.md", "two", "2")]);
    // As an older build or a file system without birth times leaves it.
    let record = world.journal_folder().join("folder.json");
    for content in [None, Some(r#"{"folder":null}"#), Some("{")] {
        match content {
            None => fs_err::remove_file(&record).unwrap(),
            Some(content) => fs_err::write(&record, content).unwrap(),
        }
        fs_err::remove_dir_all(world.state.join("folders")).unwrap();
        assert_eq!(runs(&world), [run], "{content:?}");
        drop(world.lock());
    }
    let moved = moved(&world, "Moved");
    assert_eq!(runs(&moved), [run], "written down by the last lock");
    fs_err::remove_dir_all(world.state.join("folders")).unwrap();
    assert_eq!(runs(&moved), NONE);
}

#[test]
fn h12_h16_several_that_find_the_moved_folder_at_once_write_one_history() {
    let world = World::in_memory();
    let first = world.run(&[modify("b.md", "two", "2")]);
    let elsewhere = moved(&world, "Moved");
    let mut written: Vec<Uuid> = std::thread::scope(|scope| {
        let elsewhere = &elsewhere;
        let threads: Vec<_> = (0..4)
            .map(|number| {
                scope.spawn(move || elsewhere.run(&[create(&format!("{number}.md"), "new")]))
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.collect()
    });
    written.push(first);
    written.sort();
    let mut found = runs(&elsewhere);
    found.sort();
    assert_eq!(found, written);
    for run in runs(&elsewhere) {
        elsewhere.undo(Some(run)).unwrap();
    }
}

#[test]
fn h11_h16_a_failure_at_any_call_of_the_first_change_there_loses_no_history() {
    for n in 0.. {
        let world = World::in_memory();
        let run = world.run(&[modify("b.md", "two", "2")]);
        let elsewhere = moved(&world, "Moved");
        let failpoints = FailFrom::new(n);
        let shown: std::sync::Arc<dyn Failpoints> = failpoints.clone();
        let locked = elsewhere
            .journal_with(Some(shown))
            .lock(Deadline::after_ms(1000));
        let is_locked = locked.is_ok();
        drop(locked);
        assert_eq!(runs(&elsewhere), [run], "{n}");
        let again = moved(&elsewhere, "Moved again");
        assert_eq!(runs(&again), [run], "{n}");
        again.undo(None).unwrap();
        if is_locked {
            assert!(n > 3 && !failpoints.has_failed(), "{n}");
            break;
        }
    }
}
