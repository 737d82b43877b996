//! The official backend: how the binary is found, the pipe, arguments, and what is left of a run.

use std::process::Stdio;
use std::time::{Duration, Instant};

use fake_obsidian::app::Mode;
use fake_obsidian::home::install_binary;
use fake_obsidian::log::{self, Event};
use fake_obsidian::scenario::{Action, Child, Scenario};

use super::{ends, undo};
use crate::support::processes::comes_true;
use crate::support::{World, code, detail, fake_binary};

const CASES: &str = include_str!("../data/windows_official.txt");

/// How long the work of a process takes that is to be ended before.
const LATE: Duration = Duration::from_secs(12);

fn quiet() -> Scenario {
    Scenario::logged().without_socket()
}

/// A user with this fake and without the app.
fn with_binary(scenario: &Scenario) -> World {
    let mut world = World::empty()
        .set("allow_mutations = true")
        .set("backend = \"obsidian\"");
    world.install(scenario);
    world.write("n.md", "note\n");
    world
}

/// The same with the app.
fn with_app(scenario: &Scenario) -> World {
    let mut world = with_binary(scenario);
    world.start_app(Mode::Normal);
    world
}

fn read(world: &World) -> &'static str {
    ends(world, "read", &[("path", "n.md")])
}

/// Replaces the line of the settings that names the binary.
fn name_binary(world: &mut World, path: &str) {
    let others = world.settings.lines();
    let others = others.filter(|line| !line.starts_with("obsidian_path"));
    let others: Vec<&str> = others.collect();
    world.settings = format!("obsidian_path = {path:?}\n{}\n", others.join("\n"));
}

#[test]
fn the_binary_is_found_in_localappdata() {
    let mut world = with_app(&quiet());
    name_binary(&mut world, "obsidian");
    assert_eq!(read(&world), "CLI_UNAVAILABLE");
    let place = world.home.data().join("Programs/Obsidian");
    fs_err::create_dir_all(&place).unwrap();
    install_binary(&place, "Obsidian.com", fake_binary(), &quiet()).unwrap();
    assert_eq!(read(&world), "OK");
    let started = log::invocations(&place.join(log::LOG_FILE)).unwrap();
    assert!(!started.is_empty());
}

#[test]
fn b01_batch_files_are_refused_however_they_are_spelled() {
    let mut world = with_app(&quiet());
    let folder = world.home.binaries();
    let marker = world.scratch().join("ran");
    for name in ["obsidian.bat", "obsidian.cmd"] {
        let script = format!("@echo ran> {}\r\n", marker.display());
        fs_err::write(folder.join(name), script).unwrap();
    }
    for name in "obsidian.bat|obsidian.cmd|OBSIDIAN.BAT|obsidian.bat.|obsidian.cmd ".split('|') {
        let path = format!(r"{}\{name}", folder.display());
        name_binary(&mut world, &path);
        let answer = world.ask("read path=n.md");
        assert_eq!(code(&answer), "CLI_UNAVAILABLE", "{name}");
        let reason = detail(&answer, "reason");
        let is_exact = name.ends_with(['t', 'd', 'T']);
        assert!(
            reason == "batch-file" || (reason == "missing" && !is_exact),
            "{name}: {reason}"
        );
    }
    assert!(!marker.exists());
}

#[test]
fn a_program_that_the_system_would_start_instead_is_refused() {
    let world = with_app(&quiet());
    assert_eq!(read(&world), "OK");
    let before = world.runs().len();
    let shadow = world.home.binaries().join("Obsidian.com.exe");
    fs_err::write(shadow, "another program").unwrap();
    let answer = world.ask("read path=n.md");
    assert_eq!(code(&answer), "CLI_UNAVAILABLE");
    assert_eq!(detail(&answer, "reason"), "shadowed");
    assert_eq!(world.runs().len(), before);
}

#[test]
fn g01_the_pipe_is_reported_as_absent_busy_or_closed() {
    let mut world = with_binary(&quiet());
    assert_eq!(read(&world), "APP_NOT_RUNNING");
    assert!(world.nothing_spawned());
    for (mode, wanted) in [
        (Mode::Normal, "OK"),
        (Mode::Busy, "OK"),
        (Mode::Closed, "APP_UNREACHABLE"),
    ] {
        world.start_app(mode);
        assert_eq!(read(&world), wanted, "{mode:?}");
    }
    let answer = world.ask("read path=n.md");
    assert_eq!(detail(&answer, "reason"), "permission");
}

#[test]
fn a_write_is_proved_verified_and_undone() {
    let world = with_app(&Scenario::logged());
    let answer = world.ask("read path=n.md");
    assert_eq!((code(&answer), &*answer.stdout), ("OK", "note\n"));
    let text = "é \"x\" \\ y";
    let made = [("path", "New.md"), ("content", text)];
    assert_eq!(ends(&world, "create", &made), "OK");
    assert_eq!(world.read("New.md"), text);
    assert_eq!(undo(&world), "OK");
    assert!(!world.vault.join("New.md").exists());
}

#[test]
fn b01_what_is_hard_to_quote_arrives_as_it_was() {
    let world = with_app(&quiet());
    for query in tables::lines(CASES, "b01 what is hard to quote arrives") {
        ends(&world, "search", &[("query", query)]);
        let last = world.argvs().pop().unwrap();
        assert!(last.contains(&format!("query={query}")), "{last:?}");
    }
}

/// The bytes of a command line, quoted as Windows programs are told their arguments.
fn line_length(program: &str, words: &[String]) -> usize {
    let quoted = |word: &String| {
        let spaces = usize::from(word.is_empty() || word.contains([' ', '\t'])) * 2;
        let quotes = word.matches('"').count() + word.matches("\\\"").count();
        1 + word.len() + spaces + quotes
    };
    program.len() + 2 + words.iter().map(quoted).sum::<usize>()
}

#[test]
fn b06_no_command_line_is_longer_than_the_app_takes() {
    // `official-cli.md` §4.
    const MOST: usize = 4000;
    let world = with_app(&quiet());
    let mut text = "note\n".to_owned();
    for (unit, times) in tables::typed::<(&str, usize)>(CASES, "b06 no command line is longer") {
        let content = unit.repeat(times);
        let params = [("path", "n.md"), ("content", &*content), ("inline", "true")];
        if ends(&world, "append", &params) == "OK" {
            text += &content;
        }
    }
    assert_eq!(world.read("n.md"), text);
    let query = "x".repeat(5000);
    let refused = ends(&world, "search", &[("query", &query)]);
    assert_eq!(refused, "ARGUMENT_TOO_LARGE");
    for run in world.invocations() {
        let length = line_length(&run.argv[0].to_text(), &run.arguments());
        assert!(length <= MOST, "{length}");
    }
}

/// At the deadline, where the gateway itself is killed, and after an answer.
#[test]
fn e05_nothing_that_a_run_started_works_on_after_its_end() {
    let late = u64::try_from(LATE.as_millis()).unwrap();
    let hangs = quiet().always("append", [Action::LateEffect { ms: late }]);
    let mut world = with_app(&hangs);
    let children = |world: &World| log::children(&world.home.log()).unwrap().len();

    let words = ["append", "path=n.md", "content=late"];
    let timed = world.run(&[&["-o", "json", "--timeout-ms", "6000"], &words[..]].concat());
    assert_eq!(timed.json()["error"]["code"], "TIMEOUT");
    assert_eq!(children(&world), 1);

    let mut doomed = world.program();
    doomed
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut doomed = doomed.spawn().unwrap();
    assert!(comes_true(|| children(&world) == 2));
    doomed.kill().unwrap();
    doomed.wait().unwrap();
    std::thread::sleep(LATE + Duration::from_millis(500));
    let events = log::read(&world.home.log()).unwrap();
    let is_late = |event: &Event| matches!(event, Event::LateEffect { .. });
    assert!(!events.iter().any(is_late), "{events:?}");

    let child = Child {
        holds_pipes: true,
        lifetime_ms: 30_000,
        ..Child::default()
    };
    world.install(&quiet().always("read", [Action::Spawn { count: 2, child }]));
    let started = Instant::now();
    let answer = world.ask("read path=n.md");
    assert_eq!(code(&answer), "OK");
    assert!(started.elapsed() < Duration::from_secs(25));
    let process = answer.meta.process.unwrap();
    assert!(!process.descendants_leaked);
}
