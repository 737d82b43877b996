//! Other programs that save a note while it is changed here (`threats.toml` H15).

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use vault_gw::gateway::{Envelope, Gateway};

use crate::support::processes::comes_true;
use crate::support::{World, code, request};

const NOTE: &str = "n.md";

fn world() -> World {
    let world = World::empty().set("backend = \"embedded\"\nallow_mutations = true");
    world.write(NOTE, "save 0\n");
    world
}

fn append(gateway: &Gateway, text: &str) -> Envelope {
    gateway.call(&request("append", &[("path", NOTE), ("content", text)]))
}

/// Saves as Node's `writeFile` and most editors do: opens the note, which empties it, and writes it.
fn save(note: &Path, number: usize, gap: Duration) {
    let mut file = fs_err::File::create(note).unwrap();
    if !gap.is_zero() {
        std::thread::sleep(gap);
    }
    file.write_all(format!("save {number}\n").as_bytes())
        .unwrap();
}

/// So many refusals in a row, and the saver rests: on a busy machine an append can take longer than
/// any of its pauses, so that each append would be refused.
const PATIENCE: usize = 5;

/// Appends beside such a saver until so many were acknowledged. After each, the note holds what the
/// saver saved last, unless that is just saving again.
fn append_beside_a_saver(acknowledged: usize, gap: Duration) {
    let world = world();
    let note = world.vault.join(NOTE);
    let (is_over, saves) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (must_rest, rests) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Pauses of 0 to 12 ms in no particular order.
            let mut pause = 7_u64;
            while !is_over.load(Ordering::SeqCst) {
                let is_asked = must_rest.load(Ordering::SeqCst);
                rests.store(is_asked, Ordering::SeqCst);
                if is_asked {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
                let number = saves.fetch_add(1, Ordering::SeqCst) + 1;
                save(&note, number, gap);
                pause = (pause * 29 + 11) % 13;
                std::thread::sleep(Duration::from_millis(pause) + gap);
            }
        });
        let gateway = world.person();
        let (mut done, mut wanted, mut refusals) = (0, 0, 0);
        while done < acknowledged {
            wanted += 1;
            let envelope = append(&gateway, &format!("agent {wanted}"));
            let text = world.read(NOTE);
            if envelope.success {
                (done, refusals) = (done + 1, 0);
                must_rest.store(false, Ordering::SeqCst);
                assert!(
                    text.is_empty() || text.starts_with("save "),
                    "the saver's text is gone: {text:?}"
                );
            } else {
                let refused = ["BUSY", "PRECONDITION_FAILED"].contains(&code(&envelope));
                assert!(refused, "{envelope:#?}");
                refusals += 1;
                assert!(refusals < 10 * PATIENCE, "{done} of {wanted}");
                if refusals == PATIENCE {
                    must_rest.store(true, Ordering::SeqCst);
                    assert!(comes_true(|| rests.load(Ordering::SeqCst)));
                }
            }
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert!(saves.load(Ordering::SeqCst) > 1);
    let last = format!("save {}", saves.load(Ordering::SeqCst));
    assert!(
        world.read(NOTE).starts_with(&last),
        "{:?}",
        world.read(NOTE)
    );
}

#[test]
fn h15_a_saver_in_place_loses_nothing_beside_append() {
    append_beside_a_saver(8, Duration::ZERO);
}

#[test]
fn h15_a_saver_that_keeps_the_note_empty_loses_nothing_beside_append() {
    append_beside_a_saver(4, Duration::from_millis(10));
}

#[test]
#[ignore = "takes minutes: 10,000 appends beside a saver"]
fn h15_ten_thousand_appends_beside_a_saver() {
    append_beside_a_saver(10_000, Duration::ZERO);
}

#[test]
#[ignore = "takes minutes: 1,000 appends beside a slow saver"]
fn h15_a_thousand_appends_beside_a_saver_with_a_gap() {
    append_beside_a_saver(1_000, Duration::from_millis(10));
}

/// How a program saves a note in place.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Save {
    /// It opens the note, which empties it, waits, and writes.
    Holding,
    /// It empties the note and closes it, waits, and opens it again to write, as a shell does.
    OpeningTwice,
}

/// What came of the rounds of one kind.
#[cfg(unix)]
#[derive(Debug, Default)]
struct Rounds {
    /// The saver's text is gone.
    saves_lost: usize,
    /// The append was acknowledged, and is gone although the save had begun before the exchange.
    appends_lost: usize,
    /// Both are there.
    both: usize,
    /// The append was refused.
    refused: usize,
    /// The save came after the append, and holds what the saver has written, no more.
    saved_after: usize,
}

/// Appends once while a program saves once, so many times. The save begins at any moment of the
/// append.
#[cfg(unix)]
fn one_append_beside_one_save(save: Save, gap: Duration, rounds: usize) -> Rounds {
    let mut shown = Rounds::default();
    let world = world();
    let note = world.vault.join(NOTE);
    let gateway = world.person();
    let mut random = seeded_random::Random::new(u64::from(gap.subsec_millis()));
    let mut usual = Duration::from_millis(20);
    for round in 0..rounds {
        fs_err::write(&note, format!("before {round}, which is longer\n")).unwrap();
        // Long enough ago that nobody waits for the end of this save.
        let file = fs_err::File::options().append(true).open(&note).unwrap();
        let past = std::time::SystemTime::now() - Duration::from_secs(10);
        file.file().set_modified(past).unwrap();
        let old = inode_of(&file);
        drop(file);
        let most = usize::try_from(usual.as_micros()).unwrap() * 5 / 4;
        let pause = Duration::from_micros(random.below(most.max(1)) as u64);
        let text = format!("save {round}\n");
        let (envelope, began) = std::thread::scope(|scope| {
            let saver = scope.spawn(|| {
                std::thread::sleep(pause);
                let mut file = fs_err::File::create(&note).unwrap();
                let began = inode_of(&file) == old;
                if save == Save::OpeningTwice {
                    drop(file);
                    std::thread::sleep(gap);
                    file = fs_err::File::create(&note).unwrap();
                } else {
                    std::thread::sleep(gap);
                }
                file.write_all(text.as_bytes()).unwrap();
                began
            });
            let start = std::time::Instant::now();
            let envelope = append(&gateway, &format!("agent {round}"));
            usual = (usual * 3 + start.elapsed()) / 4;
            (envelope, saver.join().unwrap())
        });
        let found = world.read(NOTE);
        let is_saved = found.contains(text.trim());
        let is_appended = found.contains(&format!("agent {round}"));
        shown.saves_lost += usize::from(!is_saved);
        if !envelope.success {
            let refused = ["BUSY", "PRECONDITION_FAILED"].contains(&code(&envelope));
            assert!(refused, "{envelope:#?}");
            shown.refused += 1;
        } else if is_appended {
            shown.both += usize::from(is_saved);
        } else if began {
            shown.appends_lost += 1;
        } else {
            shown.saved_after += 1;
        }
        let left = fs_err::read_dir(&world.vault).unwrap();
        let left = left.filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().contains(".tmp")
        });
        assert_eq!(left.count(), 0, "round {round} leaves no file behind");
    }
    shown
}

#[cfg(unix)]
fn inode_of(file: &fs_err::File) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    file.metadata().unwrap().ino()
}

#[cfg(unix)]
#[test]
#[ignore = "takes minutes: 1,000 rounds for each gap and kind of saver"]
fn h15_a_thousand_saves_with_each_gap_lose_no_save_and_no_append_before_them() {
    let rounds = 1_000;
    for save in [Save::Holding, Save::OpeningTwice] {
        for gap in [0, 2, 10, 50].map(Duration::from_millis) {
            let shown = one_append_beside_one_save(save, gap, rounds);
            eprintln!("{save:?}, gap {gap:?}, {rounds} rounds: {shown:?}");
            assert_eq!(
                (shown.saves_lost, shown.appends_lost),
                (0, 0),
                "{save:?} {gap:?}"
            );
        }
    }
}

/// So many rounds more to have one append acknowledged.
const ROUNDS_ON_A_LOADED_MACHINE: usize = 200;

/// Writers of ours beside an editor that appends: whatever was acknowledged is there, and so is
/// every line of the editor.
fn append_beside_an_editor(writers: usize, rounds: usize) {
    let world = world();
    let note = world.vault.join(NOTE);
    let (is_over, edits) = (AtomicBool::new(false), AtomicUsize::new(0));
    let made = AtomicUsize::new(0);
    let work = |writer: usize| {
        let gateway = world.person();
        let mut done = Vec::new();
        // On a loaded machine the editor can hold the note open at every look, so that all appends are
        // refused: the writers then go on for some rounds more, until any of them has made one.
        for round in 0..rounds + ROUNDS_ON_A_LOADED_MACHINE {
            if round >= rounds && made.load(Ordering::SeqCst) > 0 {
                break;
            }
            let line = format!("agent {writer}:{round}.");
            if append(&gateway, &line).success {
                made.fetch_add(1, Ordering::SeqCst);
                done.push(line);
            }
        }
        done
    };
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let number = edits.fetch_add(1, Ordering::SeqCst) + 1;
                let mut file = fs_err::OpenOptions::new().append(true).open(&note).unwrap();
                std::thread::sleep(Duration::from_millis(1));
                file.write_all(format!("edit {number}\n").as_bytes())
                    .unwrap();
                drop(file);
                // Longer and longer, so that an append on a loaded machine fits in between.
                std::thread::sleep(Duration::from_millis(8 + number as u64));
            }
        });
        let work = &work;
        let threads: Vec<_> = (0..writers)
            .map(|writer| scope.spawn(move || work(writer)))
            .collect();
        let all = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        let all = all.collect();
        is_over.store(true, Ordering::SeqCst);
        all
    });
    let text = world.read(NOTE);
    assert!(!acknowledged.is_empty());
    for line in &acknowledged {
        assert!(text.contains(line.as_str()), "{line} is gone");
    }
    for number in 1..=edits.load(Ordering::SeqCst) {
        assert!(text.contains(&format!("edit {number}\n")), "edit {number}");
    }
}

#[test]
fn h15_two_writers_and_an_editor_lose_nothing() {
    append_beside_an_editor(2, 6);
}

#[test]
fn h15_eight_writers_and_an_editor_lose_nothing() {
    append_beside_an_editor(8, 2);
}
