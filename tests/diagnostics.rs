//! Events of the program (`-v`, `--log-file`, `RUST_LOG`): there where asked for, in the form asked
//! for, and without anything that is redacted elsewhere.

use serde_json::Value;

use crate::support::{World, finish, has, lacks};

fn world() -> World {
    World::with_fixture_vault().set("allow_mutations = true")
}

const SECRET: &str = "correct-horse-battery";

/// The events in a log file, one JSON object a line.
fn events(log: &str) -> Vec<Value> {
    log.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

#[test]
fn nothing_is_logged_unless_asked_for() {
    let ran = world().run(&["read", "path=Home.md"]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn v_reports_how_the_call_ended_and_leaves_stdout_alone() {
    let world = world();
    let silent = world.run(&["files", "total"]);
    let shown = world.run(&["-v", "files", "total"]);
    assert_eq!(silent.stdout, shown.stdout);
    shown.reports("call ended");
    shown.omits("backend chosen");
    world
        .run(&["-vv", "files", "total"])
        .reports("backend chosen");
}

#[test]
fn a_log_file_gets_lines_of_json_with_the_run_id_and_is_appended_to() {
    let world = world();
    let log = world.scratch().join("vault-gw.log");
    let options = [
        "--log-file",
        log.to_str().unwrap(),
        "--log-format",
        "json",
        "-j",
    ];
    let run = |words: &[&str]| world.run(&[&options[..], words].concat());
    let first = run(&["files", "total"]).json();
    let second = run(&["no:such"]).json();
    let events = events(&fs_err::read_to_string(&log).unwrap());
    let ended: Vec<_> = events
        .iter()
        .filter(|event| event["message"] == "call ended")
        .collect();
    assert_eq!(ended.len(), 2, "{events:?}");
    for (event, envelope) in ended.iter().zip([&first, &second]) {
        assert_eq!(event["span"]["run_id"], envelope["runId"]);
        assert_eq!(event["duration_ms"], envelope["durationMs"]);
    }
    // Text of the caller that is no command is not logged.
    assert_eq!(ended[1]["span"]["command"], "(unknown)");
    assert_eq!(ended[1]["code"], second["error"]["code"]);
}

#[cfg(unix)]
#[test]
fn f12_a_log_file_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world();
    let log = world.scratch().join("vault-gw.log");
    let _ran = world.run(&["--log-file", log.to_str().unwrap(), "files"]);
    let mode = fs_err::metadata(&log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn f12_no_event_holds_values_texts_or_paths_of_the_vault() {
    let world = world();
    world.write("Hidden plans.md", "the body of a note");
    world.write_settings();
    let log = world.scratch().join("vault-gw.log");
    let options = ["--log-file", log.to_str().unwrap(), "-vvv"];
    let content = format!("content={SECRET}");
    for words in [
        &["append", "path=Hidden plans.md", &content][..],
        &["read", "path=Hidden plans.md"],
        &["search", "query=correct-horse"],
        &[
            "property:set",
            "path=Hidden plans.md",
            "name=mood",
            "value=correct-horse",
        ],
        &["correct-horse", "path=Hidden plans.md"],
    ] {
        let mut command = world.program();
        command.args(options).args(words).env("RUST_LOG", "trace");
        let ran = finish(command, b"");
        ran.omits("the body");
        // What the program says to the person may name the note; events may not.
        let levels = ["TRACE", "DEBUG", "INFO", "WARN"];
        let is_event = |line: &&str| levels.iter().any(|level| line.contains(level));
        for event in ran.stderr.lines().filter(is_event) {
            lacks(&event, &["correct-horse", "Hidden"]);
        }
    }
    let log = fs_err::read_to_string(&log).unwrap();
    has(&log, &["call ended", "journal entry"]);
    let root = world.scratch().to_string_lossy().into_owned();
    for secret in ["correct-horse", "Hidden", "the body", "mood", root.as_str()] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[test]
fn rust_log_chooses_the_events_and_one_of_another_program_is_ignored() {
    let world = world();
    let run = |filter: &str| {
        let mut command = world.program();
        command.args(["files", "total"]).env("RUST_LOG", filter);
        finish(command, b"")
    };
    assert!(run("gateway=debug").stderr.contains("backend chosen"));
    assert_eq!(run("warn").stderr, "");
    assert_eq!(run("rmcp=trace,hyper=trace").stderr, "");
    let other = run("a[b{c=/");
    other.ended(0);
    other.reports("RUST_LOG");
}

#[test]
fn a_log_file_that_cannot_be_written_is_named_and_nothing_runs() {
    let world = world();
    let log = world.scratch().join("no folder/vault-gw.log");
    let log = log.to_str().unwrap();
    let before = world.read("Home.md");
    let ran = world.run(&["--log-file", log, "append", "path=Home.md", "content=x"]);
    ran.ended(64);
    ran.reports(log);
    assert_eq!(world.read("Home.md"), before);
}
