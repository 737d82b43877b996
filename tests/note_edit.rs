//! `note:edit` from end to end (`design/tasks.md`): plan, change, journal, undo, path rules, and the
//! app beside it.

use std::sync::LazyLock;

use fake_obsidian::scenario::Scenario;
use seeded_random::Random;
use serde_json::{Value, json};
use vault_gw::gateway::{Answerer, Envelope, Params, Request, Status};
use vault_gw::settings::BackendChoice;
use vault_gw::tiers::ApprovalChannel;

use crate::support::{Outcome as _, World, checked, code, detail, dry_run_of, edits, has, lacks};

const CASES: &str = include_str!("data/note_edit.txt");

const NOTE: &str = "\u{feff}---\r\ntags: [a]\r\n---\r\n# Plan\r\n- [ ] one\r\n\r\n# Log\r\nlast";

fn world() -> World {
    let world = World::empty().set("allow_mutations = true");
    world.write("n.md", NOTE);
    world
}

fn call(world: &World, request: &Request) -> Envelope {
    checked(world.gateway().call(request))
}

/// A request with values that are lists or numbers.
fn request(command: &str, params: &Value) -> Request {
    let params = params.as_object().unwrap().clone().into_iter();
    Request {
        params: Params(params.map(|(name, value)| (name, value.into())).collect()),
        ..Request::new(command)
    }
}

#[test]
fn an_agent_edits_without_an_approval_and_undo_restores_every_byte() {
    let world = world();
    let list = json!([
        {"heading": "plan", "mode": "append", "content": "- [ ] two\n"},
        {"old": "last", "new": "new\nlast"},
    ]);
    let wanted = edits("n.md", list);
    let planned = call(&world, &dry_run_of(wanted.clone()));
    assert_eq!(planned.data.as_map()["needsApproval"], false);
    assert_eq!(planned.data.as_map()["effects"], json!(["write"]));
    let diff = planned.data.as_map()["files"][0]["diff"].as_str().unwrap();
    has(&diff, &["+- [ ] two\r\n", "+new\r\n"]);
    assert_eq!(world.read("n.md"), NOTE);

    let done = call(&world, &wanted);
    assert_eq!(done.status, Status::Ok, "{done:?}");
    let expected = NOTE.replace("one\r\n", "one\r\n- [ ] two\r\n");
    assert_eq!(world.read("n.md"), expected.replace("last", "new\r\nlast"));
    assert_eq!(done.stdout, "Edited: n.md (line 6, line 9)\n");
    assert_eq!(done.data.as_map()["path"], "n.md");
    // What the caller has not read whole it gets no hash of.
    assert_eq!(done.meta.changes[0].sha256, None);
    assert_eq!(done.params["edits"], "<redacted>");

    world.person().undo(None, false).succeeds();
    assert_eq!(world.read("n.md"), NOTE);
}

#[test]
fn f15_if_hash_is_compared_and_gives_the_new_hash() {
    let world = world();
    let hash = vault_gw_hash(&world, "n.md");
    let request = Request {
        if_hash: Some(hash),
        ..edits("n.md", json!([{"old": "one", "new": "1"}]))
    };
    let done = call(&world, &request);
    let hash = vault_gw_hash(&world, "n.md");
    assert_eq!(done.meta.changes[0].sha256, Some(hash));
    call(&world, &request).fails_with("PRECONDITION_FAILED");
}

#[test]
fn f16_an_edit_by_line_numbers_needs_proof_and_an_overwrite_an_approval() {
    let world = world();
    let all = json!([{"lines": "1-8", "frontmatter": true, "content": "gone"}]);
    call(&world, &edits("n.md", all.clone())).fails_with("VALIDATION_ERROR");
    call(&world, &dry_run_of(edits("n.md", all.clone()))).fails_with("VALIDATION_ERROR");
    // With the hash of the note it is an overwrite, which a person approves.
    let known = Request {
        if_hash: Some(vault_gw_hash(&world, "n.md")),
        ..edits("n.md", all)
    };
    let wanted = call(&world, &known).fails_with("APPROVAL_REQUIRED");
    assert_eq!(detail(&wanted, "effects"), json!(["destroy"]));
    assert_eq!(world.read("n.md"), NOTE);
    let planned = call(&world, &dry_run_of(known.clone()));
    let effects = json!(["write", "destroy"]);
    assert_eq!(planned.data.as_map()["needsApproval"], true);
    assert_eq!(planned.data.as_map()["effects"], effects);
    let id = detail(&wanted, "approval").as_str().unwrap().to_owned();
    let person = world.person();
    let channel = ApprovalChannel::Terminal;
    person.approvals().answer(&id, channel, true).unwrap();
    let approved = Request {
        approval: Some(id),
        ..known
    };
    let done = call(&world, &approved).succeeds();
    assert_eq!(json!(done.meta.effects), effects);
    person.undo(None, false).succeeds();
    assert_eq!(world.read("n.md"), NOTE);
    // A part that was read may be replaced by its hash.
    let lines = json!({"notes": [{"path": "n.md", "lines": "4-5"}]});
    let read = world.gateway().call(&request("notes:read", &lines));
    let hash = read.data.as_map()["items"][0]["linesHash"].clone();
    assert_eq!(read.data.as_map()["items"][0].get("sha256"), None);
    let part = json!([{"lines": "4-5", "linesHash": hash, "content": "# Plan\n- [x] one"}]);
    call(&world, &edits("n.md", part.clone())).succeeds();
    assert!(world.read("n.md").contains("- [x] one\r\n"));
    call(&world, &edits("n.md", part)).fails_with("VALIDATION_ERROR");
}

fn vault_gw_hash(world: &World, path: &str) -> String {
    let read = world.call("read", &[("path", path)]);
    read.data.as_map()["sha256"].as_str().unwrap().to_owned()
}

#[test]
fn a_place_that_is_missing_or_not_the_only_one_is_reported_with_its_lines() {
    let world = world();
    for (list, expected, candidates) in [
        (
            json!([{"old": "last", "new": "x"}, {"old": "onne", "new": "x"}]),
            "TARGET_NOT_FOUND",
            json!([{"line": 5, "text": "one", "sent": "onne", "note": "one"}]),
        ),
        (
            json!([{"heading": "Plans", "mode": "append", "content": "x"}]),
            "TARGET_NOT_FOUND",
            json!([{"line": 4, "text": "# Plan"}]),
        ),
        (
            json!([{"old": "l", "new": "x"}]),
            "AMBIGUOUS_TARGET",
            json!([{"line": 4, "text": "# Plan"}, {"line": 8, "text": "last"}]),
        ),
        (
            json!([{"lines": "1", "content": "x"}]),
            "VALIDATION_ERROR",
            Value::Null,
        ),
    ] {
        let refused = call(&world, &edits("n.md", list));
        assert_eq!(code(&refused), expected, "{refused:?}");
        assert_eq!(detail(&refused, "candidates"), candidates);
        assert_eq!(detail(&refused, "path"), json!("n.md"));
    }
    let refused = call(&world, &edits("n.md", json!([{"old": "secret"}])));
    let message = refused.fails_with("USAGE_ERROR").error.unwrap().to_string();
    assert_eq!(message, "`edits` of `note:edit`: [0].new is missing.");
    assert_eq!(world.read("n.md"), NOTE);
}

#[test]
fn d13_a_closed_note_is_no_note() {
    let world = world().set("paths.deny = [\"Private/**\"]");
    world.write("Private/p.md", "secret text");
    for path in ["Private/p.md", "Private/none.md"] {
        let list = json!([{"old": "secret texx", "new": "x"}]);
        let refused = call(&world, &edits(path, list));
        assert!(!refused.success);
        lacks(&json!(refused).to_string(), &["secret text"]);
    }
    assert_eq!(world.read("Private/p.md"), "secret text");
    // The name is the caller's own.
    let shown = |file: &str| {
        let refused = world.ask(&format!("note:edit file={file} old=secret new=x"));
        let shown = json!([refused.error, refused.status]).to_string();
        let name = format!(r#"\"{file}\""#);
        has(&shown, &[&name]);
        shown.replace(&name, "NAME")
    };
    assert_eq!(shown("p"), shown("none"));

    // What may be read and not written is refused as such.
    let world = World::empty().set("paths.write = [\"Open/**\"]\nallow_mutations = true");
    world.write("n.md", NOTE);
    call(&world, &edits("n.md", json!([{"old": "one", "new": "1"}]))).fails_with("PATH_DENIED");
    assert_eq!(world.read("n.md"), NOTE);
}

#[test]
fn the_engine_writes_beside_a_running_app() {
    let world = world().with_fake(&Scenario::logged());
    let list = json!([{"old": "one", "new": "1"}]);
    let done = call(&world, &edits("n.md", list.clone())).succeeds();
    assert_eq!(done.meta.backend, Answerer::Embedded);
    assert!(world.nothing_spawned());
    // The app reads the new text.
    let read = world.ask("read path=n.md");
    assert_eq!(read.meta.backend, Answerer::Obsidian);
    let text = read.data.as_map()["content"].as_str().unwrap();
    has(&text, &["- [ ] 1\r\n"]);
    let by_app = world.through(BackendChoice::Obsidian);
    checked(by_app.call(&edits("n.md", list))).fails_with("USAGE_ERROR");
}

#[test]
fn a_person_types_one_edit() {
    let world = world();
    let ran = world.run(&["note:edit", "file=n", "old=one", "new=1"]);
    ran.prints("Edited: n.md (line 5)\n");
    let ran = world.run_line("note:edit file=n heading=Log mode=append content=end");
    ran.prints("Edited: n.md (line 9)\n");
    assert!(world.read("n.md").ends_with("last\r\nend"));
    let ran = world.run_line(r#"note:edit file=n edits='[{"lines":"8-9","content":""}]'"#);
    ran.ended(65);
    ran.reports("Did you mean `last` (the lines from 8, `linesHash=");
    let ran = world.run_line("note:edit file=n lines=8-9 first=last last=end content=");
    ran.ended(0);
    assert!(world.read("n.md").ends_with("# Log\r\n"));
    let ran = world.run(&["note:edit", "file=n", "edits={}"]);
    ran.ended(64);
    let ran = world.run(&["note:edit", "file=n", "old=nowhere", "new=x"]);
    ran.ended(65);
    ran.reports("does not contain the text of `old`");
}

fn undo(world: &World) -> Envelope {
    world.person().undo(None, false)
}

#[test]
fn a_tag_is_renamed_in_all_notes_as_one_run() {
    let world = World::empty().set("allow_mutations = true");
    let notes = [
        ("a.md", "---\ntags: [work, x]\n---\n#Work/home\r\n`#work`"),
        ("b.md", "#work"),
        ("c.md", "#workshop"),
    ];
    for (path, text) in notes {
        world.write(path, text);
    }
    let done = world.ask("tag:rename tag=work to=job");
    assert_eq!(done.stdout, "#job: 2 notes changed\na.md\nb.md\n");
    let renamed = "---\ntags: [job, x]\n---\n#job/home\r\n`#work`";
    assert_eq!(world.read("a.md"), renamed);
    undo(&world).succeeds();
    for (path, text) in notes {
        assert_eq!(world.read(path), text);
    }
}

#[test]
fn d13_tags_of_closed_notes_are_not_changed_and_not_reported() {
    let world = World::empty().set("paths.deny = [\"Private/**\"]\nallow_mutations = true");
    world.write("a.md", "#work");
    world.write("b.md", "#work");
    world.write("Private/p.md", "#work");
    // Half a vault with the old tag is nothing that its owner asked for.
    let refused = world.ask("tag:rename tag=work to=job");
    assert_eq!(detail(&refused, "reason"), "whole-vault");
    refused.fails_with("PATH_DENIED");
    let add = |paths: Value| world.call("tag:add", &[("tag", "x"), ("paths", &paths.to_string())]);
    for closed in ["Private/p.md", "Private/none.md"] {
        let refused = add(json!(["a.md", closed]));
        assert_eq!(code(&refused), "PATH_DENIED", "{closed}");
    }
    assert_eq!(world.read("a.md"), "#work");
    let done = add(json!(["a.md", "b.md"]));
    assert_eq!(done.data.as_map()["changed"], 2, "{done:?}");
    assert_eq!(world.read("Private/p.md"), "#work");
    // What may be read and not written is refused, and so is all of the call.
    let world = World::empty().set("paths.write = [\"Open/**\"]\nallow_mutations = true");
    world.write("Open/a.md", "text");
    world.write("b.md", "text");
    let paths = json!(["Open/a.md", "b.md"]).to_string();
    let refused = world.call("tag:add", &[("tag", "x"), ("paths", &paths)]);
    refused.fails_with("PATH_DENIED");
    assert_eq!(world.read("Open/a.md"), "text");
}

#[test]
fn five_notes_get_a_tag_in_one_call_and_an_alias_is_exchanged() {
    let world = World::empty().set("allow_mutations = true");
    for path in ["1.md", "2.md", "3.md", "4.md"] {
        world.write(path, "text");
    }
    world.write("5.md", "---\naliases: [Old, Other]\ntags: [Idea]\n---\n");
    let paths = json!(["1.md", "2.md", "3.md", "4.md", "5.md"]).to_string();
    let done = world.call("tag:add", &[("tag", "idea"), ("paths", &paths)]);
    assert_eq!(done.data.as_map()["changed"], 4, "{done:?}");
    undo(&world).succeeds();
    assert_eq!(world.read("1.md"), "text");
    let drop = world.ask("property:drop path=5.md name=aliases value=Old");
    drop.succeeds();
    let add = || world.ask("property:add path=5.md name=aliases value=New");
    assert_eq!(add().stdout, "Changed: 5.md: aliases: Other, New\n");
    let changed = "---\naliases: [Other, New]\ntags: [Idea]\n---\n";
    assert_eq!(world.read("5.md"), changed);
    assert!(add().meta.changes.is_empty());
}

#[test]
fn several_notes_get_a_property_in_one_plan_and_one_undo() {
    let world = World::empty()
        .set("allow_mutations = true")
        .with_fake(&Scenario::logged());
    let notes = [
        ("a.md", "text"),
        ("b.md", "---\n# kept\nrank: 1\n---\ntext"),
        ("c.md", "---\nrank: 2\n---\n"),
        ("é.md", ""),
    ];
    for (path, text) in notes {
        world.write(path, text);
    }
    let ask = |paths: Value| {
        let params = json!({"name": "rank", "value": 2, "paths": paths});
        request("property:set", &params)
    };
    // One that is missing, closed, no note or no path keeps all of them as they are.
    for (wrong, expected) in [
        ("none.md", "FILE_NOT_FOUND"),
        ("A.md", "FILE_NOT_FOUND"),
        ("../a.md", "PATH_ESCAPE"),
    ] {
        let refused = call(&world, &ask(json!(["a.md", wrong])));
        assert_eq!(code(&refused), expected, "{wrong}: {refused:?}");
    }
    let closed = World::empty().set("paths.deny = [\"Private/**\"]\nallow_mutations = true");
    closed.write("a.md", "text");
    closed.write("Private/p.md", "text");
    for path in ["Private/p.md", "Private/none.md"] {
        call(&closed, &ask(json!(["a.md", path]))).fails_with("PATH_DENIED");
    }
    assert_eq!(closed.read("a.md"), "text");
    let tied = Request {
        if_hash: Some(crate::support::sha256_of(b"text")),
        ..ask(json!(["a.md"]))
    };
    call(&world, &tied).fails_with("USAGE_ERROR");
    let both = world.ask("property:set name=rank value=2 path=a.md paths='[\"b.md\"]'");
    both.fails_with("USAGE_ERROR");
    assert_eq!(world.read("a.md"), "text");
    // A note that is named twice, in two spellings, is one note.
    let paths = "e\u{301}.md b.md a.md c.md b.md é.md".split(' ');
    let all = ask(paths.collect());
    let planned = call(&world, &dry_run_of(all.clone()));
    let files = planned.data.as_map()["files"].as_array().unwrap();
    // With the type of the property, which the app keeps apart, in a file whose diff only a person sees.
    assert_eq!(files.len(), 4, "{planned:?}");
    for file in files {
        let is_of_app = file["path"] == ".obsidian/types.json";
        assert_eq!(file["diff"].is_string(), !is_of_app, "{file}");
    }
    let done = call(&world, &all);
    assert_eq!(done.meta.backend, Answerer::Embedded, "{done:?}");
    assert_eq!(done.stdout, "Set rank: 2\n3 notes changed\n");
    let data = done.data.as_map();
    assert_eq!(json!([data["notes"], data["type"]]), json!([3, "number"]));
    assert_eq!(world.read("a.md"), "---\nrank: 2\n---\ntext");
    assert_eq!(world.read("b.md"), "---\n# kept\nrank: 2\n---\ntext");
    let again = call(&world, &all);
    assert_eq!(again.data.as_map()["notes"], 0);
    assert!(again.meta.changes.is_empty());
    undo(&world).succeeds();
    for (path, text) in notes {
        assert_eq!(world.read(path), text, "{path}");
    }
    assert!(world.nothing_spawned());
    let refused = checked(world.through(BackendChoice::Obsidian).call(&all));
    assert_eq!(code(&refused), "USAGE_ERROR", "the app knows one note");
}

/// Pieces of notes with the constructs that an edit may meet.
static PIECES: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "pieces"));

fn random_text(random: &mut Random, most: usize) -> String {
    let pieces = 0..random.below(most + 1);
    pieces.map(|_| PIECES[random.below(PIECES.len())]).collect()
}

fn random_edit(random: &mut Random, note: &str) -> Value {
    let content = random_text(random, 3);
    let mode = ["append", "prepend", "replace"][random.below(3)];
    match random.below(5) {
        0 => {
            let words: Vec<&str> = note.split_inclusive(['\n', ' ']).collect();
            let old = match words.len() {
                0 => "none",
                count => words[random.below(count)],
            };
            json!({ "old": old, "new": content, "all": random.below(2) == 0 })
        }
        1 => {
            let heading = ["A", "B", "A/A", "A::B", "none"][random.below(5)];
            json!({ "heading": heading, "mode": mode, "reach": "section", "content": content })
        }
        2 => {
            let block = ["q", "i", "t", "x", "p", "none"][random.below(6)];
            json!({ "block": block, "mode": mode, "content": content })
        }
        3 => {
            let line = random.below(9);
            let present = note.lines().nth(line).map_or("", str::trim);
            let present = if present.is_empty() { "none" } else { present };
            json!({ "lines": format!("{}", line + 1), "first": present, "content": content })
        }
        _ => {
            json!({ "afterLine": random.below(9), "content": content, "frontmatter": random.below(3) == 0 })
        }
    }
}

/// Runs random edits through the gateway with its journal; returns how many changed a note.
fn random_edits_with_undo(seed: u64, runs: usize) -> usize {
    let world = World::empty().set("backend = \"embedded\"\napprove = []\nallow_mutations = true");
    let gateway = world.gateway();
    let path = world.vault.join("n.md");
    let mut random = Random::new(seed);
    let mut changed = 0;
    for run in 0..runs {
        let mut note = random_text(&mut random, 12);
        if random.below(3) == 0 {
            note = note.replace('\n', "\r\n");
        }
        if random.below(5) == 0 {
            note.insert(0, '\u{feff}');
        }
        let mut note = note.into_bytes();
        if random.below(8) == 0 {
            note.push(0xff);
        }
        fs_err::write(&path, &note).unwrap();
        let text = String::from_utf8_lossy(&note).into_owned();
        let list = 0..=random.below(2);
        let list: Vec<Value> = list.map(|_| random_edit(&mut random, &text)).collect();
        let message = format!("run {run}: {text:?} {list:?}");
        let envelope = gateway.call(&edits("n.md", json!(list)));
        let after = fs_err::read(&path).unwrap();
        if !envelope.success {
            assert_eq!(after, note, "{message}");
            continue;
        }
        let is_changed = &envelope.data.as_map()["changed"];
        assert_eq!(*is_changed, after != note, "{message}");
        if after == note {
            continue;
        }
        changed += 1;
        let mut run = None;
        for expected in [&note, &after, &note] {
            let named = run.map(|run: String| ("run".to_owned(), json!(run).into()));
            let undo = Request {
                params: Params(named.into_iter().collect()),
                ..Request::new("undo")
            };
            let undone = gateway.call(&undo);
            assert_eq!(undone.status, Status::Ok, "{message} {:?}", undone.error);
            assert_eq!(&fs_err::read(&path).unwrap(), expected, "{message}");
            // Undoing an undo redoes the change.
            run = Some(undone.run_id.to_string());
        }
    }
    changed
}

#[test]
fn random_edits_are_taken_back_to_the_byte_and_a_miss_changes_nothing() {
    let changed = random_edits_with_undo(13, 150);
    assert!(changed > 20, "{changed}");
}

#[test]
#[ignore = "minutes; `cargo test --test integration thousands_of -- --ignored --nocapture`"]
fn thousands_of_random_edits_with_the_journal() {
    // A journal of its own for each hundred, because an undo reads the whole list.
    let changed: usize = (0..20).map(|seed| random_edits_with_undo(seed, 100)).sum();
    println!("{changed} of 2000 runs changed the note, each undone, redone and undone");
}
