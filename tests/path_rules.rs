//! Path rules against the same vault without the closed files (`threats.toml` D13): every answer is
//! the same, byte for byte but for run id and time.
//!
//! Vaults, rules and calls are made at random from a number, which a failure names. The calls are
//! taken from the catalogue: every command, with any of its parameters and flags. A vault is asked,
//! then the closed files are removed from the very same folder, and it is asked again.

mod calls;
#[cfg(unix)]
mod links;
mod notes;
mod settings;
mod vaults;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use fake_obsidian::scenario::Scenario;
use seeded_random::Random;
use serde_json::{Map, Value, json};
use vault_engine::{Failpoints, Followed, Step};
use vault_gw::allowlist::{Catalogue, RawValue};
use vault_gw::gateway::{Envelope, Request};
use vault_gw::settings::BackendChoice;

use self::calls::Calls;
use self::vaults::{Made, picture};
use crate::support::{NOW, Outcome as _, World, answer, asked, code, dry_run_of, request};

const OPEN: &str = "allow_mutations = true\nallow_ui = true\nallow_publish = true\napprove = []";

/// What is compared of an envelope: all of it but run id, time and process number, and what the cache
/// knew before, which depends on the calls of the first pass.
fn reported(envelope: &Envelope) -> String {
    let mut whole: Map<String, Value> = serde_json::from_str(&envelope.to_json()).unwrap();
    whole.remove("durationMs");
    if let Some(process) = whole["meta"]
        .get_mut("process")
        .and_then(Value::as_object_mut)
    {
        process.remove("pid");
    }
    if envelope.command == "vault:index" {
        whole.remove("stdout");
        for key in ["indexed", "reused", "deleted"] {
            whole["data"].as_object_mut().unwrap().remove(key);
        }
    }
    let text = Value::Object(whole).to_string();
    text.replace(&envelope.run_id.to_string(), "RUN")
}

/// What does not depend on the rules themselves. Names of tags and properties are suggested only without any.
fn answered(envelope: &Envelope) -> Value {
    let without_names = |message: &str| {
        let sentence = message.split(" Did you mean").next();
        sentence.map(str::to_owned)
    };
    json!([
        envelope.status,
        envelope.stdout,
        envelope.data,
        envelope.warnings,
        envelope.violations,
        envelope.advice,
        envelope
            .error
            .as_ref()
            .map(|error| (error.code.name(), without_names(&error.to_string()))),
    ])
}

/// A world with this made-up vault in it.
fn world_of(made: &Made, backend: BackendChoice) -> World {
    let mut world = World::empty();
    made.write(&world.vault);
    if backend == BackendChoice::Obsidian {
        world = world.with_fake(&Scenario {
            now: Some(NOW.parse().unwrap()),
            ..Scenario::logged()
        });
    }
    world.set(OPEN)
}

/// Compares the answers over one made-up vault; gives how often each command was compared.
fn compare(seed: u64, backend: BackendChoice, calls: usize) -> BTreeMap<String, usize> {
    let mut random = Random::new(seed);
    let made = Made::at_random(&mut random);
    let mut world = world_of(&made, backend);
    if random.once_in(6) {
        world = world.set("max_output_bytes = 300");
    }
    let without_rules = world.settings.clone();
    world = world.with_tables(&made.rules);
    let is_followed = random.once_in(3);
    let gateway_of = |world: &World| {
        let gateway = world.through(backend);
        if is_followed {
            return gateway.with_followed(Arc::new(Followed::new().unwatched()));
        }
        gateway
    };
    let askable = Calls::new(&made);
    let mut requests = askable.in_turn(seed, &mut random);
    requests.extend((0..calls).map(|_| askable.one(&mut random)));
    let (writes, reads): (Vec<&Request>, Vec<&Request>) =
        requests.iter().partition(|request| calls::changes(request));
    let context = |request: &Request| {
        let (rules, listing) = (&made.rules, made.listing());
        format!("seed {seed}: {request:?}\nrules:\n{rules}\n{listing}")
    };
    let mut compared = BTreeMap::new();
    let mut count = |command: &str| *compared.entry(command.to_owned()).or_default() += 1;

    let gateway = gateway_of(&world);
    // The index is there in both cases, since `vault:index` tells how much of it was.
    drop(gateway.call(&asked("tags")));
    let policy = gateway.policy().clone();
    let rest = made.without_closed(&policy);
    let whole: Vec<Envelope> = reads.iter().map(|request| gateway.call(request)).collect();
    made.remove_closed(&world.vault, &rest);
    let gateway = gateway_of(&world);
    drop(gateway.call(&asked("tags")));
    for (request, whole) in reads.iter().zip(&whole) {
        let envelope = gateway.call(request);
        if request.command == "random:read" {
            compare_drawn(whole, &envelope, |path| made.is_open(path, &policy));
        } else if !would_replace(&made, request, whole) {
            assert_eq!(reported(whole), reported(&envelope), "{}", context(request));
        }
        count(&request.command);
    }
    // Without rules: the answers are right, and not merely the same.
    if backend == BackendChoice::Embedded {
        let rules = std::mem::replace(&mut world.settings, without_rules);
        let gateway = gateway_of(&world);
        for (request, whole) in reads.iter().zip(&whole) {
            // A call whose form is wrong is told of what is closed by nothing, and without rules of all
            // that is not there.
            let is_refused = ["PATH_DENIED", "USAGE_ERROR"].contains(&code(whole));
            if is_refused || request.dry_run || calls::is_about_rules_or_chance(request) {
                continue;
            }
            let envelope = gateway.call(request);
            assert_eq!(answered(whole), answered(&envelope), "{}", context(request));
            count(&request.command);
        }
        world.settings = rules;
    }
    for request in writes {
        let [one, other] = [&made, &rest].map(|vault| {
            vault.write(&world.vault);
            let envelope = gateway_of(&world).call(request);
            (envelope, picture(&world.vault, &policy, &made))
        });
        if !would_replace(&made, request, &one.0) {
            let [one, other] =
                [one, other].map(|(envelope, picture)| (reported(&envelope), picture));
            assert_eq!(one, other, "{}", context(request));
        }
        count(&request.command);
    }
    compared
}

/// Whether the call was refused because it would have replaced or moved a note that is closed by what is in
/// it, or by another name of its file, or may have taken another name for it. Such an answer may reveal that the note
/// exists; no other answer may.
fn would_replace(made: &Made, request: &Request, whole: &Envelope) -> bool {
    let catalogue = Catalogue::builtin().unwrap();
    let admitted = catalogue.admit(&request.command, &request.params.0);
    let may_change = admitted.is_ok_and(|call| call.effects().is_mutation());
    let is_below = whole
        .error
        .as_ref()
        .is_some_and(|error| error.to_string().contains("is a file, not a folder"));
    let is_refused = is_below || ["PATH_DENIED", "FILE_EXISTS"].contains(&code(whole));
    let is_numbered = request.params.0.contains_key("number");
    (made.closes_notes() || made.has_links()) && may_change && (is_refused || is_numbered)
}

/// Which note is drawn is chance; that it is an open one is not.
#[track_caller]
fn compare_drawn(whole: &Envelope, rest: &Envelope, is_open: impl Fn(&str) -> bool) {
    for envelope in [whole, rest] {
        if let Some(path) = envelope.data.as_map().get("path").and_then(Value::as_str) {
            assert!(is_open(path), "{path}");
        }
    }
    assert_eq!(whole.success, rest.success);
}

/// Compares what is read over one made-up vault whose notes change again and again, under the eyes of
/// one gateway that keeps its index; gives how many answers were compared.
fn compare_while_notes_change(seed: u64, rounds: usize, calls: usize) -> usize {
    let mut random = Random::new(seed);
    let mut made = Made::at_random(&mut random);
    while !made.closes_notes() {
        made = Made::at_random(&mut random);
    }
    let world = world_of(&made, BackendChoice::Embedded).with_tables(&made.rules);
    let gateway_of = |world: &World| {
        let gateway = world.gateway();
        if seed.is_multiple_of(3) {
            return gateway;
        }
        let followed = Followed::new();
        let followed = if seed % 3 == 1 {
            followed
        } else {
            followed.unwatched()
        };
        gateway.with_followed(Arc::new(followed))
    };
    let lasting = gateway_of(&world);
    let policy = lasting.policy().clone();
    let askable = Calls::new(&made);
    let mut compared = 0;
    for round in 0..rounds {
        let reads: Vec<Request> = std::iter::repeat_with(|| askable.one(&mut random))
            .filter(|request| !calls::changes(request) && request.command != "random:read")
            .take(calls)
            .collect();
        let rest = made.without_closed(&policy);
        drop(lasting.call(&asked("tags")));
        let whole: Vec<Envelope> = reads.iter().map(|request| lasting.call(request)).collect();
        made.remove_closed(&world.vault, &rest);
        let gateway = gateway_of(&world);
        drop(gateway.call(&asked("tags")));
        for (request, whole) in reads.iter().zip(&whole) {
            let envelope = gateway.call(request);
            if !would_replace(&made, request, whole) {
                let context = format!(
                    "seed {seed}, round {round}: {request:?}\n{}\n{}",
                    made.rules,
                    made.listing()
                );
                assert_eq!(reported(whole), reported(&envelope), "{context}");
                compared += 1;
            }
        }
        made = made.with_other_notes(&mut random);
        made.write_over(&world.vault, &rest);
    }
    compared
}

/// Compares until so many answers were compared.
fn compare_many(wanted: usize, backend: BackendChoice, from: u64) -> BTreeMap<String, usize> {
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    let mut seed = from;
    while compared.values().sum::<usize>() < wanted {
        for (command, count) in compare(seed, backend, 40) {
            *compared.entry(command).or_default() += count;
        }
        seed += 1;
    }
    compared
}

/// Four threads, each with seeds of its own: most of the time is spent in waiting for locks and logs.
fn compare_in_threads(wanted: usize, from: u64) {
    let compared: Vec<BTreeMap<String, usize>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let from = from + thread * 1_000_000;
                scope.spawn(move || compare_many(wanted / 4, BackendChoice::Embedded, from))
            })
            .collect();
        let ended = threads.into_iter().map(|thread| thread.join().unwrap());
        ended.collect()
    });
    let total: usize = compared.iter().flat_map(BTreeMap::values).sum();
    assert!(total >= wanted, "{total}");
    for command in Catalogue::builtin().unwrap().commands() {
        let is_compared = compared
            .iter()
            .any(|counts| counts.contains_key(&command.id));
        assert!(is_compared, "`{}` is compared nowhere", command.id);
    }
}

#[test]
fn d13_answers_are_those_of_the_vault_without_the_closed_files() {
    compare_in_threads(2_400, 1);
}

#[test]
#[ignore = "a hundred thousand answers"]
fn d13_a_hundred_thousand_answers_are_those_of_the_vault_without_the_closed_files() {
    compare_in_threads(100_000, 500);
}

#[test]
fn d16_a_note_that_changes_is_open_or_closed_by_what_it_is_now() {
    // One for each way in which the index is kept.
    let compared: usize = (0..3)
        .map(|seed| compare_while_notes_change(seed, 4, 25))
        .sum();
    assert!(compared > 200, "{compared}");
}

#[test]
#[ignore = "fifty thousand answers"]
fn d16_fifty_thousand_answers_while_notes_change() {
    let threads = (0..4_u64).map(|thread| {
        std::thread::spawn(move || {
            let (mut compared, mut seed) = (0, 1_000 * thread);
            while compared < 12_600 {
                compared += compare_while_notes_change(seed, 12, 50);
                seed += 1;
            }
            compared
        })
    });
    let threads: Vec<_> = threads.collect();
    let compared: usize = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    println!("{compared} answers compared while notes changed, 0 differences");
    assert!(compared >= 50_000, "{compared}");
}

#[test]
fn d13_with_the_app_too() {
    let compared = compare_many(200, BackendChoice::Obsidian, 7);
    assert!(compared.len() > 30, "{compared:?}");
}

/// The published attack: a closed note is guessed letter by letter, and the answer to a search that
/// matches it is told from the answer to one that does not.
#[test]
fn d13_a_closed_note_is_not_read_by_counting() {
    const SECRET: &str = "the-vault-key-is-kumquat-7731-do-not-say";
    let world = World::empty()
        .set(OPEN)
        .with_tables("[paths]\ndeny = [\"Private/**\"]");
    world.write("Open.md", "§\n");
    world.write("Private/Key.md", format!("{SECRET}\n"));
    let gateway = world.gateway();
    let letters: Vec<char> = ('a'..='z').chain('0'..='9').chain(['-']).collect();
    let mut learnt = String::new();
    for (at, letter) in SECRET.char_indices() {
        let known = &SECRET[..at];
        let ask = |guess: char| -> Vec<String> {
            let hit = format!("/{known}{guess}|§/");
            let path = format!("path:/Private/ /{known}{guess}/");
            [
                request("search", &[("query", &hit)]),
                request("search", &[("query", &hit), ("limit", "1")]),
                request("search", &[("query", &hit), ("total", "true")]),
                request("search:context", &[("query", &hit), ("limit", "1")]),
                request("search", &[("query", &path)]),
            ]
            .iter()
            .map(|request| {
                let mut envelope = gateway.call(request);
                // The query is repeated in both.
                envelope.params.clear();
                if let Some(RawValue::Text(query)) = request.params.0.get("query") {
                    envelope.summary = envelope.summary.replace(query, "");
                }
                reported(&envelope)
            })
            .collect()
        };
        let wrong = ask('~');
        // Each letter once at the first place, where all of them are as likely.
        let guesses = if at == 0 { &letters[..] } else { &[letter] };
        let reported = guesses.iter().filter(|guess| ask(**guess) != wrong);
        learnt.extend(reported);
    }
    assert_eq!(learnt, "");
}

/// A path may be guessed too: whether it is there makes no difference to any command that takes it.
#[test]
fn d13_a_closed_path_is_refused_whether_or_not_it_is_there() {
    let world = World::empty()
        .set(OPEN)
        .with_tables("[paths]\ndeny = [\"Private/**\", \"**/Secret.md\"]");
    world.write("Open.md", "[[Key]] [[Secret]]\n");
    let gateway = world.gateway();
    let ask = || -> Vec<String> {
        let paths = ["Private/Key.md", "Secret.md", "Private"];
        let forms = paths.iter().flat_map(|path| {
            [
                request("read", &[("path", path)]),
                request("file", &[("path", path)]),
                request("files", &[("folder", path)]),
                request("folder", &[("path", path)]),
                request("create", &[("path", path), ("content", "x")]),
                request("move", &[("path", "Open.md"), ("to", path)]),
                request("search", &[("query", "key"), ("path", path)]),
                request("notes:list", &[("folder", path)]),
            ]
        });
        let named = [
            asked("read file=Key"),
            asked("read file=Secret"),
            asked("notes:find name=Key"),
            asked("links:broken"),
            asked("links path=Open.md"),
        ];
        let all = forms.chain(named);
        all.map(|mut request| {
            request.dry_run = calls::changes(&request);
            reported(&gateway.call(&request))
        })
        .collect()
    };
    let absent = ask();
    world.write("Private/Key.md", "key");
    world.write("Secret.md", "key");
    assert_eq!(absent, ask());
}

/// Links in closed notes follow a move; the journal and the log tell the owner, and nobody tells the
/// caller.
#[test]
fn d13_links_in_closed_notes_follow_a_move_unseen() {
    for closed in [true, false] {
        let world = World::empty()
            .set(OPEN)
            .with_tables("[paths]\ndeny = [\"Private/**\"]");
        world.write("Old.md", "text\n");
        world.write("Open.md", "[[Old]]\n");
        if closed {
            world.write("Private/Diary.md", "about [[Old]]\n");
        }
        let rename = asked("rename path=Old.md name=New");
        let plan = dry_run_of(rename.clone());
        let gateway = world.gateway();
        let planned = gateway.call(&plan);
        assert!(!planned.to_json().contains("Private"), "{planned:#?}");
        let envelope = gateway.call(&rename).succeeds();
        assert!(!envelope.to_json().contains("Private"), "{envelope:#?}");
        assert_eq!(envelope.meta.changes.len(), 2, "{envelope:#?}");
        assert_eq!(world.read("Open.md"), "[[New]]\n");
        if closed {
            assert_eq!(world.read("Private/Diary.md"), "about [[New]]\n");
            let log = fs_err::read_to_string(world.state().join("audit.jsonl")).unwrap();
            assert!(log.contains("Private/Diary.md"), "{log}");
        }
    }
}

/// Fails every change in the closed folder, as a folder that is read-only does.
struct ReadOnly;

impl Failpoints for ReadOnly {
    fn before(&self, step: Step) -> io::Result<()> {
        if step.path.starts_with("Private/") {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        Ok(())
    }
}

/// A closed note that is too large for undo, or that cannot be written, must not make a move fail:
/// the failure would reveal it. Its links stay as they are, and the log records that for the owner.
#[test]
fn d13_a_closed_note_that_cannot_be_changed_stops_no_move() {
    let small_files = "[journal]\nmax_file_bytes = 1000";
    let small_journal = "[journal]\nmax_bytes = 1048576";
    let large = "y".repeat(5000);
    let many = "y".repeat(300_000);
    for (journal, notes, text, is_read_only) in [
        (small_files, 1, large.as_str(), false),
        // Each of them fits into the journal, and all of them do not.
        (small_journal, 3, many.as_str(), false),
        (small_journal, 1, "", true),
    ] {
        let rules = format!("[paths]\ndeny = [\"Private/**\"]\n{journal}");
        let world = World::empty().set(OPEN).with_tables(&rules);
        world.write("Old.md", "text\n");
        world.write("Open.md", "[[Old]]\n");
        let diary = format!("about [[Old]]\n{text}");
        for number in 0..notes {
            world.write(&format!("Private/{number}.md"), &diary);
        }
        let mut gateway = world.gateway();
        if is_read_only {
            gateway = gateway.with_failpoints(Arc::new(ReadOnly));
        }
        let envelope = answer(&gateway, "rename path=Old.md name=New").succeeds();
        assert_eq!(envelope.meta.changes.len(), 2, "{envelope:#?}");
        assert_eq!(world.read("Open.md"), "[[New]]\n");
        for number in 0..notes {
            assert_eq!(world.read(&format!("Private/{number}.md")), diary);
        }
        let log = fs_err::read_to_string(world.state().join("audit.jsonl")).unwrap();
        let left = format!("\"closedNotesLeft\":{notes}");
        assert!(log.contains(&left), "{log}");
    }
}

/// What an agent with path rules is told when it undoes its move does not depend on closed notes.
#[test]
fn d13_undo_of_a_move_omitshing_of_closed_notes() {
    const STEPS: &str = r#"[{"command":"create","params":{"path":"guess.md","content":"x"}},{"command":"move","params":{"path":"guess.md","to":"k.md"}}]"#;
    let reported = |call: &Request, closed: Option<&[u8]>| {
        let world = World::empty()
            .set(OPEN)
            .with_tables("[paths]\ndeny = [\"Private/**\"]");
        world.write("Old.md", "text\n");
        world.write("F/Inner.md", "text\n");
        world.write("Open.md", "[[Old]] [[F/Inner]]\n");
        if let Some(bytes) = closed {
            world.write("Private/Diary.md", bytes);
        }
        let gateway = world.gateway();
        gateway.call(call).succeeds();
        let after = world.read("Open.md");
        let undone = gateway.undo(None, false);
        assert!(!undone.to_json().contains("Private"), "{undone:#?}");
        assert_eq!(world.read("Open.md"), after, "nothing was undone");
        undone.error.map(|error| (error.code, error.to_string()))
    };
    for call in [
        asked("rename path=Old.md name=New"),
        asked("folder:move path=F to=G"),
        request("notes:change", &[("changes", STEPS)]),
    ] {
        let without = reported(&call, None);
        for closed in [
            &b"about [[Old]] [[F/Inner]] [[guess]]\n"[..],
            b"about [[Old]] [[F/Inner]] [[guess]] \xff\n",
        ] {
            assert_eq!(reported(&call, Some(closed)), without, "{}", call.command);
        }
    }
}

/// A vault in which a rename of `Old.md` needs an approval and changes a closed note.
fn linked_from_a_closed_note() -> World {
    let world = World::empty()
        .set("allow_mutations = true\napprove = [\"write\"]")
        .with_tables("[paths]\ndeny = [\"Private/**\"]");
    world.write("Old.md", "text\n");
    world.write("Private/Diary.md", "about [[Old]]\n");
    world
}

/// The person at the terminal sees the closed notes that a plan changes; whoever asked does not.
#[test]
fn k07_the_owner_is_shown_the_closed_notes_of_a_plan() {
    let world = linked_from_a_closed_note();
    let gateway = world.gateway();
    let envelope = answer(&gateway, "rename path=Old.md name=New").fails_with("APPROVAL_REQUIRED");
    assert!(!envelope.to_json().contains("Private"), "{envelope:#?}");
    let pending = gateway
        .approvals()
        .store()
        .unwrap()
        .pending(NOW.parse::<jiff::Zoned>().unwrap().timestamp());
    let pending = pending.unwrap().remove(0);
    assert_eq!(pending.closed.paths, ["Private/Diary.md"]);
    assert!(!pending.plan_text.contains("Private"), "{pending:#?}");
}

/// What the owner has approved is all that happens, in closed notes too: a rewrite that comes up after
/// the yes needs another one.
#[test]
fn i20_a_closed_note_that_links_here_after_the_yes_voids_the_approval() {
    let world = linked_from_a_closed_note();
    let gateway = world.gateway();
    let rename = asked("rename path=Old.md name=New");
    let now = NOW.parse::<jiff::Zoned>().unwrap().timestamp();
    let approved = || {
        let asked = gateway.call(&rename);
        let id = asked.error.unwrap().details["approval"]
            .as_str()
            .unwrap()
            .to_owned();
        let channel = vault_gw::tiers::ApprovalChannel::Terminal;
        gateway
            .approvals()
            .store()
            .unwrap()
            .grant(&id, channel, now)
            .unwrap();
        Request {
            approval: Some(id),
            ..rename.clone()
        }
    };
    let request = approved();
    world.write("Private/Later.md", "also [[Old]]\n");
    let refused = gateway.call(&request).fails_with("APPROVAL_REQUIRED");
    assert!(!refused.to_json().contains("Private"), "{refused:#?}");
    assert_eq!(world.read("Private/Later.md"), "also [[Old]]\n");
    assert!(world.vault.join("Old.md").exists());
    gateway.call(&approved()).succeeds();
    assert_eq!(world.read("Private/Diary.md"), "about [[New]]\n");
    assert_eq!(world.read("Private/Later.md"), "also [[New]]\n");
}
