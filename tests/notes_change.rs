//! `notes:change`: several changes as one, with the checks of each, and undone as one.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use fake_obsidian::scenario::Scenario;
use seeded_random::Random;
use serde_json::{Value, json};
use vault_engine::{Failpoints, Step};
use vault_gw::allowlist::RawValue;
use vault_gw::gateway::{Answerer, Envelope, Params, Request, Review};
use vault_gw::settings::BackendChoice;
use vault_gw::tiers::ApprovalChannel;

use crate::support::{
    Outcome as _, World, checked, code, detail, dry_run_of, everything_below, files_below, has,
    sha256_of,
};

const CASES: &str = include_str!("data/notes_change.txt");

static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

fn world_with(rules: &str) -> World {
    let world = World::empty().set("allow_mutations = true").set(rules);
    for (path, text) in NOTES.iter().copied() {
        world.write(path, text);
    }
    world
}

fn world() -> World {
    world_with("")
}

/// The step that a line in the official syntax makes.
fn step(line: &str) -> Value {
    let words = shell_words::split(line).unwrap();
    let params = words[1..].iter().map(|word| match word.split_once('=') {
        Some((name, value)) => (name.to_owned(), json!(value)),
        None => (word.clone(), json!(true)),
    });
    json!({ "command": words[0], "params": Value::Object(params.collect()) })
}

fn batch(changes: &Value) -> Request {
    Request {
        params: Params([("changes".to_owned(), changes.clone().into())].into()),
        ..Request::new("notes:change")
    }
}

fn call(world: &World, request: &Request) -> Envelope {
    checked(world.gateway().call(request))
}

fn undo(world: &World) -> Envelope {
    let person = world.person();
    person.undo(None, false)
}

/// Every file that is not hidden, with its text.
fn files(world: &World) -> BTreeMap<String, String> {
    let shown = files_below(&world.vault).into_iter();
    let shown = shown.filter(|(path, _)| !path.starts_with('.'));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    shown.map(|(path, bytes)| (path, text(bytes))).collect()
}

/// Everything outside of the trash.
fn outside_trash(world: &World) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = everything_below(&world.vault);
    found.retain(|path, _| !path.starts_with(".trash"));
    found
}

#[test]
fn a_ruling_is_about_every_step() {
    let world = world_with("paths.write = [\"Archive/**\"]");
    let open = step("append path=Archive/Old.md content=x");
    let closed = step("append path=Home.md content=x");
    let ruling = |steps: Value| json!(world.gateway().ruling_on(&batch(&steps)));
    assert_eq!(ruling(json!([open]))["decision"], "allowed");
    let refused = ruling(json!([open, closed]));
    assert_eq!(refused["decision"], "refused");
    assert_eq!(refused["code"], "PATH_DENIED");
    call(&world, &batch(&json!([open, closed]))).fails_with("PATH_DENIED");
}

#[test]
fn edits_new_notes_moves_and_properties_are_one_plan_and_one_undo() {
    let world = world().with_fake(&Scenario::logged());
    let before = files(&world);
    let changes = json!([
        {"command": "note:edit", "params": {"path": "Plan.md", "edits": [{"old": "one", "new": "two [[Log]]"}]}},
        {"command": "create", "params": {"path": "New/Note.md", "content": "see [[Plan]]\n"}},
        step("move file=Plan to='Archive/Plan 2.md'"),
        {"command": "property:set", "params": {"path": "Archive/Plan 2.md", "name": "rank", "value": 3}},
        step("rename path=Log.md name=Journal"),
        {"command": "tag:add", "params": {"paths": ["Home.md", "Archive/Plan 2.md"], "tag": "seen"}},
        step("append path=New/Note.md content=end"),
    ]);
    let dry = dry_run_of(batch(&changes));
    let planned = call(&world, &dry);
    let rows = planned.data.as_map()["files"].as_array().unwrap();
    let mut rows = rows.iter();
    let moved = rows.find(|row| row["path"] == "Archive/Plan 2.md").unwrap();
    assert_eq!(
        json!([moved["change"], moved["from"]]),
        json!(["moved", "Plan.md"])
    );
    has(&moved["diff"].to_string(), &["+- [ ] two [[Journal]]"]);
    assert_eq!(planned.data.as_map()["needsApproval"], false);
    assert_eq!(files(&world), before);

    let done = call(&world, &batch(&changes)).succeeds();
    assert_eq!(done.meta.backend, Answerer::Embedded);
    assert_eq!(done.params["changes"], "<redacted>");
    let moved = "Moved: Plan.md -> Archive/Plan 2.md";
    let first = format!("Edited: Plan.md (line 5)\nCreated: New/Note.md\n{moved}\nSet rank: 3\n");
    let tags = "#seen: 2 notes changed\nArchive/Plan 2.md\nHome.md\n";
    let last = format!("Renamed: Log.md -> Journal.md\n{tags}Appended to: New/Note.md\n");
    assert_eq!(done.stdout, first + &last);
    assert_eq!(done.data.as_map()["steps"][2], moved);
    let after = files(&world);
    let seen = "tags:\n  - seen\n---\n";
    let plan = format!("---\nstatus: open\nrank: 3\n{seen}# Plan\n- [ ] two [[Journal]]\n");
    assert_eq!(after["Archive/Plan 2.md"], plan);
    let home = format!("---\n{seen}# Home\n[[Plan 2]] and [[Journal|the log]]\n");
    assert_eq!(after["Home.md"], home);
    assert_eq!(after["New/Note.md"], "see [[Plan 2]]\n\nend");
    assert_eq!(after["Journal.md"], "first [[Plan 2]]\n");
    assert!(after["Board.canvas"].contains("\"Archive/Plan 2.md\""));
    assert!(!after.contains_key("Plan.md") && !after.contains_key("Log.md"));
    undo(&world).succeeds();
    assert_eq!(files(&world), before);
    assert!(world.nothing_spawned());
    let by_app = world.through(BackendChoice::Obsidian);
    checked(by_app.call(&batch(&changes))).fails_with("USAGE_ERROR");
}

/// A step that is refused alone is refused in a list, with its own code and its place, and the steps
/// around it are not made.
#[test]
fn a_step_that_is_refused_alone_refuses_all() {
    let refused = |rules: &str, refused: Value| {
        let world = world_with(rules);
        world.write("Private/p.md", "secret");
        world.write("Twin/Old.md", "");
        let before = files(&world);
        let alone: Request = Request::from_value(&refused).unwrap();
        let alone = call(&world, &alone);
        let fine = step("append path=Log.md content=x");
        let answer = call(&world, &batch(&json!([fine, refused, fine])));
        assert!(!answer.success, "{refused}: {answer:?}");
        assert_eq!(detail(&answer, "step"), 2, "{answer:?}");
        let text = &answer.error.as_ref().unwrap().to_string();
        assert!(text.starts_with("Step 2: "), "{text}");
        assert_eq!(code(&answer), code(&alone), "{refused}: {answer:?}");
        assert_eq!(files(&world), before, "{refused}");
        code(&answer)
    };
    let many = json!({"command": "property:set", "params": {"paths": ["Log.md", "Private/p.md"], "name": "a", "value": 1}});
    assert_eq!(
        refused("paths.deny = [\"Private/**\"]", many),
        "PATH_DENIED"
    );
    let edit = |edit: Value| json!({"command": "note:edit", "params": {"path": "Log.md", "edits": [edit]}});
    let mut stale = step("append path=Log.md content=x");
    stale["ifHash"] = "0".repeat(64).into();
    for (step, expected) in [
        (
            edit(json!({"old": "nowhere", "new": "x"})),
            "TARGET_NOT_FOUND",
        ),
        (
            edit(json!({"lines": "1", "content": "x"})),
            "VALIDATION_ERROR",
        ),
        (stale, "PRECONDITION_FAILED"),
    ] {
        assert_eq!(refused("", step), expected);
    }
    for [rules, line, expected] in tables::section(CASES, "a step that is refused alone") {
        assert_eq!(refused(rules, step(line)), expected, "{line}");
    }
    // Without a target the step has another code than the call.
    refused("", step("append content=x"));
    let closed = world_with("tier = \"v0\"");
    let append = json!([step("append path=Log.md content=x")]);
    call(&closed, &batch(&append)).fails_with("TIER_CLOSED");
}

#[test]
fn what_is_no_step_stays_a_call_of_its_own() {
    let world = world();
    let before = files(&world);
    let lines = tables::lines(CASES, "what is no step stays a call").into_iter();
    let values = tables::lines(CASES, "what is no step stays a call, as JSON").into_iter();
    let values = values.map(|value| serde_json::from_str(value).unwrap());
    for step in lines.map(step).chain(values) {
        let refused = call(&world, &batch(&json!([step])));
        assert_eq!(code(&refused), "USAGE_ERROR", "{step}: {refused:?}");
    }
    call(&world, &batch(&json!([]))).fails_with("USAGE_ERROR");
    let many = (0..51).map(|number| step(&format!("create path={number}.md")));
    call(&world, &batch(&many.collect())).fails_with("USAGE_ERROR");
    let tied = Request {
        if_hash: Some("0".repeat(64)),
        ..batch(&json!([step("append path=Log.md content=x")]))
    };
    call(&world, &tied).fails_with("USAGE_ERROR");
    assert_eq!(files(&world), before);
}

/// A step sees what the steps before it leave, and nothing else.
#[test]
fn a_step_is_planned_on_the_result_of_those_before_it() {
    let world = world();
    let before = files(&world);
    let append = |path: &str| step(&format!("append path={path} content=x"));
    let create = |path: &str| step(&format!("create path={path} content=new"));
    let relocate = |path: &str, to: &str| step(&format!("move path={path} to={to}"));
    // Appends to a note with the text of the log.
    let bound = |path: &str| {
        let mut step = append(path);
        step["ifHash"] = sha256_of(b"first [[Plan]]\n").into();
        step
    };
    for (changes, expected) in [
        ([create("a/b.md"), create("a/B.md")], "FILE_EXISTS"),
        ([create("a.md"), create("a.md")], "FILE_EXISTS"),
        ([create("a"), create("a.md/x.md")], "VALIDATION_ERROR"),
        (
            [relocate("Log.md", "Archive/Log.md"), append("Log.md")],
            "FILE_NOT_FOUND",
        ),
        (
            [relocate("Log.md", "a.md"), relocate("Home.md", "A.md")],
            "FILE_EXISTS",
        ),
        ([append("Log.md"), bound("Log.md")], "PRECONDITION_FAILED"),
    ] {
        let changes = json!(changes);
        let refused = call(&world, &batch(&changes));
        assert_eq!(code(&refused), expected, "{changes}: {refused:?}");
        assert_eq!(files(&world), before);
    }
    let leave = || relocate("Log.md", "b.md");
    let set = |path: &str, value: Value| json!({"command": "property:set", "params": {"path": path, "name": "n", "value": value}});
    for changes in [
        json!([create("x/y.md"), relocate("Log.md", "x")]),
        json!([
            relocate("Log.md", "Archive/Log.md"),
            create("Log.md"),
            append("Log.md")
        ]),
        json!([create("a.md"), relocate("a.md", "b.md"), create("a.md")]),
        json!([append("Log.md"), leave(), relocate("b.md", "Log.md")]),
        json!([
            append("Log.md"),
            leave(),
            relocate("Home.md", "Log.md"),
            append("Log.md")
        ]),
        json!([leave(), bound("b.md")]),
        json!([set("Log.md", json!(1)), set("Home.md", json!(true))]),
    ] {
        let one_by_one = self::world();
        for step in changes.as_array().unwrap() {
            let mut step = step.clone();
            step.as_object_mut().unwrap().remove("ifHash");
            call(&one_by_one, &Request::from_value(&step).unwrap()).succeeds();
        }
        let done = call(&world, &batch(&changes));
        assert!(done.success, "{changes}: {done:?}");
        assert_eq!(files(&world), files(&one_by_one), "{changes}");
        assert!(undo(&world).success, "{changes}");
        assert_eq!(files(&world), before, "{changes}");
    }
}

/// A refactoring as one change: each step names what the steps before it made or moved.
#[test]
fn folders_deletions_and_merges_are_steps_too() {
    let world = world_with("approve = []");
    world.write("Part.md", "# Part\nmore [[Old]]\n");
    let before = everything_below(&world.vault);
    let changes = json!([
        step("folder:create path=Areas/Garden"),
        step("move path=Plan.md to=Areas/Garden/"),
        step("folder:move path=Archive to=Areas/Archive"),
        step("note:merge path=Part.md into=Areas/Garden/Plan.md"),
        {"command": "note:extract", "params": {"path": "Areas/Garden/Plan.md", "heading": "Part", "to": "Areas/Part.md"}},
        {"command": "attachment:add", "params": {"path": "Areas/dot.gif", "data": "R0lGODlhAQ=="}},
        {"command": "append", "params": {"path": "Areas/Part.md", "content": "![[dot.gif]]"}},
        step("heading:rename path=Areas/Garden/Plan.md heading=Plan to=Garden"),
        step("delete path=Log.md"),
        step("folder:move path=Areas to=Fields"),
    ]);
    let done = call(&world, &batch(&changes)).succeeds();
    insta::assert_snapshot!(done.stdout, @r"
    Created: Areas/Garden
    Moved: Plan.md -> Areas/Garden/Plan.md
    Moved: Archive -> Areas/Archive (1 file)
    Merged: Part.md -> Areas/Garden/Plan.md (0 links in 0 files)
    Extracted: Areas/Garden/Plan.md, lines 7-8 -> Areas/Part.md (0 links in 0 files)
    Added Areas/dot.gif: ![[dot.gif]]
    Appended to: Areas/Part.md
    Renamed: Areas/Garden/Plan.md#Plan -> Areas/Garden/Plan.md#Garden (0 links)
    Moved to trash: Log.md
    Moved: Areas -> Fields (4 files)
    ");
    let after = outside_trash(&world);
    let now = files(&world);
    let fields = "Fields/Archive/Old.md Fields/Garden/Plan.md Fields/Part.md Fields/dot.gif";
    let expected = format!("Board.canvas {fields} Home.md");
    assert_eq!(now.keys().cloned().collect::<Vec<_>>().join(" "), expected);
    assert!(now["Board.canvas"].contains("\"Fields/Garden/Plan.md\""));
    undo(&world).succeeds();
    assert_eq!(everything_below(&world.vault), before);
    // The same steps as one draft, which a person accepts.
    let drafts = world_with("drafts = \"all\"").with_tables("[agents.helper]\n");
    drafts.write("Part.md", "# Part\nmore [[Old]]\n");
    let drafted = checked(drafts.agent("helper").call(&batch(&changes))).succeeds();
    assert!(drafted.meta.draft.is_some(), "{drafted:?}");
    assert_eq!(everything_below(&drafts.vault), before);
    let (waiting, _) = drafts.person().drafts().waiting_drafts().unwrap();
    let accepted = Review {
        confirmed: true,
        channel: Some(ApprovalChannel::Yes),
        ..Review::of_draft(&waiting[0], true)
    };
    drafts.person().review(&accepted, false).succeeds();
    assert_eq!(outside_trash(&drafts), after);
    // The same steps one by one.
    for step in changes.as_array().unwrap() {
        call(&world, &Request::from_value(step).unwrap()).succeeds();
    }
    assert_eq!(outside_trash(&world), after);
}

/// The settings judge each step as they judge the call alone, with all effects of all steps.
#[test]
fn f16_the_effects_of_each_step_count() {
    let world = world();
    let before = everything_below(&world.vault);
    let delete = step("delete path=Log.md");
    let append = step("append path=Home.md content=x");
    let wanted = call(&world, &batch(&json!([append, delete]))).fails_with("APPROVAL_REQUIRED");
    assert_eq!(detail(&wanted, "effects"), json!(["destroy"]));
    let import = json!({"command": "attachment:add", "params": {"from": "a.png"}});
    let closed = call(&world, &batch(&json!([append, import])));
    let alone = call(&world, &Request::from_value(&import).unwrap());
    assert_eq!(code(&closed), code(&alone));
    for [rules, refused, expected] in tables::section(CASES, "f16 the effects of each step") {
        let world = world_with(rules);
        let answer = call(&world, &batch(&json!([append, step(refused)])));
        assert_eq!(code(&answer), expected, "{refused}: {answer:?}");
        assert_eq!(detail(&answer, "step"), 2);
        assert_eq!(everything_below(&world.vault), before, "{refused}");
    }
}

/// An agent takes back a run only if each of its steps is open to it, and repeats a deletion only with an approval.
#[test]
fn f16_undo_and_redo_know_the_steps() {
    let mut world = world_with("approve = []");
    let open = world.settings.clone();
    let changes = ["append path=Home.md content=x", "delete path=Log.md"].map(step);
    let changes = json!(changes);
    call(&world, &batch(&changes)).succeeds();
    let agent = |world: &World, word| call(world, &Request::new(word));
    world.settings = format!("commands.deny = [\"delete\"]\n{open}");
    agent(&world, "undo").fails_with("COMMAND_DENIED");
    world.settings = format!("commands.deny = [\"rename\"]\n{open}");
    agent(&world, "undo").succeeds();
    world.settings = open.replace("approve = []", "");
    agent(&world, "redo").fails_with("APPROVAL_REQUIRED");
}

/// Steps that no order of changes can make together are refused with the number of the step from which on they are not
/// possible.
#[test]
fn steps_that_cannot_be_made_together_name_the_step() {
    let world = world();
    let changes = json!([
        step("append path=Home.md content=x"),
        step("delete path=Log.md permanent"),
        step("folder:create path=Log.md"),
        step("append path=Home.md content=x"),
    ]);
    let refused = call(&world, &batch(&changes));
    assert_eq!(detail(&refused, "step"), 3);
    insta::assert_snapshot!(refused.error.unwrap(), @"Step 3: `changes` must be a list in which no file takes the path of a folder, and no folder takes the path of a file. Nothing was changed. Make this step and the later steps in another call.");
}

#[test]
fn steps_exchange_the_paths_of_notes_with_their_links() {
    let world = world();
    let before = files(&world);
    let swap = json!([
        step("move path=Log.md to=t.md"),
        step("move path=Home.md to=Log.md"),
        step("move path=t.md to=Home.md"),
    ]);
    call(&world, &batch(&swap)).succeeds();
    let after = files(&world);
    assert_eq!(after.len(), before.len());
    assert_ne!(after["Home.md"], before["Home.md"]);
    undo(&world).succeeds();
    assert_eq!(files(&world), before);
    world.person().redo(None, false).succeeds();
    assert_eq!(files(&world), after);
}

#[test]
fn f16_an_overwrite_among_the_steps_is_approved_with_all_of_them() {
    let world = world();
    let before = files(&world);
    let changes = json!([
        step("append path=Log.md content=x"),
        step("create path=Plan.md content=gone overwrite"),
    ]);
    let wanted = call(&world, &batch(&changes)).fails_with("APPROVAL_REQUIRED");
    assert_eq!(detail(&wanted, "effects"), json!(["destroy"]));
    assert_eq!(files(&world), before);
    let id = detail(&wanted, "approval").as_str().unwrap().to_owned();
    let person = world.person();
    let channel = ApprovalChannel::Terminal;
    person.approvals().answer(&id, channel, true).unwrap();
    let approved = |changes: &Value| Request {
        approval: Some(id.clone()),
        ..batch(changes)
    };
    let other = call(&world, &approved(&json!([changes[1]])));
    assert!(!other.success, "an approval is for one plan");
    call(&world, &approved(&changes)).succeeds();
    assert_eq!(world.read("Plan.md"), "gone");
    undo(&world).succeeds();
    assert_eq!(files(&world), before);
}

#[test]
fn d13_links_in_closed_notes_follow_the_moves_and_are_not_reported() {
    let mut world = world_with("paths.deny = [\"Private/**\"]");
    let closed = "[[Plan]] [[Log]]";
    world.write("Private/p.md", closed);
    let changes = json!([
        step("rename path=Plan.md name=Plot"),
        step("rename path=Log.md name=Journal"),
        step("rename path=Plot.md name=Story"),
    ]);
    let dry = dry_run_of(batch(&changes));
    let planned = serde_json::to_string(&call(&world, &dry)).unwrap();
    assert!(!planned.contains("Private"), "{planned}");
    let done = call(&world, &batch(&changes)).succeeds();
    assert!(!serde_json::to_string(&done).unwrap().contains("Private"));
    assert_eq!(world.read("Private/p.md"), "[[Story]] [[Journal]]");
    // The owner, whom no rule keeps from it, takes it back.
    world.settings = world.settings.replace("paths.deny", "#");
    undo(&world).succeeds();
    assert_eq!(world.read("Private/p.md"), closed);
}

/// Every kind of step, by names that may be taken, missing, moved or of another kind.
fn random_step(random: &mut Random) -> Value {
    static PATHS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "paths"));
    const FOLDERS: [&str; 4] = ["Archive", "x", "x/y", "z"];
    const TEXTS: &str =
        "[[Plan]]¦[[a|b]] [[Log#One]] #old¦# One\n- [ ] text¦![[Archive/Old]] [x](Home.md)";
    let path = *random.pick(&PATHS);
    let other = *random.pick(&PATHS);
    let text = *random.pick(&TEXTS.split('¦').collect::<Vec<_>>());
    let (folder, place) = (*random.pick(&FOLDERS), *random.pick(&FOLDERS));
    let is_permanent = random.once_in(3);
    let (command, params) = match random.below(24) {
        0 => ("append", json!({"content": text})),
        1 => ("prepend", json!({"content": text})),
        2 => ("daily:append", json!({"path": null, "content": text})),
        3 => ("daily:prepend", json!({"path": null, "content": text})),
        4 => (
            "create",
            json!({"content": text, "overwrite": is_permanent}),
        ),
        5 | 6 => ("move", json!({"to": other})),
        7 => ("rename", json!({"name": "Renamed"})),
        8 => ("property:set", json!({"name": "rank", "value": 5})),
        9 => ("property:remove", json!({"name": "status"})),
        10 => ("property:add", json!({"name": "aliases", "value": "Other"})),
        11 => ("tag:add", json!({"tag": "t"})),
        12 => ("tag:drop", json!({"tag": "old"})),
        13 => (
            "tag:rename",
            json!({"path": null, "tag": "old", "to": "new"}),
        ),
        14 => ("task", json!({"line": 5, "toggle": true})),
        15 => ("folder:create", json!({"path": folder})),
        16 | 17 => ("folder:move", json!({"path": folder, "to": place})),
        18 => ("delete", json!({"permanent": is_permanent})),
        19 => {
            let picture = json!({"path": "Archive/pic.png", "data": "R0lGODlhAQ=="});
            ("attachment:add", picture)
        }
        20 => ("heading:rename", json!({"heading": "One", "to": "Two"})),
        21 => (
            "note:merge",
            json!({"into": other, "permanent": is_permanent}),
        ),
        22 => ("note:extract", json!({"heading": "One", "to": "x/Part.md"})),
        _ => {
            let edit = json!({"afterLine": 0, "frontmatter": true, "content": text});
            ("note:edit", json!({"edits": [edit]}))
        }
    };
    // A step is about the note unless it has another path, or none.
    let mut params = params.as_object().unwrap().clone();
    params.entry("path").or_insert(json!(path));
    params.retain(|_, value| !value.is_null());
    json!({"command": command, "params": params})
}

/// A list of steps does what the steps do one by one, and its undo leaves every byte as it was.
#[test]
fn a_list_is_its_steps_one_by_one_and_one_undo_takes_all_back() {
    let world = || {
        let world = world_with("approve = []");
        world.write("Crlf.md", "# One\r\n[[Plan#One]] #old\r\n");
        world.write("Archive/pic.png", [0x89, b'P', 0xff]);
        let card = r#"{"nodes":[{"id":"1","type":"file","file":"Archive/pic.png"}]}"#;
        world.write("x/y/Sheet.canvas", card);
        world
    };
    let mut random = Random::new(28);
    let mut made = BTreeMap::new();
    for _ in 0..24 {
        let (one_by_one, world) = (world(), world());
        let before = everything_below(&world.vault);
        let mut steps = Vec::new();
        let wanted = 2 + random.below(8);
        while steps.len() < wanted {
            let step = random_step(&mut random);
            let alone = Request::from_value(&step).unwrap();
            if call(&one_by_one, &alone).success {
                steps.push(step);
            }
        }
        let done = call(&world, &batch(&json!(steps)));
        if code(&done) == "USAGE_ERROR" {
            // Files that exchange their places.
            assert_eq!(everything_below(&world.vault), before);
            continue;
        }
        assert!(done.success, "{steps:#?} {done:?}");
        let expected = outside_trash(&one_by_one);
        assert_eq!(outside_trash(&world), expected, "{steps:#?}");
        let after = everything_below(&world.vault);
        assert!(undo(&world).success, "{steps:#?}");
        assert_eq!(everything_below(&world.vault), before, "{steps:#?}");
        assert!(world.person().redo(None, false).success, "{steps:#?}");
        assert_eq!(everything_below(&world.vault), after, "{steps:#?}");
        for step in steps {
            *made.entry(step["command"].to_string()).or_insert(0) += 1;
        }
    }
    assert!(made.len() > 18, "{made:?}");
}

#[test]
fn raw_lists_can_be_sent_as_text() {
    let world = world();
    let list = r#"[{"command":"append","params":{"path":"Log.md","content":"x"}}]"#;
    let request = Request {
        params: Params([("changes".to_owned(), RawValue::Text(list.to_owned()))].into()),
        ..Request::new("notes:change")
    };
    call(&world, &request).succeeds();
    assert_eq!(world.read("Log.md"), "first [[Plan]]\n\nx");
}

/// Every change to a file from this call on fails, as after the death of the process.
pub(crate) struct DeadFrom {
    call: usize,
    pub(crate) calls: AtomicUsize,
}

impl DeadFrom {
    pub(crate) fn call(call: usize) -> Arc<Self> {
        Arc::new(Self {
            call,
            calls: AtomicUsize::new(0),
        })
    }
}

impl Failpoints for DeadFrom {
    fn before(&self, _step: Step) -> io::Result<()> {
        if self.calls.fetch_add(1, Ordering::SeqCst) >= self.call {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}

#[test]
fn h11_steps_that_are_cut_off_at_any_write_are_taken_back_whole() {
    let changes = json!([
        {"command": "append", "params": {"path": "Plan.md", "content": "[[Log]]"}},
        step("move path=Plan.md to=Archive/Plan.md"),
        step("move path=Log.md to=Plan.md"),
        step("create path=New/Log.md content=new"),
        step("create path=Log.md content=new"),
    ]);
    let world = World::empty().set("allow_mutations = true");
    let reset = || {
        for (path, _) in files(&world) {
            fs_err::remove_file(world.vault.join(path)).unwrap();
        }
        for (path, text) in NOTES.iter().copied() {
            world.write(path, text);
        }
        // A folder that the steps would make.
        drop(fs_err::remove_dir(world.vault.join("New")));
    };
    reset();
    let before = files(&world);
    let counter = DeadFrom::call(usize::MAX);
    let whole = world.gateway().with_failpoints(counter.clone());
    whole.call(&batch(&changes)).succeeds();
    let after = files(&world);
    let calls = counter.calls.load(Ordering::SeqCst);
    assert!(calls > 20, "{calls}");
    let mut halves = 0;
    for call in 0..calls {
        reset();
        let cut_off = world.gateway().with_failpoints(DeadFrom::call(call));
        drop(cut_off.call(&batch(&changes)));
        halves += usize::from(files(&world) != before && files(&world) != after);
        let read = world.ask("read path=Home.md");
        assert!(read.success, "{call}: {read:?}");
        let found = files(&world);
        assert!(found == before || found == after, "{call}: {found:#?}");
        if found == before {
            assert!(!world.vault.join("New").exists(), "{call}");
        }
    }
    assert!(halves > 3, "{halves}");
}

#[test]
fn f17_steps_that_cannot_be_held_together_are_refused() {
    let world = world();
    world.write("large.md", "x".repeat(30 * 1024 * 1024));
    let before = world.read("large.md").len();
    let step = step("append path=large.md content=y");
    let refused = call(&world, &batch(&json!([step, step, step]))).fails_with("VALIDATION_ERROR");
    assert_eq!(detail(&refused, "step"), 3);
    assert_eq!(world.read("large.md").len(), before);
}

/// What is only planned comes into no answer and no cache.
#[test]
fn a_plan_changes_what_nothing_says_of_the_vault() {
    let world = world();
    let questions = "files|backlinks path=Plan.md|unresolved total|notes:search query=walrus";
    let answers = || {
        let answers = questions.split('|').map(|line| world.ask(line).data);
        answers.collect::<Vec<_>>()
    };
    let before = answers();
    let changes = json!([
        {"command": "append", "params": {"path": "Log.md", "content": "walrus [[Nowhere]]"}},
        step("move path=Plan.md to=Archive/Plan.md"),
        {"command": "create", "params": {"path": "b.md", "content": "walrus [[Plan]]"}},
        step("move file=b to=Archive"),
    ]);
    let dry = dry_run_of(batch(&changes));
    call(&world, &dry).succeeds();
    assert_eq!(answers(), before);
    call(&world, &batch(&changes)).succeeds();
    assert_ne!(answers(), before);
    undo(&world).succeeds();
    assert_eq!(answers(), before);
}

#[test]
fn the_command_line_takes_the_list_as_json() {
    let world = world();
    let list = json!([
        step("create path=a.md content=a"),
        step("append path=a.md content=b"),
        step("rename path=a.md name=c"),
    ]);
    let changes = format!("changes={list}");
    let planned = world.run(&["notes:change", &changes, "--dry-run"]);
    planned.ended(0);
    planned.shows("c.md");
    assert!(!world.vault.join("c.md").exists());
    let ran = world.run(&["notes:change", &changes]);
    ran.ended(0);
    ran.prints("Created: a.md\nAppended to: a.md\nRenamed: a.md -> c.md\n");
    assert_eq!(world.read("c.md"), "a\nb");
    let refused = world.run(&["notes:change", &changes, "-o", "json"]);
    assert_eq!(refused.json()["error"]["details"]["step"], 3);
    let again = world.run(&["notes:change", &changes]);
    assert_ne!(again.status, Some(0));
    again.reports("Step 3");
}
