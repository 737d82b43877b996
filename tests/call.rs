//! `vault-gw call` with many requests at once: ids, order, cancellation, backpressure, signals
//! (`threats.toml` E10, E11, J01, J03, J04).

use std::collections::BTreeSet;
use std::io::Write as _;
use std::time::Instant;

use fake_obsidian::scenario::{Action, Scenario, Stream};
use rustix::process::Signal;
use serde_json::{Value, json};
use vault_gw::protocol::Code;

use crate::support::processes::{
    AT_ONCE, WELL_BEFORE_THE_CHILD, assert_quick, comes_true, is_gone,
};
use crate::support::service::Service;
use crate::support::{Outcome as _, World, asked, detail, json_code as code};

const OFFICIAL: &str = "backend = \"obsidian\"";
const EMBEDDED: &str = "backend = \"embedded\"";
const SLOW: &str = r#"{"id":"slow","command":"read","params":{"path":"n.md"}}"#;
const QUICK: &str = r#"{"id":"quick","command":"files"}"#;

/// A vault with one note whose `read` never ends.
fn hanging() -> World {
    let scenario = Scenario::logged().always("read", [Action::Hang]);
    let world = World::empty()
        .with_fake(&scenario)
        .set(OFFICIAL)
        .set("timeout_ms = 60000");
    world.write("n.md", "text\n");
    world
}

fn engine() -> World {
    let world = World::empty().set(EMBEDDED).set("allow_mutations = true");
    world.write("n.md", "text\n");
    world
}

/// Waits until the fake was started for `command`; gives its process id.
fn child_of(world: &World, command: &str) -> i32 {
    let is_there = || world.runs().iter().any(|run| run.contains(command));
    assert!(comes_true(is_there), "{command} never started");
    let all = world.invocations();
    let found = all
        .iter()
        .find(|run| run.arguments().iter().any(|word| word == command));
    found.unwrap().process.ids.pid
}

fn id(envelope: &Value) -> &str {
    envelope["id"].as_str().unwrap_or("none")
}

#[test]
fn e10_one_of_many_is_taken_back_by_its_id() {
    assert_quick(AT_ONCE, || {
        let world = hanging();
        let mut service = Service::start_with(&world, &["--order", "completion"]);
        service.send(SLOW);
        let child = child_of(&world, "read");
        service.send(QUICK);
        let first = service.next().unwrap();
        assert_eq!((id(&first), code(&first)), ("quick", "OK"));
        let wished = Instant::now();
        service.send(r#"{"cancel":"nobody"}"#);
        service.send(r#"{"cancel":"slow"}"#);
        let second = service.next().unwrap();
        let time = wished.elapsed();
        assert_eq!((id(&second), code(&second)), ("slow", "CANCELLED"));
        assert!(is_gone(child));
        // The id is free again, and nothing answers the wishes themselves.
        service.send(r#"{"id":"slow","command":"files"}"#);
        service.next().unwrap().succeeds();
        drop(service.take_input());
        assert_eq!(service.next(), None);
        assert_eq!(service.exit_status(), Some(0));
        time
    });
}

#[test]
fn answers_come_in_the_order_of_the_requests_unless_requested_otherwise() {
    let world = hanging();
    let mut service = Service::start(&world);
    service.send(SLOW);
    child_of(&world, "read");
    service.send(QUICK);
    child_of(&world, "files");
    service.send("not a request");
    service.send(SLOW);
    service.send(r#"{"cancel":"slow"}"#);
    drop(service.take_input());
    let answers: Vec<Value> = std::iter::from_fn(|| service.next()).collect();
    let shown: Vec<(&str, &str)> = answers
        .iter()
        .map(|answer| (id(answer), code(answer)))
        .collect();
    assert_eq!(
        shown,
        [
            ("slow", "CANCELLED"),
            ("quick", "OK"),
            ("none", "USAGE_ERROR"),
            // Its id was taken; whose answer it is, the details say.
            ("none", "USAGE_ERROR"),
        ]
    );
    assert_eq!(answers[3]["error"]["details"]["id"], "slow");
    assert_eq!(answers[3]["command"], "read");
}

#[test]
fn a_write_runs_alone_in_its_turn() {
    let world = engine();
    let mut service = Service::start_with(&world, &["--parallel", "8"]);
    let mut input = service.take_input();
    let lines = std::thread::spawn(move || {
        for round in 0..30 {
            writeln!(input, r#"{{"id":"w{round}","command":"append","params":{{"path":"n.md","content":"{round}"}}}}"#).unwrap();
            writeln!(
                input,
                r#"{{"id":"r{round}","command":"read","params":{{"path":"n.md"}}}}"#
            )
            .unwrap();
        }
    });
    for round in 0..30 {
        let write = service.next().unwrap();
        assert_eq!(
            (id(&write), code(&write)),
            (format!("w{round}").as_str(), "OK")
        );
        let read = service.next().unwrap();
        assert_eq!(id(&read), format!("r{round}"));
        let text = read["stdout"].as_str().unwrap();
        assert!(text.trim_end().ends_with(&format!("\n{round}")), "{text}");
    }
    lines.join().unwrap();
}

#[test]
fn j06_a_question_behind_a_withdrawal_finds_the_draft_without_it() {
    let world = World::empty().set(EMBEDDED).set("drafts = \"all\"");
    let mut service = Service::start_with(&world, &["--parallel", "8"]);
    for round in 0..20 {
        let path = format!("{round}.md");
        service.send(&json!({ "command": "create", "params": { "path": path } }).to_string());
        for command in ["draft:status", "draft:withdraw", "draft:status"] {
            let all = if command == "draft:withdraw" {
                json!({ "all": true })
            } else {
                json!({})
            };
            service.send(&json!({ "command": command, "params": all }).to_string());
        }
        assert_eq!(service.next().unwrap()["status"], "drafted");
        let waiting = [1, 0, 0].map(|_| service.next().unwrap()["data"]["waiting"].clone());
        assert_eq!(waiting, [1, 0, 0], "{round}");
    }
}

#[test]
fn k09_a_read_behind_one_of_a_labelled_note_is_restricted() {
    let taint = "[taint]\nsources = [\"Clip/**\"]\nsecret = [\"Secret/**\"]\n";
    for _ in 0..10 {
        let world = World::empty().set(EMBEDDED).with_tables(taint);
        world.write("Clip/c.md", "text from outside\n");
        world.write("Secret/s.md", "key\n");
        let mut service = Service::start_with(&world, &["--parallel", "8"]);
        for path in ["Secret/s.md", "Clip/c.md", "Secret/s.md"] {
            service.send(&json!({ "command": "read", "params": { "path": path } }).to_string());
        }
        let shown = [(); 3].map(|()| service.next().unwrap()["success"].clone());
        assert_eq!(shown, [true, true, false]);
    }
}

#[test]
fn j06_a_read_behind_an_undo_or_a_redo_shows_what_it_left() {
    let world = engine();
    let mut service = Service::start_with(&world, &["--parallel", "8"]);
    service.ask(r#"{"command":"append","params":{"path":"n.md","content":"more"}}"#);
    let mut input = service.take_input();
    let lines = std::thread::spawn(move || {
        for _ in 0..20 {
            for command in ["undo", "redo"] {
                writeln!(input, r#"{{"command":"{command}"}}"#).unwrap();
                for _ in 0..3 {
                    writeln!(input, r#"{{"command":"read","params":{{"path":"n.md"}}}}"#).unwrap();
                }
            }
        }
    });
    for round in 0..40 {
        let reversal = service.next().unwrap();
        assert_eq!(code(&reversal), "OK", "{round}: {reversal}");
        for _ in 0..3 {
            let read = service.next().unwrap();
            let text = read["stdout"].as_str().unwrap();
            assert_eq!(text.contains("more"), round % 2 == 1, "{round}: {text}");
        }
    }
    lines.join().unwrap();
}

#[test]
fn e10_a_client_that_goes_away_takes_its_calls_along() {
    let world = hanging();
    let mut service = Service::start_with(&world, &["--order", "completion"]);
    service.send(SLOW);
    let child = child_of(&world, "read");
    service.hang_up();
    service.send("not a request");
    assert_eq!(service.exit_status(), Some(0));
    assert!(is_gone(child));
}

#[test]
fn e10_a_wish_to_take_back_is_heard_behind_requests_that_wait() {
    let world = hanging();
    let mut service = Service::start_with(&world, &["--parallel", "1"]);
    service.send(SLOW);
    child_of(&world, "read");
    for number in 0..6 {
        service.send(&format!(r#"{{"id":"{number}","command":"files"}}"#));
    }
    service.send(r#"{"cancel":"slow"}"#);
    let answer = service.next().unwrap();
    assert_eq!((id(&answer), code(&answer)), ("slow", "CANCELLED"));
    for number in 0..6 {
        assert_eq!(id(&service.next().unwrap()), number.to_string());
    }
}

#[test]
fn e11_the_first_signal_lets_calls_end_and_the_second_ends_them() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let world = hanging();
        let mut service = Service::start(&world);
        service.send(SLOW);
        service.send(QUICK);
        let child = child_of(&world, "read");
        child_of(&world, "files");
        service.signal(signal);
        // Two that come close together are one to the kernel.
        let begun = Instant::now();
        assert!(comes_true(|| service.has_ended_by(signal)));
        let answers: Vec<Value> = std::iter::from_fn(|| service.next()).collect();
        assert_eq!(service.exit_status(), Some(status));
        assert!(
            begun.elapsed() < WELL_BEFORE_THE_CHILD,
            "{:?}",
            begun.elapsed()
        );
        assert!(is_gone(child));
        let shown: Vec<_> = answers
            .iter()
            .map(|answer| (id(answer), code(answer)))
            .collect();
        assert_eq!(shown[0], ("slow", "CANCELLED"));
        assert_eq!(shown[1].0, "quick");
        assert_complete(&world, &answers);
    }
}

#[test]
fn e11_one_signal_waits_for_what_was_begun() {
    let scenario = Scenario::logged().always("read", [Action::Sleep { ms: 500 }]);
    let world = World::empty().with_fake(&scenario).set(OFFICIAL);
    world.write("n.md", "text\n");
    let mut service = Service::start(&world);
    service.send(SLOW);
    child_of(&world, "read");
    service.signal(Signal::TERM);
    let answer = service.next().unwrap();
    assert_eq!((id(&answer), code(&answer)), ("slow", "OK"));
    assert_eq!(service.next(), None);
    assert_eq!(service.exit_status(), Some(143));
}

#[test]
fn e11_signals_at_any_point_leave_a_complete_log() {
    let world = engine();
    let mut answers = Vec::new();
    let mut contents = Vec::new();
    for round in 0..14 {
        let mut shown = |answers: &mut Vec<Value>, answer: Value| {
            contents.push(format!("{round}.{}", id(&answer)));
            answers.push(answer);
        };
        let mut service = Service::start_with(&world, &["--order", "completion"]);
        for number in 0..8 {
            service.send(&format!(
                r#"{{"id":"{number}","command":"append","params":{{"path":"n.md","content":"{round}.{number}"}}}}"#
            ));
        }
        for _ in 0..=round % 7 {
            shown(&mut answers, service.next().unwrap());
        }
        service.signal(Signal::TERM);
        if round % 2 == 1 {
            service.signal(Signal::TERM);
        }
        while let Some(answer) = service.next() {
            shown(&mut answers, answer);
        }
        assert_eq!(service.exit_status(), Some(143), "{round}");
    }
    assert_complete(&world, &answers);
    // What was answered is what happened. After the second signal an answer may be missing.
    let text = world.read("n.md");
    for (answer, content) in answers.iter().zip(contents) {
        let is_written = text.lines().any(|line| line == content);
        assert_eq!(is_written, code(answer) == "OK", "{answer:#}");
    }
}

/// The log is as it was written, each change begun is also ended in it, and each answer is there.
fn assert_complete(world: &World, answers: &[Value]) {
    world.run(&["audit", "verify"]).ended(0);
    let log = world.run(&["-o", "jsonl", "audit", "--limit", "100000"]);
    let records: Vec<Value> = log
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let runs = |phase: &str| -> BTreeSet<String> {
        let of_phase = records.iter().filter(|record| record["phase"] == phase);
        of_phase.map(|record| record["runId"].to_string()).collect()
    };
    assert_eq!(runs("intent"), runs("result"));
    let ended: BTreeSet<String> = runs("result").union(&runs("decision")).cloned().collect();
    for answer in answers {
        assert!(ended.contains(&answer["runId"].to_string()), "{answer:#}");
    }
}

#[test]
fn j01_many_more_requests_than_places_are_all_answered() {
    let world = engine();
    let mut service = Service::start_with(&world, &["--parallel", "2"]);
    let mut input = service.take_input();
    let sender = std::thread::spawn(move || {
        for number in 0..200 {
            writeln!(
                input,
                r#"{{"id":"{number}","command":"read","params":{{"path":"n.md"}}}}"#
            )
            .unwrap();
        }
    });
    for number in 0..200 {
        let answer = service.next().unwrap();
        assert_eq!(
            (id(&answer), code(&answer)),
            (number.to_string().as_str(), "OK")
        );
    }
    sender.join().unwrap();
    assert_eq!(service.next(), None);
}

#[test]
fn j01_whoever_waits_longer_than_its_time_for_a_place_is_asked_to_come_again() {
    let scenario = Scenario::logged().always("read", [Action::Sleep { ms: 400 }]);
    let world = World::empty()
        .with_fake(&scenario)
        .set(OFFICIAL)
        .set("timeout_ms = 1500");
    world.write("n.md", "text\n");
    let gateway = world.gateway();
    let envelopes: Vec<_> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..60)
            .map(|_| scope.spawn(|| gateway.call(&asked("read path=n.md"))))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let busy: Vec<_> = envelopes
        .iter()
        .filter(|envelope| matches!(&envelope.error, Some(error) if error.code == Code::Busy))
        .collect();
    assert!(busy.len() >= 20, "{} were busy", busy.len());
    for envelope in &busy {
        assert_eq!(detail(envelope, "retryable"), true);
        assert_eq!(envelope.meta.process, None);
    }
    assert!(world.argvs().len() <= 60 - busy.len());
}

#[cfg(target_os = "linux")]
#[test]
fn j03_too_few_descriptors_are_an_error_until_there_are_more() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    for (world, line) in [
        (
            engine(),
            r#"{"command":"search","params":{"query":"text"}}"#,
        ),
        (
            {
                let world = World::empty().with_fake(&Scenario::logged()).set(OFFICIAL);
                world.write("n.md", "text\n");
                world
            },
            r#"{"command":"read","params":{"path":"n.md"}}"#,
        ),
    ] {
        let mut service = Service::start(&world);
        service.ask(line).succeeds();
        let pid = Pid::from_raw(i32::try_from(service.pid()).unwrap());
        let limit = |soft: u64| {
            let limits = Rlimit {
                current: Some(soft),
                maximum: Some(4096),
            };
            prlimit(pid, Resource::Nofile, limits).unwrap();
        };
        limit(u64::try_from(service.descriptors()).unwrap());
        for _ in 0..3 {
            let answer = service.ask_quickly(line);
            assert_eq!(answer["success"], false, "{answer:#}");
        }
        limit(64);
        service.ask(line).succeeds();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn j04_memory_stays_bounded_with_all_places_at_the_cap() {
    const CAP: u64 = 1024 * 1024;
    const PLACES: u64 = 4;
    let flood = Action::Flood {
        stream: Stream::Both,
        bytes: 8 * CAP,
    };
    let scenario = Scenario::logged().always("read", [flood]);
    let world = World::empty()
        .with_fake(&scenario)
        .set(OFFICIAL)
        .set(&format!("max_output_bytes = {CAP}"));
    world.write("n.md", "text\n");
    let mut service = Service::start_with(&world, &["--parallel", &PLACES.to_string()]);
    service.ask(r#"{"command":"files"}"#).succeeds();
    let before = service.status("VmHWM");
    let mut input = service.take_input();
    let sender = std::thread::spawn(move || {
        for _ in 0..12 {
            writeln!(input, r#"{{"command":"read","params":{{"path":"n.md"}}}}"#).unwrap();
        }
        // The program must not end before it was looked at.
        input
    });
    // A client that reads late: nothing piles up meanwhile.
    let is_full = || {
        world
            .runs()
            .iter()
            .filter(|run| run.contains("read"))
            .count()
            >= 4
    };
    assert!(comes_true(is_full));
    let mut answers = 0;
    while answers < 12 {
        let Some(answer) = service.next() else {
            panic!("{answers} answers, then {:?}", service.exit_status());
        };
        assert!(answer["stdout"].as_str().unwrap().len() as u64 <= CAP + 200);
        answers += 1;
    }
    let input = sender.join().unwrap();
    // Two streams each, and each is there as bytes, as text, in `data`, and twice in the line while
    // that grows; finished ones wait to be printed, and the allocator keeps what was freed in between.
    let most = PLACES * CAP * 2 * 10;
    let grown = (service.status("VmHWM") - before) * 1024;
    drop(input);
    assert!(grown <= most, "{grown} bytes of {most}");
}
