//! The audit log between processes, and as a person reads it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use stand_ins::{RECORDS, audit_record};
use uuid::Uuid;
use vault_gw::gateway::Status;
use vault_gw::protocol::Code;
use vault_gw::records::audit::{Audit, AuditFilter, AuditRecord, AuditVerdict, Phase};
use vault_gw::settings::AuditSettings;

#[cfg(unix)]
use crate::support::processes::comes_true;
#[cfg(unix)]
use crate::support::state::unless_killed;
use crate::support::{World, has};

fn audit(state: &Path) -> Audit {
    Audit::open(state.to_owned(), AuditSettings::default(), None)
}

fn commands(audit: &Audit) -> Vec<String> {
    let listing = audit.entries(&AuditFilter::default()).unwrap();
    let commands = listing.entries.iter();
    commands
        .map(|entry| entry.text("command").to_owned())
        .collect()
}

#[test]
fn taking_over_the_history_of_an_earlier_folder_is_in_the_log() {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("a.md", "text\n");
    world.run_line("append path=a.md content=x").ended(0);
    fs_err::rename(&world.vault, world.vault.with_file_name("earlier")).unwrap();
    fs_err::create_dir(&world.vault).unwrap();
    world.run_line("undo --adopt").ended(0);
    let all = commands(&audit(&world.state()));
    let adopted = all.iter().filter(|command| *command == "undo:adopt");
    assert_eq!(adopted.count(), 2, "its intent and its result: {all:?}");
    let listed = world.run_line("undo --list -j").json();
    assert_eq!(listed["data"]["total"], 1, "{listed}");
}

#[test]
fn forgetting_an_interrupted_run_is_in_the_log() {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("a.md", "text\n");
    world.run_line("append path=a.md content=x").ended(0);
    let folder = fs_err::read_dir(world.state().join("journal")).unwrap();
    let folder = folder.last().unwrap().unwrap().path();
    // An entry of a run that did not end, without its content.
    let run = Uuid::new_v4();
    let entry = format!("{:016}-{run}.open", 1);
    fs_err::write(folder.join("open").join(entry), "").unwrap();
    world.run_line(&format!("undo {run} --forget")).ended(0);
    let all = commands(&audit(&world.state()));
    let forgotten = all.iter().filter(|command| *command == "undo:forget");
    assert_eq!(forgotten.count(), 2, "its intent and its result: {all:?}");
}

// Between processes.

#[test]
fn h09_h10_two_processes_lose_and_mix_nothing() {
    let world = World::empty();
    let start = |name: &str| world.stand_in_on_state("record", name).spawn().unwrap();
    for mut child in [start("one"), start("two")] {
        assert!(child.wait().unwrap().success());
    }
    let audit = audit(&world.state());
    let report = audit.verify().unwrap();
    assert_eq!(
        (report.lines, report.violations),
        (2 * RECORDS as u64, vec![])
    );
    assert!(report.files > 2, "and full files were put aside meanwhile");
    let all = commands(&audit);
    for name in ["one", "two"] {
        let own: Vec<&String> = all.iter().filter(|word| word.starts_with(name)).collect();
        let expected: Vec<String> = (0..RECORDS)
            .map(|number| format!("{name}:{number}"))
            .collect();
        assert_eq!(own, expected.iter().collect::<Vec<_>>());
    }
}

#[cfg(unix)]
#[test]
fn h07_h11_a_process_killed_at_any_call_leaves_a_whole_log() {
    let mut intents = 0;
    for step in 0..40 {
        let world = World::empty();
        let audit = audit(&world.state());
        audit
            .record(&audit_record(Phase::Decision, "before"))
            .unwrap();
        let record_run = world.stand_in_on_state("record-run", step.to_string());
        let is_killed = unless_killed(record_run).is_none();
        audit
            .record(&audit_record(Phase::Decision, "after"))
            .unwrap();
        let report = audit.verify().unwrap();
        assert_eq!((report.violations, report.torn), (vec![], vec![]), "{step}");
        let all = commands(&audit);
        assert_eq!(
            (all[0].as_str(), all.last().unwrap().as_str()),
            ("before", "after")
        );
        intents += report.unfinished.len();
        if !is_killed {
            assert!(step > 10 && intents > 0, "{step} steps, {intents} intents");
            return;
        }
    }
    panic!("the process never came to its end");
}

#[test]
fn h12_the_lock_of_a_killed_process_is_free() {
    let world = World::empty();
    let audit = audit(&world.state());
    audit
        .record(&audit_record(Phase::Decision, "before"))
        .unwrap();
    let mut child = world
        .stand_in("hold-lock")
        .arg(world.state())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "held"));
    let lock = fs_err::File::open(world.state().join("audit.lock")).unwrap();
    assert!(lock.file().try_lock().is_err());
    child.kill().unwrap();
    child.wait().unwrap();
    audit.record(&audit_record(Phase::Intent, "after")).unwrap();
    assert_eq!(commands(&audit), ["before", "after"]);
}

// As a person reads it.

/// A log with a read, a refusal, and a change.
fn filled() -> World {
    let world = World::empty();
    let audit = audit(&world.state());
    let mut read = audit_record(Phase::Decision, "read");
    read.params.insert("path".into(), json!("Home.md"));
    read.vault = Some("Notes".into());
    audit.record(&read).unwrap();
    let refused = AuditRecord {
        decision: AuditVerdict::Refused,
        status: Some(Status::Refused),
        code: Some(Code::CommandRefused),
        agent: Some("helper".into()),
        ..audit_record(Phase::Decision, "eval")
    };
    audit.record(&refused).unwrap();
    let run_id = Uuid::from_u128(7);
    for phase in [Phase::Intent, Phase::Result] {
        let mut step = AuditRecord {
            run_id,
            ..audit_record(phase, "append")
        };
        step.params
            .insert("content".into(), json!({ "bytes": 6, "sha256": "ab" }));
        audit.record(&step).unwrap();
    }
    world
}

#[test]
fn records_are_shown_as_lines_for_people_and_as_json_for_programs() {
    let world = filled();
    let ran = world.run(&["audit"]);
    ran.ended(0);
    let lines: Vec<&str> = ran.text().lines().collect();
    assert_eq!(
        lines[0],
        "     1  2026-03-14 09:26:53  agent           read                ok                    path=Home.md"
    );
    assert!(lines[1].contains("agent:helper") && lines[1].contains("COMMAND_REFUSED"));
    let run = "run 00000000-0000-0000-0000-000000000007";
    assert!(lines[2].contains("about to run") && lines[2].ends_with(run));
    assert!(lines[3].contains("content=<6 bytes>") && lines[3].ends_with(run));

    // As one envelope the same records are a list (`contracts.md` M43).
    let envelope = world.run(&["audit", "--json"]).json();
    assert_eq!(envelope["data"]["returned"], 4);
    assert_eq!(envelope["data"]["items"][0]["seq"], 1);

    let shown = |words: &[&str]| -> Vec<u64> {
        let ran = world.run(&[&["audit", "-o", "jsonl"], words].concat());
        ran.ended(0);
        ran.text()
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["seq"]
                    .as_u64()
                    .unwrap()
            })
            .collect()
    };
    assert_eq!(shown(&[]), [1, 2, 3, 4]);
    assert_eq!(shown(&["--limit", "2"]), [3, 4]);
    assert_eq!(shown(&["--refused"]), [2]);
    assert_eq!(shown(&["--command", "append"]), [3, 4]);
    assert_eq!(shown(&["--since", "2026-03-14T09:00"]), [1, 2, 3, 4]);
    assert_eq!(shown(&["--since", "2026-03-15"]), [0; 0]);
    assert_eq!(shown(&["--from", "helper"]), [2]);
    assert_eq!(shown(&["--agent", "helper"]), [2]);
    assert_eq!(shown(&["--from", "agent"]), [1, 2, 3, 4]);
    assert_eq!(shown(&["--from", "nobody"]), [0; 0]);
    for words in [
        &["audit", "--since", "soon"][..],
        &["audit", "--limit", "0"],
        &["audit", "--limit", "3", "verify"],
        &["audit", "--dry-run"],
    ] {
        assert_eq!(world.run(words).status, Some(64), "{words:?}");
    }
}

#[test]
fn an_empty_log_is_no_mistake_and_none_is_made() {
    let world = World::empty();
    for words in [&["audit"][..], &["audit", "verify"], &["audit", "--json"]] {
        world.run(words).ended(0);
    }
    assert!(!world.state().exists());
}

#[test]
fn f06_nothing_in_a_record_forges_a_line_or_hides_from_a_person() {
    let world = World::empty();
    let evil = "x\n     9  2026-03-14 09:26:53  person  read\u{1b}[2J\u{202e}\u{200b}\u{9b}31m";
    let mut forged = audit_record(Phase::Decision, evil);
    forged.agent = Some(evil.into());
    forged.params.insert(evil.into(), json!(evil));
    audit(&world.state()).record(&forged).unwrap();
    let ran = world.run(&["audit"]);
    assert_eq!(ran.text().lines().count(), 1);
    let line = ran.text().trim_end_matches('\n');
    has(&line, &["\\u{1b}[2J\\u{202e}\\u{200b}\\u{9b}31m"]);
    let hidden = |text: &str| {
        text.chars()
            .any(|character| character.is_control() || matches!(character, '\u{202e}' | '\u{200b}'))
    };
    assert!(!hidden(line));
    let json = world.run(&["audit", "-o", "jsonl"]);
    assert_eq!(json.text().lines().count(), 1);
    let value: Value = serde_json::from_str(json.text()).unwrap();
    assert_eq!(value["command"], evil);
}

#[test]
fn verifying_ends_with_1_where_something_was_changed() {
    let world = filled();
    let ran = world.run(&["audit", "verify"]);
    ran.ended(0);
    ran.shows("4 lines in 1 file, from line 1 to line 4.");
    assert!(ran.text().ends_with("The log is unchanged.\n"));
    let envelope = world.run(&["audit", "verify", "--json"]).json();
    assert_eq!(envelope["data"]["last"]["seq"], 4);
    assert_eq!(envelope["violations"], json!([]));

    let file = world.state().join("audit.jsonl");
    let text = fs_err::read_to_string(&file).unwrap();
    fs_err::write(&file, text.replace("COMMAND_REFUSED", "TIER_CLOSED")).unwrap();
    let ran = world.run(&["audit", "verify"]);
    ran.ended(1);
    assert!(
        ran.text()
            .starts_with("audit.jsonl, line 2: A record of the audit log was changed")
    );
    let ran = world.run(&["audit", "verify", "--json"]);
    ran.ended(1);
    let envelope = ran.json();
    assert_eq!(envelope["violations"][0]["code"], "AUDIT_LINE_CHANGED");
    assert_eq!(envelope["violations"][0]["line"], 2);
    let ran = world.run(&["audit"]);
    ran.reports("1 line of the log is damaged");

    // Cut off at its end, in a line or between two (`threats.toml` H17).
    for end in [text.len() - 20, text.trim_end().rfind('\n').unwrap() + 1] {
        fs_err::write(&file, &text[..end]).unwrap();
        let ran = world.run(&["audit", "verify"]);
        ran.ended(1);
        ran.shows("Records at the end of the audit log are missing.");
        ran.shows("`append` was announced at");
        world.run(&["doctor"]).shows("audit verify");
    }
}

#[test]
fn following_shows_records_as_they_come() {
    let world = filled();
    let mut child = world
        .prepared(&["audit", "--follow", "--json", "--limit", "1"])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["seq"], 4);
    let audit = audit(&world.state());
    for number in 5..8 {
        audit
            .record(&audit_record(Phase::Decision, "read"))
            .unwrap();
        assert_eq!(next()["seq"], number);
    }
    // It ends with its reader, before there is another record.
    drop(lines);
    #[cfg(unix)]
    assert!(comes_true(|| child.try_wait().unwrap().is_some()));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn h10_a_record_of_a_read_costs_well_under_a_millisecond() {
    let world = World::empty();
    let audit = audit(&world.state());
    let read = audit_record(Phase::Decision, "read");
    let times: Vec<Duration> = (0..300)
        .map(|_| {
            let started = std::time::Instant::now();
            audit.record(&read).unwrap();
            started.elapsed()
        })
        .collect();
    // The quickest of many, since other tests run beside this one. What waits for the disk is never so quick.
    let quickest = times.into_iter().min().unwrap();
    assert!(quickest < Duration::from_millis(1), "{quickest:?}");
}

#[test]
fn a_call_that_was_only_planned_is_never_shown_as_done() {
    let world = World::empty().set("allow_mutations = true");
    world.write("a.md", "text\n");
    let delete = ["delete", "path=a.md"];
    let planned = world.run(&[&delete[..], &["--dry-run"]].concat());
    planned.ended(0);
    world.run(&[&delete[..], &["--yes"]].concat()).ended(0);
    world.run(&["undo", "--dry-run"]).ended(0);
    let shown = world.run(&["audit"]);
    let outcomes: Vec<bool> = shown
        .text()
        .lines()
        .map(|line| line.contains("only planned"))
        .collect();
    // The plan, the intent and the result of the real one, the plan of its undoing.
    assert_eq!(outcomes, [true, false, false, true], "{}", shown.text());
    let records = world.run(&["audit", "-o", "jsonl"]);
    let marked: Vec<bool> = records
        .text()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["dryRun"] == true)
        .collect();
    assert_eq!(marked, outcomes);
    world.run(&["audit", "verify"]).ended(0);
}
