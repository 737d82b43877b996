//! The contents that the journal keeps: the place and the time.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;
use vault_engine::{Failpoints, State};

use super::world::{
    FailFrom, World, create, edits, large, modify, new_entry, noise, now, relocate, remove,
};
use crate::journal::{Journal, PlannedRun, RunEnd};
use protocol::{Code, Deadline};
use settings::JournalSettings;

const CASES: &str = include_str!("storage_cases.txt");

#[test]
fn a_move_keeps_no_content_and_a_content_is_kept_once() {
    let world = World::new();
    let blobs = || world.journal_files_of("lz4").len();
    world.run(&[relocate("deep/pixel.png", "p.png", "\u{1}\u{2}\u{3}")]);
    let (one, two) = (large(1), large(2));
    world.run(&[create("e.md", &one), create("f.md", &two)]);
    assert_eq!(blobs(), 0);
    world.run(&[modify("e.md", &one, "1"), modify("b.md", "two", "2")]);
    world.run(&[modify("f.md", &two, "2")]);
    assert_eq!(blobs(), 2, "what is small stands in the entry");
    world.run(&[create("g.md", &two)]);
    world.run(&[remove("g.md", &two)]);
    assert_eq!(blobs(), 2, "the same content a second time");
}

#[cfg(unix)]
#[test]
fn everything_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.run(&[modify("b.md", "two", "2")]);
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    let entry = world.journal_file("json");
    let own = entry.parent().unwrap();
    for folder in [own, own.parent().unwrap(), &world.state] {
        assert_eq!(mode(folder), 0o700, "{folder:?}");
    }
    for name in world.journal_files() {
        assert_eq!(mode(&own.join(&name)), 0o600, "{name}");
    }
    fs_err::set_permissions(own, std::fs::Permissions::from_mode(0o777)).unwrap();
    let failure = world.journal().entries().unwrap_err();
    assert_eq!(failure.code, Code::ConfigInvalid);
    let failure = world.journal().lock(Deadline::after_ms(0)).err().unwrap();
    assert_eq!(failure.code, Code::ConfigInvalid);
    assert!(!failure.to_string().contains(world.state.to_str().unwrap()));
}

#[test]
fn a_state_folder_inside_of_the_vault_is_refused() {
    let world = World::new();
    for state in [world.root.join(".state/none/yet"), world.root.clone()] {
        let failure = Journal::open(&state, &world.vault(), world.limits, None)
            .err()
            .unwrap();
        assert_eq!(failure.code, Code::ConfigInvalid);
    }
    assert!(!world.root.join(".state").exists());
}

#[test]
fn looking_makes_nothing() {
    let world = World::new();
    assert!(world.journal().entries().unwrap().entries.is_empty());
    assert!(world.journal().unfinished().unwrap().is_empty());
    assert!(!world.state.exists());
}

#[test]
fn h11_a_damaged_or_foreign_entry_is_one_warning_and_skipped() {
    let world = World::new();
    let other = World::new();
    let run = other.run(&[modify("b.md", "two", "2")]);
    let foreign = other.journal_file("json");
    world.run(&[modify("b.md", "two", "2")]);
    let good = world.journal_file("json");
    let folder = good.parent().unwrap().to_owned();
    fs_err::copy(&foreign, folder.join(foreign.file_name().unwrap())).unwrap();
    let bytes = fs_err::read(&good).unwrap();
    let cut = format!("{:016}-{}.json", 5, Uuid::from_u128(5));
    for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        fs_err::write(folder.join(&cut), &bytes[..length]).unwrap();
        let listing = world.journal().entries().unwrap();
        assert_eq!((listing.entries.len(), listing.warnings.len()), (1, 2));
    }
    fs_err::write(folder.join("notes.txt"), "not ours").unwrap();
    assert_eq!(world.journal().entries().unwrap().warnings.len(), 2);
    let failure = world.undo(Some(run)).unwrap_err();
    assert!(
        failure
            .to_string()
            .contains("belongs to another run or vault"),
        "{failure}"
    );
    world.undo(None).unwrap();
}

#[test]
fn a_content_that_is_not_what_it_was_is_refused() {
    let world = World::new();
    let (text, other) = (large(1), large(2));
    world.write("b.md", &text);
    let run = world.run(&[modify("b.md", &text, "2")]);
    let blob = world.journal_file("lz4");
    let after = world.tree();
    let right = fs_err::read(&blob).unwrap();
    for wrong in [
        Vec::new(),
        lz4_flex::block::compress(other.as_bytes()),
        lz4_flex::block::compress(format!("{text} and more").as_bytes()),
        b"\xff\xff\xff\xff\xff\xff".to_vec(),
    ] {
        fs_err::write(&blob, wrong).unwrap();
        let failure = world.undo(Some(run)).unwrap_err();
        assert_eq!(failure.code, Code::IoError);
        assert_eq!(world.tree(), after);
    }
    // The next run that needs the content repairs it.
    world.run(&[create("e.md", &text)]);
    world.run(&[remove("e.md", &text)]);
    assert_eq!(fs_err::read(&blob).unwrap(), right);
    world.undo(Some(run)).unwrap();
}

#[test]
fn a_file_that_is_too_large_to_be_kept_is_neither_overwritten_nor_removed() {
    let world = World::limited(JournalSettings {
        max_file_bytes: 2,
        ..JournalSettings::default()
    });
    for changes in [
        vec![modify("b.md", "two", "2")],
        vec![remove("b.md", "two")],
    ] {
        let failure = world.try_run(Uuid::new_v4(), &changes, now()).unwrap_err();
        assert_eq!(failure.code, Code::TooLargeToUndo);
        assert_eq!(failure.details["bytes"], 3);
    }
    assert!(world.journal().entries().unwrap().entries.is_empty());
    world.run(&[relocate("b.md", "deep/b.md", "two")]);
}

#[test]
fn what_changed_before_the_run_stops_it() {
    let world = World::new();
    for changes in [
        vec![modify("b.md", "tow", "2")],
        vec![modify("gone.md", "", "2")],
    ] {
        let failure = world.try_run(Uuid::new_v4(), &changes, now()).unwrap_err();
        assert_eq!(failure.code, Code::PreconditionFailed, "{failure}");
    }
    assert!(world.journal().unfinished().unwrap().is_empty());
}

fn later(days: i64) -> Timestamp {
    now() + SignedDuration::from_hours(24 * days)
}

#[test]
fn old_runs_are_forgotten_with_their_contents_but_unfinished_ones_are_not() {
    let world = World::new();
    let (one, other) = (large(1), large(2));
    world.write("b.md", &one);
    world.write("c.md", &other);
    world.run(&[modify("b.md", &one, "2")]);
    let vault = world.vault();
    let planned = [modify("c.md", &other, "3")];
    let lock = world.lock();
    drop(
        lock.begin(
            &vault,
            new_entry(Uuid::new_v4(), PlannedRun::Changes(&planned), now()),
        )
        .unwrap(),
    );
    drop(lock);
    let kept = Uuid::new_v4();
    world
        .try_run(kept, &[create("e.md", "e")], later(30))
        .unwrap();
    assert_eq!(world.journal().entries().unwrap().entries.len(), 3);
    for (day, left) in [(31, 4), (32, 4)] {
        let path = format!("{day}.md");
        world
            .try_run(Uuid::new_v4(), &[create(&path, "f")], later(day))
            .unwrap();
        assert_eq!(world.journal().entries().unwrap().entries.len(), left);
    }
    let entries = world.journal().entries().unwrap().entries;
    assert_eq!(world.journal().unfinished().unwrap().len(), 1);
    assert!(entries.iter().any(|listed| listed.entry.run_id == kept));
    // Only the content of the unfinished run is left.
    world.journal_file("lz4");
}

#[test]
fn h17_a_clock_that_is_wrong_for_less_than_a_day_drops_no_run() {
    let world = World::in_memory();
    let run = |day, hours| {
        let at = later(day) + SignedDuration::from_hours(hours);
        let path = format!("{}.md", Uuid::new_v4());
        world
            .try_run(Uuid::new_v4(), &[create(&path, "e")], at)
            .unwrap();
        world.journal().entries().unwrap().entries.len()
    };
    // Days from the first run, hours, and the number of runs that are left. Twice the clock is 40 days and more ahead.
    for (day, hours, left) in [
        (0, 0, 1),
        (3, 0, 2),
        (43, 0, 3),
        (43, 23, 4),
        (3, 5, 5),
        (90, 0, 6),
        (90, 23, 7),
        (4, 0, 8),
        (4, 1, 9),
    ] {
        assert_eq!(run(day, hours), left, "{day} {hours}");
    }
}

#[test]
fn the_oldest_runs_make_room_for_new_ones() {
    let limit = 1 << 20;
    let world = World::limited(JournalSettings {
        max_bytes: limit,
        ..JournalSettings::default()
    });
    let noise = |seed| noise(seed, 100_000);
    let mut text = noise(0);
    world.run(&[create("big.md", &text)]);
    let weight = || -> u64 {
        let folder = world.state.join("journal");
        let own = fs_err::read_dir(folder).unwrap().next().unwrap().unwrap();
        fs_err::read_dir(own.path())
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum()
    };
    let mut heaviest = 0;
    for round in 1..50 {
        let next = noise(round);
        world.run(&[modify("big.md", &text, &next)]);
        text = next;
        heaviest = heaviest.max(weight());
    }
    assert!(heaviest > limit / 2, "the test fills the journal");
    // A run of this size always has the sizes summed.
    assert!(heaviest <= limit, "{heaviest}");
    let entries = world.journal().entries().unwrap().entries;
    assert!(entries.len() < 30, "{}", entries.len());
    // Every listed entry has the contents that its undo needs.
    for listed in &entries {
        for file in &listed.entry.files {
            if let State::File { sha256, .. } = file.before {
                assert!(listed.entry.enclosed.holds(&sha256));
            }
        }
    }
    world.undo(None).unwrap();
}

/// Decided by the plan, not by the command.
#[test]
fn h19_whatever_removes_bytes_that_were_there_is_content_that_was_lost() {
    let all: String = (0..=255_u8).map(char::from).collect();
    for (changes, is_lost) in [
        (vec![create("e.md", "e")], false),
        (vec![modify("b.md", "two", "two and more")], false),
        (vec![modify("b.md", "two", "and two")], false),
        (vec![modify("b.md", "two", "twelve")], true),
        (vec![modify("b.md", "two", "twelve o")], false),
        (vec![modify("b.md", "two", "tXwo")], false),
        (vec![modify("b.md", "two", "tXwXo")], true),
        (vec![modify("b.md", "two", &all.repeat(3))], true),
        (vec![modify("b.md", "two", "")], true),
        (vec![modify("b.md", "two", "TWO and more")], true),
        (vec![remove("b.md", "two")], true),
        (vec![relocate("b.md", "deep/b.md", "two")], false),
        (
            vec![
                relocate("b.md", "deep/b.md", "two"),
                modify("deep/b.md", "two", "tw"),
            ],
            true,
        ),
        (vec![remove("b.md", "two"), create("e.md", "two")], false),
    ] {
        let world = World::in_memory();
        world.run(&changes);
        let entries = world.journal().entries().unwrap().entries;
        let shown = entries[0].entry.origin.loses_content;
        assert_eq!(shown, is_lost, "{changes:?}");
        // The undo removes what the run has added.
        world.undo(None).unwrap();
        let used = world.journal().used().unwrap();
        assert!(used.bytes > 0, "{used:?}");
    }
    let world = World::in_memory();
    world.write("empty.md", "");
    world.run(&[
        modify("empty.md", "", "text"),
        remove("a.md", "one\r\n[[b]]"),
    ]);
    world.run(&[remove("empty.md", "text"), create("e.md", "")]);
    world.run(&[remove("e.md", "")]);
    let entries = world.journal().entries().unwrap().entries;
    assert!(!entries[0].entry.origin.loses_content, "nothing was in it");
}

/// A run of the app is judged by its result, not by its plan.
#[test]
fn h19_what_the_app_did_instead_of_the_plan_counts_as_lost() {
    for (text, is_verified, is_lost) in
        tables::typed::<(&str, bool, bool)>(CASES, "h19 what the app did instead of the plan")
    {
        let world = World::in_memory();
        let planned = [modify("b.md", "two", "two and more")];
        let ended = RunEnd {
            kept: &[],
            further: &[],
            is_verified,
        };
        let act = || world.write("b.md", text);
        let entry = world.run_of_app(PlannedRun::Changes(&planned), act, ended);
        assert_eq!(entry.origin.loses_content, is_lost, "{text} {is_verified}");
    }
}

#[test]
fn a_clock_that_goes_back_does_not_change_the_order() {
    let world = World::new();
    world.run(&[modify("b.md", "two", "2")]);
    let second = Uuid::new_v4();
    world
        .try_run(second, &[modify("b.md", "2", "3")], later(-3))
        .unwrap();
    let entries = world.journal().entries().unwrap().entries;
    assert_eq!(entries[0].entry.run_id, second);
}

/// The entry is not open before the work next to it is done, so that a kill in that work begins nothing.
#[test]
fn h11_a_run_begins_after_the_work_beside_its_entry_or_not_at_all() {
    let world = World::in_memory();
    let vault = world.vault();
    let lock = world.lock();
    let planned = [modify("b.md", "two", "2")];
    let new = || new_entry(Uuid::new_v4(), PlannedRun::Changes(&planned), now());
    let stages = || -> Vec<String> {
        let names = world.journal().open.names().unwrap();
        names
            .iter()
            .map(|name| name.rsplit('.').next().unwrap().to_owned())
            .collect()
    };
    let refusal = Code::IoError.failure("The audit log cannot be written.");
    let begun = lock.begin_while(&vault, new(), || {
        assert_eq!(stages(), ["new"]);
        Err(refusal.clone())
    });
    assert_eq!(begun.map(|_open| ()).unwrap_err(), refusal);
    assert_eq!(stages(), [""; 0]);
    let open = lock.begin_while(&vault, new(), || Ok(())).unwrap();
    assert_eq!(stages(), ["open"]);
    open.abandon().unwrap();
}

/// A full disk in the journal stops the run before it touches the vault.
#[test]
fn h08_where_the_journal_cannot_be_written_nothing_is_begun() {
    for (name, changes) in edits() {
        for n in 0.. {
            let world = World::in_memory();
            let failpoints = FailFrom::new(n);
            let shown: std::sync::Arc<dyn Failpoints> = failpoints.clone();
            let vault = world.vault();
            let journal = world.journal_with(Some(shown));
            let begun = journal.lock(Deadline::after_ms(1000)).and_then(|lock| {
                let new = new_entry(Uuid::new_v4(), PlannedRun::Changes(&changes), now());
                lock.begin(&vault, new).map(|_open| ())
            });
            match begun {
                Ok(()) => {
                    assert!(!failpoints.has_failed(), "{name} {n}");
                    assert!(n > 8);
                    break;
                }
                Err(failure) => assert_eq!(failure.code, Code::IoError, "{name} {n}"),
            }
            // The next run succeeds in spite of what the failed one left.
            assert!(world.lock().recover(&vault, now()).is_ok());
            let before = world.tree();
            world.run(&changes);
            world.undo(None).unwrap();
            assert_eq!(world.tree(), before, "{name} {n}");
        }
    }
}

#[test]
fn h12_one_writer_at_a_time_and_the_other_learns_who() {
    let world = World::new();
    let lock = world.lock();
    let failure = world.journal().lock(Deadline::after_ms(20)).err().unwrap();
    assert_eq!(failure.code, Code::LockTimeout);
    assert_eq!(failure.details["process"], std::process::id());
    // A waiting process gets the lock once it is free.
    let journal = world.journal();
    let waiting = std::thread::spawn(move || journal.lock(Deadline::after_ms(30_000)).is_ok());
    drop(lock);
    assert!(waiting.join().unwrap());
    drop(world.lock());
}
