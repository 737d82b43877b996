//! Calls that are taken back while they wait or run (`threats.toml` E10, E17).

use std::time::{Duration, Instant};

use fake_obsidian::log;
use fake_obsidian::scenario::{Action, Child, Scenario};
use vault_gw::gateway::{Cancel, Control, Envelope, Gateway, Request, Status};
use vault_gw::protocol::Deadline;
use vault_gw::records::journal::Direction;

use crate::support::processes::{AT_ONCE, assert_quick, comes_true, is_gone};
use crate::support::{Outcome as _, World, checked, code, request};

const READ: &[(&str, &str)] = &[("path", "n.md")];
const MORE: &[(&str, &str)] = &[("path", "n.md"), ("content", "more")];

/// One note; the app answers, and the fake does this instead.
fn world(command: &str, actions: impl Into<Vec<Action>>) -> World {
    let scenario = Scenario::logged().always(command, actions);
    let world = World::empty()
        .with_fake(&scenario)
        .set("allow_mutations = true\nbackend = \"obsidian\"");
    world.write("n.md", "text\n");
    world
}

/// The answer to a call that is taken back as soon as `begun` is true, and the time from there.
fn cancelled(
    gateway: &Gateway,
    request: &Request,
    begun: impl FnMut() -> bool,
) -> (Envelope, Duration) {
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let control = Control::cancelled_by(&cancel);
        let call = scope.spawn(move || gateway.answer_with(request, &control));
        assert!(comes_true(begun), "the call never came so far");
        let wished = Instant::now();
        cancel.cancel();
        let envelope = checked(call.join().unwrap());
        (envelope, wished.elapsed())
    })
}

#[test]
fn e10_a_cancelled_call_takes_its_whole_process_group_along_within_a_second() {
    let stubborn = Child {
        ignores_term: true,
        holds_pipes: true,
        lifetime_ms: 60_000,
        ..Child::default()
    };
    let spawn = Action::Spawn {
        count: 2,
        child: stubborn,
    };
    let world =
        world("read", [Action::IgnoreTerm, spawn, Action::Hang]).unconfined("starts processes");
    let children = || log::children(&world.home.log()).unwrap_or_default();
    let gateway = world.gateway();
    assert_quick(AT_ONCE, || {
        let before = children().len();
        let (envelope, time) = cancelled(&gateway, &request("read", READ), || {
            children().len() == before + 2
        });
        assert_eq!(code(&envelope), "CANCELLED");
        assert_eq!((envelope.status, envelope.exit_code), (Status::Error, None));
        assert!(children().into_iter().all(is_gone));
        for run in world.invocations() {
            assert!(is_gone(run.process.ids.pid));
        }
        time
    });
}

#[test]
fn e17_a_cancelled_write_stays_unknown() {
    let world = world("append", [Action::Hang]);
    let gateway = world.gateway();
    let appends = || {
        let runs = world.runs();
        runs.iter().filter(|run| run.contains("append")).count()
    };
    assert_quick(AT_ONCE, || {
        let before = appends();
        let (envelope, time) = cancelled(&gateway, &request("append", MORE), || appends() > before);
        assert_eq!(code(&envelope), "CANCELLED");
        assert_eq!(envelope.status, Status::Unknown);
        time
    });
}

#[test]
fn e10_a_call_that_waits_for_the_vault_gives_way_and_changes_nothing() {
    let world = World::empty().set("allow_mutations = true");
    world.write("n.md", "text\n");
    let gateway = world.gateway();
    let vault = gateway.vaults().open().unwrap();
    let journal = gateway.records().journal_of(&vault).unwrap();
    let present = journal.lock(Deadline::after_ms(0)).unwrap();
    let a_moment = Duration::from_millis(20);
    assert_quick(AT_ONCE, || {
        let begun = Instant::now();
        let waits = || begun.elapsed() > a_moment;
        let (envelope, time) = cancelled(&gateway, &request("append", MORE), waits);
        assert_eq!(code(&envelope), "CANCELLED");
        assert_eq!(
            envelope.status,
            Status::Error,
            "it is known that nothing happened"
        );
        time
    });
    drop(present);
    assert_eq!(world.read("n.md"), "text\n");
    gateway.call(&request("append", MORE)).succeeds();
}

#[test]
fn e10_a_call_that_was_taken_back_before_it_began_runs_nothing() {
    let world = world("read", []);
    let cancel = Cancel::new();
    cancel.cancel();
    for request in [request("read", READ), request("append", MORE)] {
        let control = Control::cancelled_by(&cancel);
        let envelope =
            checked(world.gateway().answer_with(&request, &control)).fails_with("CANCELLED");
        assert_eq!(envelope.status, Status::Error);
    }
    assert!(world.nothing_spawned());
    let shown = world.run(&["-o", "jsonl", "audit"]);
    let lines: Vec<&str> = shown.text().lines().collect();
    assert_eq!(lines.len(), 2, "{shown:?}");
    assert!(lines.iter().all(|line| line.contains("\"CANCELLED\"")));
}

#[test]
fn e10_an_undo_that_was_taken_back_puts_nothing_back() {
    let world = World::empty().set("allow_mutations = true");
    world.write("n.md", "text\n");
    let gateway = world.gateway();
    gateway.call(&request("append", MORE)).succeeds();
    let changed = world.read("n.md");
    let cancel = Cancel::new();
    cancel.cancel();
    gateway
        .reverse_under(
            Direction::Undo,
            None,
            false,
            &Control::cancelled_by(&cancel),
        )
        .fails_with("CANCELLED");
    assert_eq!(world.read("n.md"), changed);
    gateway.undo(None, false).succeeds();
    assert_eq!(world.read("n.md"), "text\n");
}

#[test]
fn j01_the_time_that_a_call_waited_for_its_turn_counts() {
    let world = world("read", [Action::Hang]).set("timeout_ms = 60000");
    let control = Control {
        waited: Duration::from_millis(59_900),
        ..Control::default()
    };
    let gateway = world.gateway();
    let envelope =
        checked(gateway.answer_with(&request("read", READ), &control)).fails_with("TIMEOUT");
    assert!(envelope.duration_ms < 30_000, "{}", envelope.duration_ms);
    // Whoever has no time left is told so, and nothing is run.
    let control = Control {
        waited: Duration::from_secs(3600),
        ..control
    };
    let runs = world.runs().len();
    let envelope = checked(gateway.answer_with(&request("append", MORE), &control));
    assert!(
        ["TIMEOUT", "LOCK_TIMEOUT"].contains(&code(&envelope)),
        "{envelope:#?}"
    );
    assert_eq!(
        (world.runs().len(), world.read("n.md").as_str()),
        (runs, "text\n")
    );
}

/// Some hundred notes, and a search of them for more terms than can be looked for in two minutes.
fn endless_search(world: &World, command: &str) -> Request {
    for number in 0..360 {
        let text = "nothing of the kind\n".repeat(500);
        world.write(&format!("{number}.md"), format!("---\nkey: x\n---\n{text}"));
    }
    let terms: Vec<String> = (0..400_000).map(|number| format!("word{number}")).collect();
    request(command, &[("query", &terms.join(" OR "))])
}

/// How long a search may take that would last for minutes if it did not look at the time.
const MUCH_SOONER: Duration = Duration::from_secs(30);

#[test]
fn e16_a_search_with_very_many_terms_ends_at_its_deadline() {
    let world = World::empty().set("timeout_ms = 2000\nbackend = \"embedded\"");
    for command in ["search", "search:context"] {
        let search = endless_search(&world, command);
        let started = Instant::now();
        let envelope = checked(world.gateway().call(&search));
        let took = started.elapsed();
        assert_eq!(code(&envelope), "TIMEOUT", "{:?}", envelope.error);
        assert!(took < MUCH_SOONER, "{command}: {took:?}");
    }
}

#[test]
fn e10_a_search_with_very_many_terms_is_called_off() {
    let world = World::empty().set("timeout_ms = 120000\nbackend = \"embedded\"");
    let search = endless_search(&world, "search");
    let gateway = world.gateway();
    let begun = Instant::now();
    let a_moment = Duration::from_millis(500);
    let runs = || begun.elapsed() > a_moment;
    let (envelope, time) = cancelled(&gateway, &search, runs);
    assert_eq!(code(&envelope), "CANCELLED", "{:?}", envelope.error);
    assert!(time < MUCH_SOONER, "{time:?}");
}
