//! An agent cannot use up what guards against it, nor leave words in what is kept about it.

use serde_json::{Value, json};
use vault_gw::gateway::{Caller, Options, Request};

use crate::support::service::Service;
use crate::support::{Outcome as _, World, answer, asked, code, edits, request, warnings};

const CASES: &str = include_str!("data/agent_limits.txt");

/// A user whose agents may write.
fn world(settings: &str) -> World {
    writing(World::empty(), settings)
}

/// The same where hundreds of changes wait for no disk.
fn in_memory(settings: &str) -> World {
    writing(World::empty(), settings)
}

fn writing(world: World, settings: &str) -> World {
    world
        .set("allow_mutations = true\nbackend = \"embedded\"")
        .with_tables(settings)
}

/// Text that no packing makes smaller.
fn noise(seed: u64, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(b' ' + u8::try_from(state % 94).unwrap())
        })
        // These could begin active content: a template's command, a formula's, code or a link.
        .map(|character| {
            if "<\\`[".contains(character) {
                '_'
            } else {
                character
            }
        })
        .collect()
}

fn size_of(folder: &std::path::Path) -> u64 {
    let mut size = 0;
    for entry in fs_err::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        size += if metadata.is_dir() {
            size_of(&entry.path())
        } else {
            metadata.len()
        };
    }
    size
}

#[test]
fn h17_long_searches_leave_the_records_of_changes_in_the_log() {
    let world = world("[audit]\nmax_bytes = 65536\nmax_files = 1");
    world.write("a.md", "old");
    let words = ["--yes", "create", "path=a.md", "content=new", "overwrite"];
    world.run(&words).ended(0);
    let gateway = world.gateway();
    gateway
        .call(&Request::new("eval"))
        .fails_with("COMMAND_REFUSED");
    for number in 0..350 {
        let length = match number {
            0 => 200_000,
            1..20 => 2000,
            _ => 20,
        };
        let query = format!("{number} {}", "x".repeat(length));
        gateway
            .call(&request("search", &[("query", &query)]))
            .succeeds();
    }
    assert!(size_of(&world.state()) < 1 << 18);
    let verified = world.run(&["audit", "verify", "--json"]);
    verified.ended(0);
    assert!(verified.json()["data"]["dropped"]["reads"].as_u64() > Some(0));
    let phases = |command: &str| -> Vec<Value> {
        let ran = world.run(&["audit", "-o", "jsonl", "--command", command]);
        ran.text()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["phase"].clone())
            .collect()
    };
    assert_eq!(phases("create"), ["intent", "result"]);
    assert_eq!(phases("eval"), ["decision"]);
    // The owner is not troubled: what is evidence is all there.
    assert!(world.run(&["doctor"]).text().contains("records, unbroken"));
}

#[test]
fn h17_large_appends_do_not_push_out_a_run_that_lost_content() {
    let world = world("[journal]\nmax_bytes = 1048576");
    world.write("lost.md", noise(1, 100_000));
    let lost = world.read("lost.md");
    let ran = world.run(&["--yes", "--json", "delete", "path=lost.md", "permanent"]);
    ran.ended(0);
    let run = ran.json()["runId"].as_str().unwrap().to_owned();
    world.write("large.md", noise(2, 120_000));
    let gateway = world.gateway();
    for number in 0..12 {
        let params = [("path", "large.md"), ("content", &*noise(number, 1000))];
        gateway.call(&request("append", &params)).succeeds();
    }
    assert!(size_of(&world.state().join("journal")) <= 1 << 20);
    // What could not be kept is refused, and the note stays as it is.
    world.write("huge.md", noise(3, 600_000));
    let params = [("path", "huge.md"), ("content", "x")];
    gateway
        .call(&request("append", &params))
        .fails_with("TOO_LARGE_TO_UNDO");
    assert_eq!(world.read("huge.md"), noise(3, 600_000));
    world.run(&["undo", &run]).ended(0);
    assert_eq!(world.read("lost.md"), lost);
}

/// Changes that need no approval and remove what was there, of `lost.md` with the properties `a` and
/// the text `text`.
fn removals(text: &str) -> Vec<Request> {
    let path = ("path", "lost.md");
    vec![
        edits("lost.md", json!([{ "old": text, "new": "" }])),
        request("property:set", &[path, ("name", "a"), ("value", "x")]),
        request("property:remove", &[path, ("name", "a")]),
    ]
}

/// Ten calls: one empties a note, the others fill the journal by appends to a large one.
#[test]
fn h19_no_flood_takes_back_from_the_owner_what_an_agent_removed_without_an_approval() {
    let text = noise(1, 60_000);
    for removal in removals(&text) {
        let world = in_memory("[journal]\nmax_bytes = 1048576\nmax_age_days = 3650");
        let value = noise(7, 500).replace(['\'', ' ', '\\', '"', ':', '#'], "x");
        world.write("lost.md", format!("---\na: '{value}'\n---\n{text}\n"));
        world.write("large.md", noise(2, 100_000));
        let lost = world.read("lost.md");
        let agent = world.gateway();
        let removed = agent.call(&removal).succeeds();
        assert_ne!(world.read("lost.md"), lost);
        for number in 0..14 {
            let params = [("path", "large.md"), ("content", &*noise(number, 100))];
            agent.call(&request("append", &params)).succeeds();
        }
        assert!(size_of(&world.state().join("journal")) <= 1 << 20);
        world.run(&["undo", &removed.run_id.to_string()]).ended(0);
        assert_eq!(world.read("lost.md"), lost);
    }
}

#[test]
fn h19_at_the_limit_an_agent_removes_nothing_more_and_the_owner_gets_everything_back() {
    let world = in_memory("[journal]\nmax_bytes = 1048576\nmax_age_days = 3650\n[agents.other]");
    let agent = world.gateway();
    let mut removed = Vec::new();
    let mut refused = 0;
    for number in 0..20 {
        let path = format!("{number}.md");
        let text = noise(number, 40_000);
        world.write(&path, &text);
        let answered = agent.call(&edits(&path, json!([{ "old": text, "new": "" }])));
        if answered.success {
            assert_eq!(refused, 0, "what is refused once is refused from then on");
            removed.push((answered.run_id, path, text));
        } else {
            refused += 1;
            assert_eq!(code(&answered), "JOURNAL_FULL");
            assert_eq!(answered.exit_status(), 77);
            let answer = answered.advice[0].message.text();
            assert!(answer.contains("journal.max_bytes"), "{answer}");
            assert_eq!(world.read(&path), text);
        }
    }
    assert!(removed.len() >= 4 && refused > 0, "{}", removed.len());
    let doctor = world.run(&["doctor"]);
    let line = doctor
        .text()
        .lines()
        .find(|line| line.contains(" journal "));
    let line = line.unwrap();
    assert!(
        line.starts_with("warning") && line.contains("(limit 0.5 MiB)"),
        "{line}"
    );
    // Undo and redo in turns do not help. What only adds goes on.
    world.write("again.md", noise(999, 40_000));
    let text = world.read("again.md");
    let removal = edits("again.md", json!([{ "old": text, "new": "" }]));
    agent.call(&Request::new("undo")).succeeds();
    agent.call(&removal).fails_with("JOURNAL_FULL");
    let (_, path, text) = removed.pop().unwrap();
    assert_eq!(world.read(&path), text);
    let redone = agent.call(&Request::new("redo")).fails_with("JOURNAL_FULL");
    assert!(redone.meta.changes.is_empty(), "{redone:#?}");
    assert_eq!(world.read(&path), text);
    answer(&agent, "append path=0.md content=more").succeeds();
    answer(&agent, "create path=new.md content=x").succeeds();
    // Another agent has a part of its own, and the owner is never refused.
    let other = world.agent("other");
    world.write("o.md", "text of the other");
    other
        .call(&edits("o.md", json!([{ "old": "text of", "new": "" }])))
        .succeeds();
    for number in 0..11 {
        let path = format!("own {number}.md");
        world.write(&path, noise(number + 100, 150_000));
        world
            .run(&["--yes", "delete", &format!("path={path}"), "permanent"])
            .ended(0);
    }
    for (run, path, text) in removed {
        world.run(&["undo", &run.to_string(), "--over"]).ended(0);
        assert_eq!(world.read(&path), text);
    }
}

/// The sizes are added up only now and then, but not so that a call between two sums slips through.
#[test]
fn h19_at_the_limit_small_removals_between_other_changes_are_refused_too() {
    let world = in_memory("[journal]\nmax_bytes = 1048576\nmax_age_days = 3650");
    let agent = world.gateway();
    let text = noise(3, 10_000);
    let mut refused = 0;
    let mut done = Vec::new();
    for number in 0..60 {
        let path = format!("{number}.md");
        world.write(&path, format!("{text}{number}"));
        let answered = agent.call(&edits(&path, json!([{ "old": text, "new": "" }])));
        if answered.success {
            assert_eq!(
                refused, 0,
                "{number}: what is refused once is refused from then on"
            );
            done.push((answered.run_id, path, number));
        } else {
            assert_eq!(code(&answered), "JOURNAL_FULL", "{answered:#?}");
            refused += 1;
        }
        let more = [("path", "more.md"), ("content", "more")];
        agent
            .call(&request(
                if number == 0 { "create" } else { "append" },
                &more,
            ))
            .succeeds();
    }
    assert!(refused > 10 && done.len() > 10, "{refused} {}", done.len());
    for (run, path, number) in done.into_iter().step_by(5) {
        world.run(&["undo", &run.to_string()]).ended(0);
        assert_eq!(world.read(&path), format!("{text}{number}"));
    }
}

#[test]
fn h17_an_agents_approvals_leave_a_seat_for_the_person() {
    let world = world("");
    world.write("a.md", "old");
    let gateway = world.gateway();
    let mut reasons = Vec::new();
    for number in 0..60 {
        let content = format!("{number}");
        let params = [
            ("path", "a.md"),
            ("content", &*content),
            ("overwrite", "true"),
        ];
        let question = gateway
            .call(&request("create", &params))
            .fails_with("APPROVAL_REQUIRED");
        let details = question.error.unwrap().details;
        reasons.extend(details.get("reason").cloned());
        if number > 0 {
            continue;
        }
        // The same again takes no further seat.
        let again = gateway.call(&request("create", &params));
        assert_eq!(
            again.error.unwrap().details["approval"],
            details["approval"]
        );
    }
    assert_eq!(reasons, vec![json!("too-many"); 52]);
    let person = world.person();
    let params = [("path", "a.md"), ("permanent", "true")];
    let own = person.call(&request("delete", &params));
    let id = own.error.unwrap().details["approval"]
        .as_str()
        .unwrap()
        .to_owned();
    let listed = person
        .approvals()
        .store()
        .unwrap()
        .pending(person.now().timestamp())
        .unwrap();
    assert_eq!(listed.len(), 9);
    assert!(listed.iter().any(|approval| approval.id == id));
}

#[test]
fn h18_a_read_that_is_not_recorded_is_answered_with_a_warning_on_every_way_in() {
    let world = world("");
    world.write("a.md", "text");
    fs_err::create_dir_all(world.state()).unwrap();
    fs_err::create_dir(world.state().join("audit.jsonl")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let private = std::fs::Permissions::from_mode(0o700);
        fs_err::set_permissions(world.state(), private).unwrap();
    }
    for caller in [Caller::Agent, Caller::Person] {
        let gateway = world.gateway_with(Options::new(caller));
        let read = answer(&gateway, "read path=a.md").succeeds();
        assert_eq!(warnings(&read), ["AUDIT_UNWRITABLE"]);
        let message = read.warnings[0].message.text();
        assert!(
            !message.contains(&*world.state().to_string_lossy()),
            "{message}"
        );
        let changed = gateway.call(&asked("append path=a.md content=x"));
        assert!(!changed.success);
    }
    let ran = world.run(&["read", "path=a.md"]);
    assert_eq!((ran.status, ran.text()), (Some(0), "text"), "{ran:?}");
    ran.reports("not in the audit log");
    let ran = world.run(&["read", "path=a.md", "--json"]);
    assert_eq!(ran.json()["warnings"][0]["code"], "AUDIT_UNWRITABLE");
    let mut service = Service::start(&world);
    for line in [
        r#"{"command":"read","params":{"path":"a.md"}}"#,
        r#"{"command":"context"}"#,
        r#"{"command":"read","params":{"path":"a.md"},"dryRun":true}"#,
    ] {
        let answer = service.ask(line);
        assert_eq!(
            answer["warnings"][0]["code"], "AUDIT_UNWRITABLE",
            "{answer}"
        );
    }
    assert_eq!(world.read("a.md"), "text");
}

const CANARY: &str = "kanarie-7f3a";

#[test]
fn f12_what_was_searched_for_and_written_is_in_no_log_and_no_message() {
    let world = world("");
    world.write("a.md", "---\nk: v\n---\ntext");
    for line in tables::lines(CASES, "f12 what was searched for and written") {
        let request = asked(&line.replace("SECRET", CANARY));
        assert!(!format!("{request:?}").contains(CANARY), "Debug of {line}");
        for caller in [Caller::Agent, Caller::Person] {
            let gateway = world.gateway_with(Options::new(caller));
            let answered = gateway.call(&request);
            let message = answered
                .error
                .map(|error| error.to_string())
                .unwrap_or_default();
            assert!(!message.contains(CANARY), "{line}: {message}");
        }
        let line = format!("-v {line}").replace("SECRET", CANARY);
        world.run_line(&line).omits(CANARY);
    }
    let mut looked_at = 0;
    for entry in fs_err::read_dir(world.state()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let text = String::from_utf8_lossy(&fs_err::read(&path).unwrap()).into_owned();
            assert!(!text.contains(CANARY), "{}", path.display());
            looked_at += text.lines().count();
        }
    }
    assert!(looked_at > 20, "{looked_at} lines");
    // What the journal says of a run besides the contents that undo it.
    world.run(&["undo", "--list", "--json"]).shows_not(CANARY);
}
