//! Writes through the official binary: exactly what was sent, verified on disk, never a success
//! that is none (`threats.toml` B05, B06, E17; `vault-semantics.md` §7).

use std::io;
use std::path::PathBuf;
#[cfg(unix)]
use std::process::{Child, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fake_obsidian::log::Event;
use fake_obsidian::scenario::{Action, Scenario, Stream};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;
use vault_engine::{Failpoints, Step};
use vault_gw::allowlist::Effect;
use vault_gw::gateway::{Caller, Envelope, Gateway, Happening, Options, Request, Status};
use vault_gw::settings::BackendChoice;

use crate::support::processes::comes_true;
use crate::support::{
    NOW, Outcome as _, World, answer, checked, code, detail, finish, request, warnings,
};

const CASES: &str = include_str!("data/writes.txt");

/// Texts that the app's command line would damage, and texts that look as if it would.
const TEXTS: [&str; 6] = [
    r"\times \nabla C:\new\text \\n \\\t \",
    "real\n\n\ttab\r\nand \\n pair",
    "no pair: \\ n \\\n \\\\ \\r",
    "lone\rreturn 🌱é\u{301} e\u{feff}",
    "---\nfence: \\n\n---\n",
    "n",
];

/// An empty vault whose app behaves so, with writes allowed and the official backend asked for.
fn world(scenario: Scenario) -> World {
    let now = Some(NOW.parse().unwrap());
    World::empty()
        .with_fake(&Scenario { now, ..scenario })
        .set("allow_mutations = true\nbackend = \"obsidian\"")
}

/// The app did not do what was asked, for this reason; and what is known of the outcome.
#[track_caller]
fn assert_not_done(envelope: &Envelope, reason: &str, outcome: Status, case: &str) {
    assert_eq!(
        code(envelope),
        "CLI_REPORTED_ERROR",
        "{case}: {envelope:#?}"
    );
    assert_eq!(detail(envelope, "reason"), reason, "{case}");
    assert_eq!(envelope.status, outcome, "{case}");
    assert!(!envelope.success, "{case}");
}

/// Today's note in a vault without settings for daily notes.
const TODAY: &str = "2026-03-14.md";

/// A write whose stored text can be told beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Write {
    command: &'static str,
    inline: bool,
}

const WRITES: [Write; 9] = [
    Write::of("create", false),
    Write::of("append", false),
    Write::of("append", true),
    Write::of("prepend", false),
    Write::of("prepend", true),
    Write::of("daily:append", false),
    Write::of("daily:append", true),
    Write::of("daily:prepend", false),
    Write::of("daily:prepend", true),
];

impl Write {
    const fn of(command: &'static str, inline: bool) -> Self {
        Self { command, inline }
    }

    fn is_daily(self) -> bool {
        self.command.starts_with("daily:")
    }

    /// The note's text afterwards (`vault-semantics.md` §7.2, §7.3).
    fn stored(self, before: &str, content: &str) -> String {
        let separator = if self.inline { "" } else { "\n" };
        match self.command {
            "create" => content.to_owned(),
            "append" | "daily:append" => format!("{before}{separator}{content}"),
            _ => {
                // Every `before` here has no properties, or nothing but properties.
                let at = if before.starts_with("---") {
                    before.len()
                } else {
                    0
                };
                let (head, body) = before.split_at(at);
                format!("{head}{content}{separator}{body}")
            }
        }
    }

    fn call(self, gateway: &Gateway, path: &str, content: &str) -> Envelope {
        let mut params = vec![("content", content)];
        if !self.is_daily() {
            params.push(("path", path));
        }
        if self.inline {
            params.push(("inline", "true"));
        }
        checked(gateway.call(&request(self.command, &params)))
    }

    /// Writes, and compares what is stored with what was sent. What is refused must have left
    /// everything as it was.
    fn prove(self, world: &World, gateway: &Gateway, before: &str, content: &str) -> Envelope {
        let path = if self.is_daily() { TODAY } else { "n.md" };
        drop(fs_err::remove_file(world.vault.join("n.md")));
        drop(fs_err::remove_file(world.vault.join(TODAY)));
        let is_new = self.command == "create" || (self.is_daily() && before.is_empty());
        if !is_new {
            world.write(path, before);
        }
        let envelope = self.call(gateway, path, content);
        if envelope.success {
            assert_eq!(envelope.status, Status::Ok);
            assert_eq!(
                world.read(path),
                self.stored(before, content),
                "{self:?} {content:?}"
            );
        } else {
            assert_eq!(code(&envelope), "UNREPRESENTABLE_CONTENT", "{envelope:#?}");
            assert_eq!(world.vault.join(path).exists(), !is_new);
            if !is_new {
                assert_eq!(world.read(path), before);
            }
        }
        envelope
    }
}

#[test]
fn b05_what_is_stored_is_what_was_sent() {
    let world = world(Scenario::default());
    let gateway = world.gateway();
    for (number, text) in TEXTS.into_iter().enumerate() {
        // Each text meets a note that ends with a line feed, one that does not, and a new one.
        let before = ["old\n", "old", ""][number % 3];
        for write in WRITES {
            let envelope = write.prove(&world, &gateway, before, text);
            assert!(envelope.success, "{write:?} {text:?} {envelope:#?}");
        }
    }
}

#[test]
fn b05_properties_stay_first() {
    let world = world(Scenario::default());
    let gateway = world.gateway();
    let before = "---\ntags: [a]\n---\n";
    for write in WRITES
        .into_iter()
        .filter(|write| write.command.ends_with("prepend"))
    {
        let envelope = write
            .prove(&world, &gateway, before, r"\alpha \nu \tau")
            .succeeds();
        assert!(envelope.meta.process.unwrap().runs > 1, "sent in parts");
    }
}

#[test]
fn b05_any_text_is_stored_exactly_or_refused() {
    // A backslash behind a dollar sign may be a formula, which is active content.
    let world = world(Scenario::default()).set("allow_active = true");
    let gateway = world.gateway();
    let piece = prop::sample::select(vec![
        "\\", "\\", "n", "t", "\\n", "\\t", "\n", "\t", "\r", "\r\n", "é", "😀", "\u{feff}", " ",
        "a", "---", "\"", "=", "'", "$(x)", "`",
    ]);
    let text = prop::collection::vec(piece, 1..10).prop_map(|pieces| pieces.concat());
    let before = prop::sample::select(vec!["", "x\n", "x", "\\"]);
    let cases = (prop::sample::select(WRITES.to_vec()), before, text);
    let config = Config {
        cases: 16,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&cases, |(write, before, text)| {
            let envelope = write.prove(&world, &gateway, before, &text);
            if envelope.success {
                Ok(())
            } else {
                Err(TestCaseError::fail("this text can be sent in parts"))
            }
        })
        .unwrap();
}

#[test]
fn b05_what_cannot_be_sent_in_parts_is_refused_before_anything_runs() {
    let world = world(Scenario::logged());
    world.write("b.base", "views: []\n");
    for line in [
        r"base:create path=b.base name=N content='C:\new'",
        r"unique content='C:\new'",
    ] {
        let envelope = world.ask(line).fails_with("UNREPRESENTABLE_CONTENT");
        assert_eq!(detail(&envelope, "parameter"), "content");
        assert_eq!(envelope.exit_status(), 65);
        assert_eq!(envelope.status, Status::Error);
    }
    assert_eq!(world.argvs().len(), 0);
}

#[test]
fn b05_other_values_keep_their_pairs() {
    // Only `content=` is unescaped by the app (`official-cli.md` §4).
    let world = world(Scenario::logged());
    world.write("n.md", "");
    let params = [("path", "n.md"), ("name", "place"), ("value", r"C:\new")];
    let envelope = world.call("property:set", &params).succeeds();
    assert_eq!(envelope.stdout, "Set place: C:\\new\n");
    assert!(world.read("n.md").contains(r"C:\new"));
    assert_eq!(envelope.meta.process.unwrap().runs, 1);
}

#[test]
fn b05_a_follow_up_command_that_is_closed_stops_the_write_before_it_starts() {
    let world = world(Scenario::logged()).set("tier = \"v0\"");
    let content = [("content", r"\times")];
    let envelope = world
        .call("daily:append", &content)
        .fails_with("UNREPRESENTABLE_CONTENT");
    let message = &envelope.error.as_ref().unwrap().to_string();
    assert!(message.contains("`append`"), "{message}");
    assert_eq!(world.argvs().len(), 0);
    assert!(!world.vault.join(TODAY).exists());
    // A text that one call carries is open in this tier.
    world.ask("daily:append content=plain").succeeds();
    assert_eq!(world.read(TODAY), "\nplain");
}

#[test]
fn b06_a_long_text_is_sent_in_parts_and_stored_whole() {
    let world = world(Scenario::logged());
    world.write("n.md", "old");
    // A character of four bytes at every edge that a cut could have.
    let text = format!("x{}", "🌱".repeat(30_000));
    for (command, stored) in [
        ("create", text.clone()),
        ("append", format!("old\n{text}")),
        ("prepend", format!("{text}\nold")),
    ] {
        let path = format!("{command}.md");
        if command != "create" {
            world.write(&path, "old");
        }
        let envelope = world
            .call(command, &[("path", &path), ("content", &text)])
            .succeeds();
        assert!(envelope.meta.process.unwrap().runs >= 2);
        assert!(world.read(&path) == stored, "{command} damaged the text");
    }
    let longest = world.argvs().concat().iter().map(String::len).max();
    assert!(longest.unwrap() < 131_072);
}

#[test]
fn b06_a_long_value_is_refused_with_its_size_and_the_limit() {
    let world = world(Scenario::logged());
    world.write("n.md", "");
    let set = |bytes: usize| {
        let value = "x".repeat(bytes);
        let params = [("path", "n.md"), ("name", "p"), ("value", value.as_str())];
        world.call("property:set", &params)
    };
    let envelope = set(200_000).fails_with("ARGUMENT_TOO_LARGE");
    assert_eq!(envelope.exit_status(), 65);
    assert!(detail(&envelope, "limit").as_u64() < detail(&envelope, "size").as_u64());

    // Past the kernel's limit one word alone is too long; below it the whole message is measured.
    let envelope = set(100_000);
    assert_eq!(detail(&envelope, "measured"), "message");
    let number = |name| usize::try_from(detail(&envelope, name).as_u64().unwrap()).unwrap();
    let around = number("size") - 100_000;
    let most = number("limit") - around;
    let envelope = set(most + 1).fails_with("ARGUMENT_TOO_LARGE");
    assert_eq!(detail(&envelope, "size"), number("limit") + 1);
    assert_eq!(world.argvs().len(), 0, "refused before any start");
    assert_eq!(world.read("n.md"), "");
    for bytes in [most, most - 1] {
        let envelope = set(bytes);
        assert!(envelope.success, "{bytes}: {:?}", envelope.error);
    }
}

#[test]
fn b06_a_line_that_the_app_drops_is_never_a_success() {
    let drops = [Action::DropIfLongerThan { bytes: 4000 }];
    let world = world(Scenario::logged().always("*", drops));
    world.write("n.md", "old\n");
    let long = "x".repeat(10_000);
    let envelope = world.call("append", &[("path", "n.md"), ("content", &long)]);
    assert_not_done(
        &envelope,
        "no-confirmation",
        Status::Error,
        "the note is as it was",
    );
    assert_eq!(envelope.exit_code, Some(0));
    assert_eq!(world.read("n.md"), "old\n");

    world
        .call("create", &[("path", "new.md"), ("content", &long)])
        .fails_with("CLI_REPORTED_ERROR");
    assert!(!world.vault.join("new.md").exists());

    // The first part is short and arrives; the second is lost.
    let text = format!("head\\n{long}");
    let envelope = world
        .call("create", &[("path", "half.md"), ("content", &text)])
        .fails_with("CLI_REPORTED_ERROR");
    assert_eq!(envelope.status, Status::Unknown);
    assert_eq!(detail(&envelope, "partsSent"), 1);
    assert_eq!(detail(&envelope, "parts"), 2);
    assert_eq!(world.read("half.md"), "head\\");
    let runs = world.runs();
    assert!(runs.iter().filter(|run| run.contains(" append ")).count() == 2);
}

#[test]
fn b06_later_parts_go_to_the_note_that_was_really_made() {
    let world = world(Scenario::logged());
    world.write("a.md", "somebody's\n");
    let text = r"one \two \new";
    let numbered = ("number", "true");
    let envelope = world
        .call("create", &[("path", "a.md"), ("content", text), numbered])
        .succeeds();
    assert_eq!(envelope.data.as_map()["path"], "a 1.md");
    assert_eq!(envelope.stdout, "Created: a 1.md\n");
    assert_eq!(world.read("a.md"), "somebody's\n");
    assert_eq!(world.read("a 1.md"), text);
    assert_eq!(
        world.runs()[1..],
        [
            r"vault=Notes create content=one \ path=a.md",
            r"vault=Notes append content=two \ inline path=a 1.md",
            r"vault=Notes append content=new inline path=a 1.md",
        ]
    );
}

#[test]
fn b06_a_failed_second_part_leaves_the_outcome_unknown() {
    let refuses = [Action::Error {
        message: "disk full".to_owned(),
    }];
    let world = world(Scenario::logged().always("append", refuses));
    let text = r"one \two \new";
    let envelope = world
        .call("create", &[("path", "a.md"), ("content", text)])
        .fails_with("CLI_REPORTED_ERROR");
    assert_eq!(envelope.status, Status::Unknown);
    assert!(!envelope.success);
    assert_eq!(detail(&envelope, "partsSent"), 1);
    assert_eq!(detail(&envelope, "parts"), 3);
    // The failing part's own words; the third part is not sent.
    assert_eq!(envelope.stdout, "Error: disk full\n");
    assert_eq!(world.runs().len(), 3);
    assert_eq!(world.read("a.md"), r"one \");
}

#[test]
fn b06_a_write_that_was_only_confirmed_is_a_failure() {
    let world = world(Scenario::logged().always("*", [Action::ConfirmOnly])).set("approve = []");
    let before = "note\ntext\n";
    world.write("n.md", before);
    world.write(TODAY, before);
    for line in tables::lines(CASES, "b06 a write that was only confirmed") {
        let envelope = world.ask(line);
        assert_not_done(&envelope, "read-back", Status::Error, line);
        assert_eq!(envelope.exit_code, Some(0));
        assert_eq!(world.read("n.md"), before);
        assert_eq!(world.read(TODAY), before);
    }
    let envelope = world.ask("create path=n.md content=text overwrite");
    assert_eq!(detail(&envelope, "reason"), "read-back");
}

#[test]
fn b06_a_write_without_an_answer_is_a_failure() {
    for line in tables::lines(CASES, "b06 a write without an answer") {
        let command = line.split(' ').next().unwrap();
        let world = world(Scenario::logged().always(command, [Action::Drop])).set("approve = []");
        world.write("n.md", "old");
        let envelope = world.ask(line).fails_with("CLI_REPORTED_ERROR");
        assert_eq!(detail(&envelope, "reason"), "no-confirmation", "{line}");
        assert!(!envelope.success);
        assert_eq!(world.read("n.md"), "old");
        assert_eq!(world.runs().len(), 2, "proof and write, no second try");
    }
}

/// A command line that does what this shell script says for a write, and answers the proof.
#[cfg(unix)]
fn scripted(script: &str) -> World {
    let world = world(Scenario::default()).unconfined("writes to the vault by itself");
    let root = world.vault.display().to_string();
    let text = format!(
        "#!/bin/sh\ncd '{root}' || exit 1\ncase \"$2\" in vault) echo '{root}' ;; version) exit 1 ;; *) {script} ;; esac\n"
    );
    world.with_script(&text)
}

#[cfg(unix)]
#[test]
fn b06_another_text_than_the_one_sent_leaves_the_outcome_unknown() {
    let append = "append path=n.md content=abc";
    for (line, script, said) in [
        (append, "printf ab >>n.md", "Appended to: n.md"),
        (append, r"printf '\nabc' >n.md", "Appended to: n.md"),
        (
            "prepend path=n.md content=abc",
            r"printf '\nabc' >>n.md",
            "Prepended to: n.md",
        ),
        (
            "create path=c.md content=abc",
            "printf ab >c.md",
            "Created: c.md",
        ),
        ("move path=n.md to=m.md", "rm n.md", "Moved: n.md -> m.md"),
        (
            "rename path=n.md name=m.md",
            "cp n.md m.md",
            "Renamed: n.md -> m.md",
        ),
    ] {
        let world = scripted(&format!("{script}; echo '{said}'"));
        world.write("n.md", "old");
        let envelope = world.ask(line);
        assert_not_done(&envelope, "read-back", Status::Unknown, script);
    }
}

#[cfg(unix)]
#[test]
fn b06_a_write_that_is_right_passes_the_same_look() {
    // The counterpart: the look above is not simply always unhappy.
    let world = scripted("printf '\\nabc' >>n.md; echo 'Appended to: n.md'");
    world.write("n.md", "old");
    world.ask("append path=n.md content=abc").succeeds();
}

#[test]
fn d_deletes_moves_and_renames_are_seen_on_disk() {
    let world = world(Scenario::logged()).set("approve = []");
    let there = |path: &str| world.vault.join(path).exists();
    let done = |line: &str, said: &str| {
        let envelope = world.ask(line).succeeds();
        assert_eq!(envelope.status, Status::Ok);
        assert_eq!(envelope.stdout, format!("{said}\n"));
        envelope
    };
    for note in ["a.md", "b.md", "c.md", "d.md", "Folder/x.md"] {
        world.write(note, note);
    }
    done(
        "move path=a.md to=Folder/a.md",
        "Moved: a.md -> Folder/a.md",
    );
    assert!(!there("a.md"));
    assert_eq!(world.read("Folder/a.md"), "a.md");
    let envelope = done("rename path=b.md name=new.md", "Renamed: b.md -> new.md");
    assert_eq!(envelope.data.as_map()["destination"], "new.md");
    assert!(!there("b.md"));
    assert_eq!(world.read("new.md"), "b.md");
    done(
        "rename path=new.md name=new.md",
        "Renamed: new.md -> new.md",
    );
    done("delete path=c.md", "Moved to trash: c.md");
    assert!(!there("c.md"));
    done("delete path=d.md permanent", "Deleted permanently: d.md");
    assert!(!there("d.md"));

    world.write("e.md", "e");
    let envelope = world
        .ask("move path=e.md to=new.md")
        .fails_with("FILE_EXISTS");
    assert_eq!(envelope.status, Status::Error);
    assert_eq!(world.read("e.md"), "e");
    assert_eq!(world.read("new.md"), "b.md");
}

#[test]
fn e17_a_write_that_timed_out_is_unknown_and_not_tried_again() {
    let late = [Action::LateEffect { ms: 4_500 }];
    let world = world(Scenario::logged().always("append", late));
    world.write("n.md", "old");
    let gateway = world.gateway_with(Options {
        timeout_ms: Some(2_500),
        ..Options::new(Caller::Agent)
    });
    // The proof is behind us then, and the time is the append's own.
    answer(&gateway, "prepend path=n.md content=top").succeeds();
    let params = [("path", "n.md"), ("content", "late")];
    let envelope = checked(gateway.call(&request("append", &params))).fails_with("TIMEOUT");
    assert_eq!(envelope.status, Status::Unknown);
    assert!(!envelope.success);
    assert_eq!(envelope.exit_code, None);
    assert_eq!(envelope.exit_status(), 75);
    let message = &envelope.error.as_ref().unwrap().to_string();
    assert!(message.contains("may have happened"), "{message}");
    assert_eq!(world.read("n.md"), "top\nold", "not yet");

    // And so it does: `error` would have been a lie.
    let log = world.home.log();
    let is_late = |event: &Event| matches!(event, Event::LateEffect { .. });
    let landed = || fake_obsidian::log::read(&log).unwrap().iter().any(is_late);
    assert!(comes_true(landed), "the late write never came");
    assert_eq!(world.read("n.md"), "top\nold\nlate");
    let runs = world.runs();
    assert_eq!(
        runs.iter().filter(|run| run.contains(" append ")).count(),
        1
    );
}

#[cfg(unix)]
#[test]
fn e17_a_write_that_was_killed_after_it_happened_is_unknown_too() {
    let world = scripted("printf '\\nabc' >>n.md; kill -9 $$");
    world.write("n.md", "old");
    let envelope = world
        .ask("append path=n.md content=abc")
        .fails_with("CLI_EXIT_NONZERO");
    assert_eq!(envelope.status, Status::Unknown);
    assert_eq!(envelope.meta.process.unwrap().signal, Some(9));
}

#[test]
fn the_confirmations_of_properties_pass_through() {
    let world = world(Scenario::logged());
    world.write("n.md", "body\n");
    let set = [("path", "n.md"), ("name", "status"), ("value", "draft")];
    let envelope = world.call("property:set", &set).succeeds();
    assert_eq!(envelope.stdout, "Set status: draft\n");
    assert_eq!(envelope.data.as_map()["property"], "status");
    assert_eq!(envelope.data.as_map()["value"], "draft");
    assert_eq!(world.read("n.md"), "---\nstatus: draft\n---\nbody\n");
    let remove = [("path", "n.md"), ("name", "status")];
    let envelope = world.call("property:remove", &remove).succeeds();
    assert_eq!(envelope.stdout, "Removed: status\n");
    assert_eq!(envelope.data.as_map()["property"], "status");

    // Another sentence is no confirmation.
    let other = Action::Write {
        stream: Stream::Stdout,
        bytes: b"Removed: status\n".to_vec().into(),
    };
    let mut world = world;
    world.install(&Scenario::logged().always("property:set", [other, Action::Exit { code: 0 }]));
    let envelope = world
        .call("property:set", &set)
        .fails_with("CLI_REPORTED_ERROR");
    assert_eq!(detail(&envelope, "reason"), "no-confirmation");
    assert_eq!(envelope.status, Status::Error, "the folder shows no change");
}

/// JSON types over either backend: the app gets them as `type`, the engine writes what the app cannot.
#[test]
fn json_types_of_a_property_are_kept_by_both_backends() {
    let gateway = |world: &World, backend| {
        world.gateway_with(Options {
            backend: Some(backend),
            ..Options::new(Caller::Person)
        })
    };
    for backend in [BackendChoice::Obsidian, BackendChoice::Embedded] {
        for (value, kind, line) in [
            (json!(5), "number", "n: 5\n"),
            (json!(false), "checkbox", "n: false\n"),
            (json!("5"), "text", "n: \"5\"\n"),
            (json!(["a", 2]), "list", "n:\n  - a\n  - 2\n"),
        ] {
            let world = world(Scenario::logged());
            world.write("n.md", "body\n");
            let wanted = json!({
                "command": "property:set",
                "params": { "path": "n.md", "name": "n", "value": value },
            });
            let wanted = Request::from_json(wanted.to_string().as_bytes()).unwrap();
            let envelope = gateway(&world, backend).call(&wanted);
            assert!(envelope.success, "{backend:?} {value}: {envelope:#?}");
            assert_eq!(envelope.data.as_map()["type"], kind, "{backend:?}");
            let text = world.read("n.md");
            assert!(text.contains(line), "{backend:?}: {text}");
        }
    }
    // A null: by the engine, also where the app answers.
    let world = world(Scenario::logged());
    world.write("n.md", "---\nn: 1\n---\nbody\n");
    let wanted = br#"{"command":"property:set","params":{"path":"n.md","name":"n","value":null}}"#;
    let wanted = Request::from_json(wanted).unwrap();
    let envelope = gateway(&world, BackendChoice::Auto).call(&wanted);
    assert_eq!(envelope.data.as_map()["type"], "empty", "{envelope:#?}");
    assert_eq!(world.read("n.md"), "---\nn:\n---\nbody\n");
}

#[test]
fn a_name_with_a_dot_is_still_a_note() {
    let world = world(Scenario::default());
    for (line, key, path) in [
        ("create path='Plan v1.2' content=x", "path", "Plan v1.2.md"),
        (
            "rename path='Plan v1.2.md' name='Plan v1.3'",
            "destination",
            "Plan v1.3.md",
        ),
    ] {
        let envelope = world.ask(line);
        assert_eq!(envelope.data.as_map()[key], path, "{line}: {envelope:#?}");
    }
    world
        .ask("move path='Plan v1.3.md' to='Area 1.5'")
        .fails_with("USAGE_ERROR");
    assert!(world.vault.join("Plan v1.3.md").exists());
}

#[test]
fn a_taken_name_is_reported_and_numbered_only_where_that_is_asked_for() {
    let official = world(Scenario::logged());
    let embedded = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    for world in [official.set("approve = []"), embedded.set("approve = []")] {
        world.write("a.md", "old");
        world.write("\u{e9}.md", "old");
        world.write("Folder.md/x.md", "old");
        for line in tables::lines(CASES, "a taken name is reported and numbered") {
            let envelope = world.ask(line).fails_with("FILE_EXISTS");
            assert_eq!(envelope.exit_status(), 73);
            let message = &envelope.error.as_ref().unwrap().to_string();
            for way in ["`append`", "`number`"] {
                assert!(message.contains(way), "{message}");
            }
            // Who has just sent it needs no advice to send it.
            assert_eq!(
                message.contains("`overwrite`"),
                !line.ends_with("overwrite"),
                "{message}"
            );
        }
        assert_eq!(world.read("a.md"), "old");
        assert!(!world.vault.join("a 1.md").exists());
        for (line, expected) in [
            ("create path=a.md content=new number", "a 1.md"),
            ("create content=new", "Untitled.md"),
            ("create content=new", "Untitled 1.md"),
        ] {
            let path = world.ask(line).data.as_map()["path"].clone();
            assert_eq!(path, expected, "{line}");
        }
        world
            .ask("create path=a.md content=new overwrite")
            .succeeds();
        assert_eq!(world.read("a.md"), "new");
        assert!(world.argvs().iter().flatten().all(|word| word != "number"));
    }
}

/// Another program, which writes this file right before the gateway's own version takes its place.
struct Intruder {
    file: PathBuf,
    text: &'static str,
    has_written: AtomicBool,
}

impl Intruder {
    fn new(file: PathBuf, text: &'static str) -> Arc<Self> {
        let has_written = AtomicBool::new(false);
        Arc::new(Self {
            file,
            text,
            has_written,
        })
    }

    fn has_written(&self) -> bool {
        self.has_written.load(Ordering::SeqCst)
    }
}

impl Failpoints for Intruder {
    fn before(&self, step: Step) -> io::Result<()> {
        let takes_its_place = ["exchange", "rename"].contains(&step.call);
        let is_ours = takes_its_place && self.file.ends_with(&step.path);
        if is_ours && !self.has_written.swap(true, Ordering::SeqCst) {
            fs_err::write(&self.file, self.text)?;
        }
        Ok(())
    }
}

#[test]
fn a_name_that_is_taken_while_a_note_is_created_is_not_numbered() {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    let create = |name: &str, numbers: bool| {
        let intruder = Intruder::new(world.vault.join(name), "theirs");
        let gateway = world.gateway().with_failpoints(intruder.clone());
        let params = [("path", name), ("content", "ours"), ("number", "true")];
        let params = &params[..2 + usize::from(numbers)];
        let envelope = checked(gateway.call(&request("create", params)));
        assert!(intruder.has_written());
        assert_eq!(world.read(name), "theirs");
        envelope
    };
    create("X.md", false).fails_with("FILE_EXISTS");
    assert!(!world.vault.join("X 1.md").exists());
    // Where a number was asked for, the change is worked out again and gets one.
    let envelope = create("Y.md", true);
    assert_eq!(envelope.data.as_map()["path"], "Y 1.md", "{envelope:#?}");
    assert_eq!(world.read("Y 1.md"), "ours");
}

#[test]
fn h15_an_edit_that_became_an_overwrite_meanwhile_is_not_made_without_its_approval() {
    for (approve, code_of_first) in [("[\"destroy\"]", "PRECONDITION_FAILED"), ("[]", "")] {
        let world = World::empty()
            .set("allow_mutations = true\nbackend = \"embedded\"")
            .set(&format!("approve = {approve}"));
        world.write("a.md", "alpha\nbeta\n");
        let shortener = Intruder::new(world.vault.join("a.md"), "alpha\n");
        let gateway = world.gateway().with_failpoints(shortener.clone());
        let edits = r#"[{"lines":"1","first":"alpha","content":"gamma"}]"#;
        let edit = request("note:edit", &[("path", "a.md"), ("edits", edits)]);
        let envelope = checked(gateway.call(&edit));
        assert!(shortener.has_written());
        if code_of_first.is_empty() {
            // The effects are those of the plan that was carried out.
            assert_eq!(world.read("a.md"), "gamma\n", "{envelope:#?}");
            assert!(envelope.meta.effects.contains(&Effect::Destroy));
            continue;
        }
        assert_eq!(code(&envelope), code_of_first, "{envelope:#?}");
        assert_eq!(world.read("a.md"), "alpha\n");
        checked(world.gateway().call(&edit)).fails_with("APPROVAL_REQUIRED");
    }
}

#[test]
fn e01_the_arguments_of_a_run_are_reported_without_the_text() {
    let world = world(Scenario::logged());
    let envelope = world.ask("create path=a.md content=secret");
    let process = envelope.meta.process.unwrap();
    assert_eq!(process.arguments[..2], ["vault=Notes", "create"]);
    let text = &process.arguments[2];
    let summary = "content=<6 bytes, sha256 2bb80d53";
    assert!(text.starts_with(summary), "{text}");
    assert_eq!(process.arguments[3..], ["path=a.md"]);
}

/// Past the limit of file sizes the system sends XFSZ, whose default ends the process.
#[cfg(unix)]
#[test]
fn h08_a_write_past_the_limit_of_file_sizes_is_an_error_and_changes_nothing() {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("Long.md", "short\n");
    let content = format!("content={}", "x".repeat(100_000));
    let words = ["-j", "append", "path=Long.md", &content];
    // In blocks of 512 or 1024 bytes, as the shell counts them.
    let program = world.prepared_by_shell("ulimit -f 64; exec \"$@\"", &words);
    let ran = finish(program, b"");
    ran.json().fails_with("IO_ERROR");
    assert_eq!(world.read("Long.md"), "short\n");
}

/// Sends the program a signal while the app appends, and waits for its end.
#[cfg(unix)]
fn ended_by(world: &World, program: Child, signal: rustix::process::Signal) -> Output {
    let begun = || world.runs().iter().any(|run| run.contains("append"));
    assert!(comes_true(begun), "the app was never asked");
    let id = rustix::process::Pid::from_child(&program);
    rustix::process::kill_process(id, signal).unwrap();
    program.wait_with_output().unwrap()
}

/// A signal during a change of one command: the app's run ends with it, and the exit status names the
/// signal.
#[cfg(unix)]
#[test]
fn e11_a_signal_ends_a_change_of_one_command_in_order() {
    use rustix::process::Signal;

    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let world = world(Scenario::logged().always("append", [Action::Hang]));
        world.write("n.md", "text\n");
        let words = ["-j", "append", "path=n.md", "content=more"];
        let program = world.prepared(&words).spawn().unwrap();
        let output = ended_by(&world, program, signal);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        let envelope: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(envelope["error"]["code"], "CANCELLED");
        assert_eq!(envelope["status"], "unknown");
    }
}

/// What `nohup` ignores stays ignored.
#[cfg(target_os = "linux")]
#[test]
fn e11_a_change_under_nohup_does_not_end_with_its_terminal() {
    use rustix::process::Signal;

    let world = world(Scenario::logged().always("append", [Action::Sleep { ms: 500 }]));
    world.write("n.md", "text\n");
    let words = ["-j", "append", "path=n.md", "content=more"];
    let mut program = world.prepared_by_shell("trap '' HUP; exec \"$@\"", &words);
    let program = program.spawn().unwrap();
    let output = ended_by(&world, program, Signal::HUP);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(world.read("n.md").ends_with("more"));
}

/// Sync clients write files again with the same bytes.
#[test]
fn g12_a_note_that_was_only_touched_is_no_change_of_the_run() {
    let first = world(Scenario::logged());
    first.write("by.md", "same\n");
    let touch = Action::WriteFile {
        path: first.vault.join("by.md"),
        text: "same\n".to_owned(),
    };
    let world = first.with_fake(&Scenario {
        now: Some(NOW.parse().unwrap()),
        ..Scenario::logged().always("append", [touch])
    });
    world.write("n.md", "text\n");
    let envelope = world.ask("append path=n.md content=more").succeeds();
    assert_eq!(warnings(&envelope), ["CHANGED_BEYOND_PLAN"]);
    let changes = envelope.meta.changes.iter();
    let shown: Vec<_> = changes
        .map(|file| (file.path.as_str(), file.change))
        .collect();
    let wanted = [("n.md", Happening::Modified), ("by.md", Happening::Touched)];
    assert_eq!(shown, wanted);
}
