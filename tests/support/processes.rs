//! Other processes: whether they are gone, and how to end the ones that a test left.

use std::time::{Duration, Instant};

use fake_obsidian::scenario::{Action, Child};
#[cfg(unix)]
use rustix::process::{Pid, Signal, test_kill_process};

/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Between two looks whether it has happened.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// How long something may take that must happen within a second (`threats.toml` E10). A child that is
/// left its whole grace takes longer.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(1_900);

/// How long something may take that must not wait for a child which lives for a minute or more.
pub(crate) const WELL_BEFORE_THE_CHILD: Duration = Duration::from_secs(30);

/// How often a test looks whether something is quick enough.
const ATTEMPTS: usize = 5;

/// Starts so many children, each of which lives for a minute unless somebody ends it.
pub(crate) fn spawns(count: u32, child: Child) -> Action {
    let child = Child {
        lifetime_ms: 60_000,
        ..child
    };
    Action::Spawn { count, child }
}

/// A child that only the signal ends which no process can ignore.
pub(crate) const STUBBORN: Child = Child {
    own_session: false,
    holds_pipes: false,
    ignores_term: true,
    lifetime_ms: 60_000,
};

/// A child out of reach of the signals to its parent's group.
pub(crate) const DAEMON: Child = Child {
    own_session: true,
    holds_pipes: false,
    ignores_term: false,
    lifetime_ms: 60_000,
};

/// Runs `attempt` until it takes less than `limit`, and panics if it never does. A busy machine slows
/// down some attempts; code that waits for the wrong thing slows down all of them.
pub(crate) fn assert_quick(limit: Duration, mut attempt: impl FnMut() -> Duration) {
    let times: Vec<Duration> = std::iter::repeat_with(&mut attempt)
        .take(ATTEMPTS)
        .take_while(|time| *time >= limit)
        .collect();
    assert!(times.len() < ATTEMPTS, "not within {limit:?}: {times:?}");
}

/// Waits until `done` says so; false when it never does.
pub(crate) fn comes_true(mut done: impl FnMut() -> bool) -> bool {
    let limit = Instant::now() + PATIENCE;
    while Instant::now() < limit {
        if done() {
            return true;
        }
        // Without it the test would take the time that the program under test needs.
        std::thread::park_timeout(BETWEEN_LOOKS);
    }
    false
}

/// Whether the process is gone, or soon will be.
#[cfg(unix)]
pub(crate) fn is_gone(pid: i32) -> bool {
    comes_true(|| !is_alive(pid))
}

/// Whether the process is there. One that waits to be reaped is not: in a container perhaps nobody
/// ever reaps an orphan.
#[cfg(unix)]
pub(crate) fn is_alive(pid: i32) -> bool {
    test_kill_process(Pid::from_raw(pid).unwrap()).is_ok() && !is_zombie(pid)
}

/// Whether the process has ended and was not reaped.
#[cfg(unix)]
pub(crate) fn is_zombie(pid: i32) -> bool {
    stat(pid).is_some_and(|stat| stat.0 == "Z")
}

/// How many descriptors the process has open.
#[cfg(target_os = "linux")]
pub(crate) fn descriptors_of(pid: u32) -> usize {
    let folder = format!("/proc/{pid}/fd");
    match fs_err::read_dir(&folder) {
        Ok(descriptors) => descriptors.count(),
        // Nobody may look into a server (`threats.toml` L08). From Linux 6.2 on the size tells.
        Err(_not_readable) => usize::try_from(fs_err::metadata(folder).unwrap().len()).unwrap(),
    }
}

/// The children of `parent` that have ended and were not reaped.
#[cfg(target_os = "linux")]
pub(crate) fn zombies_of(parent: u32) -> Vec<i32> {
    all_with(|state, found| state == "Z" && found == parent)
}

/// The children of `parent` that are there.
#[cfg(target_os = "linux")]
pub(crate) fn children_of(parent: u32) -> Vec<i32> {
    all_with(|state, found| state != "Z" && found == parent)
}

/// The processes whose state and parent are like this.
#[cfg(target_os = "linux")]
fn all_with(wanted: impl Fn(&str, u32) -> bool) -> Vec<i32> {
    let numbers = fs_err::read_dir("/proc").unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name();
        name.to_str()?.parse::<i32>().ok()
    });
    numbers
        .filter(|pid| stat(*pid).is_some_and(|(state, parent)| wanted(&state, parent)))
        .collect()
}

/// State and parent of a process, where the system has a file for it.
#[cfg(unix)]
fn stat(pid: i32) -> Option<(String, u32)> {
    let text = fs_err::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit(')').next()?.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

/// Ends a process that the test knows to be its own.
#[cfg(unix)]
pub(crate) fn end(pid: i32) {
    // It may have come to its end meanwhile.
    let _gone = rustix::process::kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
}
