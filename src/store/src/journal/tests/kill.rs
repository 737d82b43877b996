//! Kills a process of its own before each system call that changes something. The next process
//! finds or restores the vault as it was before or as it was planned (`threats.toml` H11, H12).

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use uuid::Uuid;
use vault_engine::{Editor, Failpoints, Step};

use super::world::{Tree, World, edits, new_entry, now};
use crate::journal::{Outcome, PlannedRun, RunEnd};
use protocol::Deadline;

/// The environment variable with the child's task; its words are separated by line feeds.
const ORDER: &str = "VAULT_GW_TEST_KILL";
const RUN: Uuid = Uuid::from_u128(77);

/// Kills this process before the `n`th call.
struct KillAt {
    n: usize,
    calls: AtomicUsize,
}

impl Failpoints for KillAt {
    fn before(&self, _step: Step) -> io::Result<()> {
        if self.calls.fetch_add(1, Ordering::SeqCst) == self.n {
            let this = rustix::process::getpid();
            rustix::process::kill_process(this, rustix::process::Signal::KILL)?;
        }
        Ok(())
    }
}

/// Not a test: the code of the child process that the tests below start.
#[test]
#[expect(clippy::disallowed_methods, reason = "the tests below talk to it so")]
fn the_child_follows_its_instructions() {
    let Ok(order) = std::env::var(ORDER) else {
        return;
    };
    let words: Vec<&str> = order.lines().collect();
    let [work, root, state, edit, n] = words[..] else {
        panic!("{words:?}");
    };
    let world = World::at(Path::new(root), Path::new(state));
    let failpoints: Arc<dyn Failpoints> = Arc::new(KillAt {
        n: n.parse().unwrap(),
        calls: AtomicUsize::new(0),
    });
    let vault = world.vault().with_failpoints(Arc::clone(&failpoints));
    let lock = world
        .journal_with(Some(failpoints))
        .lock(Deadline::after_ms(10_000))
        .unwrap();
    if work == "recover" {
        lock.recover(&vault, now()).unwrap();
        return;
    }
    let (_, changes) = edits().swap_remove(edit.parse().unwrap());
    let new = new_entry(RUN, PlannedRun::Changes(&changes), now());
    let open = lock.begin(&vault, new).unwrap();
    Editor(&vault).apply(&changes, &RUN.to_string()).unwrap();
    open.finish(&vault, now(), RunEnd::AS_REQUESTED).unwrap();
}

/// Runs the child until it ends or kills itself. Returns whether it was killed.
#[expect(
    clippy::disallowed_methods,
    reason = "a kill needs a process of its own"
)]
fn is_killed(work: &str, world: &World, edit: usize, n: usize) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    let order = format!(
        "{work}\n{}\n{}\n{edit}\n{n}",
        world.root.display(),
        world.state.display()
    );
    let status: ExitStatus = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "journal::tests::kill::the_child_follows_its_instructions",
        ])
        .env(ORDER, order)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let is_killed = status.signal() == Some(9);
    assert!(is_killed || status.success(), "{work} {edit} {n}: {status}");
    is_killed
}

/// An edit, and the tree before and after it.
struct Expected {
    edit: usize,
    name: &'static str,
    before: Tree,
    after: Tree,
}

impl Expected {
    fn all() -> Vec<Self> {
        let edits = edits().into_iter().enumerate();
        edits
            .map(|(edit, (name, changes))| {
                let world = World::in_memory();
                let before = world.tree();
                world.run(&changes);
                let after = world.tree();
                Self {
                    edit,
                    name,
                    before,
                    after,
                }
            })
            .collect()
    }
}

/// Recovers, and checks that the tree is one of the two and no temporary file is left.
fn settle(world: &World, expected: &Expected, what: &str) {
    let Expected {
        name,
        before,
        after,
        ..
    } = expected;
    let lock = world.lock();
    let recovered = lock.recover(&world.vault(), now()).unwrap();
    for run in &recovered {
        match &run.outcome {
            Outcome::NothingHappened | Outcome::Finished => {}
            Outcome::PutBack { left_alone } if left_alone.is_empty() => {}
            other => panic!("{name} {what}: {other:?}"),
        }
    }
    assert!(lock.recover(&world.vault(), now()).unwrap().is_empty());
    drop(lock);
    let tree = world.tree();
    let listing = world.journal().entries().unwrap();
    assert_eq!(listing.warnings, []);
    if tree == *after {
        world.undo(Some(RUN)).unwrap();
        assert_eq!(world.tree(), *before, "{name} {what}");
    } else {
        assert_eq!(tree, *before, "{name} {what}");
        assert!(listing.entries.is_empty(), "{name} {what}");
        // A half-written entry is removed when the next run begins.
        let new = new_entry(RUN, PlannedRun::Changes(&[]), now());
        let lock = world.lock();
        lock.begin(&world.vault(), new).unwrap().abandon().unwrap();
    }
    for kind in ["tmp", "open"] {
        assert_eq!(world.journal_files_of(kind), [""; 0], "{name} {what}");
    }
}

#[test]
fn h11_a_kill_at_any_step_of_a_run_leaves_the_old_tree_or_the_new_one() {
    let mut kills = 0;
    for expected in Expected::all() {
        for n in 0.. {
            let world = World::in_memory();
            let killed = is_killed("run", &world, expected.edit, n);
            settle(&world, &expected, &format!("killed at {n}"));
            if !killed {
                break;
            }
            kills += 1;
        }
    }
    assert!(kills >= 100, "{kills}");
}

#[test]
fn h11_a_kill_at_any_step_of_the_recovery_does_no_harm_either() {
    let mut kills = 0;
    for expected in Expected::all() {
        // Kills in the middle of the run, where there is something to roll back.
        for n in (11..65).step_by(7) {
            for m in 0.. {
                let world = World::in_memory();
                if !is_killed("run", &world, expected.edit, n) {
                    break;
                }
                let killed = is_killed("recover", &world, expected.edit, m);
                settle(&world, &expected, &format!("killed at {n} and {m}"));
                if !killed {
                    break;
                }
                kills += 1;
            }
        }
    }
    assert!(kills >= 100, "{kills}");
}

/// A person edits one note of the run before the next call.
#[test]
fn h11_a_later_edit_of_one_note_of_a_killed_run_harms_no_other_note() {
    for expected in Expected::all() {
        let (name, before, after) = (expected.name, &expected.before, &expected.after);
        let stays = |path: &&String| after.contains_key(*path);
        for edited in ["a.md", "c.md"].map(str::to_owned) {
            for n in 0.. {
                let world = World::in_memory();
                let killed = is_killed("run", &world, expected.edit, n);
                world.write(&edited, "mine");
                world.lock().recover(&world.vault(), now()).unwrap();
                let tree = world.tree();
                assert_eq!(tree[&edited].0.as_deref(), Some(&b"mine"[..]));
                for path in tree.keys().chain(before.keys().filter(stays)) {
                    let found = tree.get(path);
                    let is_known = [before.get(path), after.get(path)].contains(&found);
                    assert!(*path == edited || is_known, "{name} {n} {path}: {found:?}");
                }
                if !killed {
                    break;
                }
            }
        }
    }
}

/// A person moves a folder away before the next call, with what the killed run left in it.
#[test]
fn h11_h16_what_a_kill_left_in_a_folder_that_was_moved_since_is_removed() {
    let is_leftover = |name: &String| name.contains(".vault-gw-");
    let (mut moved_along, mut kills) = (0, 0);
    for target in ["elsewhere/deeper", ".trash/deep"] {
        for edit in [2, 3, 4, 6] {
            for n in 11.. {
                let world = World::in_memory();
                let killed = is_killed("run", &world, edit, n);
                let (from, to) = (world.root.join("deep"), world.root.join(target));
                fs_err::create_dir_all(to.parent().unwrap()).unwrap();
                fs_err::rename(from, &to).unwrap();
                let leftovers = world.tree().into_keys().filter(is_leftover);
                moved_along += leftovers.filter(|name| name.starts_with(target)).count();
                let lock = world.lock();
                lock.recover(&world.vault(), now()).unwrap();
                assert!(lock.recover(&world.vault(), now()).unwrap().is_empty());
                let tree = world.tree();
                assert_eq!(
                    tree.keys().find(|name| is_leftover(name)),
                    None,
                    "{edit} {n}"
                );
                if !killed {
                    break;
                }
                kills += 1;
            }
        }
    }
    assert!(kills >= 100 && moved_along >= 20, "{kills} {moved_along}");
}

#[test]
fn h12_a_killed_holder_frees_the_lock() {
    // Killed right after it wrote its process id.
    let killed = (0..).find_map(|n| {
        let world = World::in_memory();
        assert!(is_killed("run", &world, 0, n), "{n}");
        let holder = world.journal_folder_if_any()?.join("lock.holder");
        let length = fs_err::metadata(holder).ok()?.len();
        (length > 0).then_some(world)
    });
    let world = killed.unwrap();
    drop(world.lock());
}

/// Runs an edit that is killed before the call with this number. Returns whether it got that far.
pub(super) fn is_killed_in_run(world: &World, edit: usize, n: usize) -> bool {
    is_killed("run", world, edit, n)
}
