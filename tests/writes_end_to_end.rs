//! Writes from end to end: planned, done, told, taken back, on both backends (`design/writes.md`).

use fake_obsidian::scenario::{Action, Rule, Scenario};
use serde_json::{Value, json};
use vault_gw::gateway::{Caller, Envelope, Gateway, Options, Request, Status};

use crate::support::{
    NOW, Outcome as _, World, asked, checked, code, detail, dry_run_of, everything_below, finish,
    lacks, request, warnings,
};

const CASES: &str = include_str!("data/writes_end_to_end.txt");

/// The fixture vault with writes open, answered by the engine.
fn embedded() -> World {
    World::with_fixture_vault().set("backend = \"embedded\"\nallow_mutations = true")
}

/// The same, answered by the official program.
fn official() -> World {
    let now = Some(NOW.parse().unwrap());
    World::with_fixture_vault()
        .with_fake(&Scenario {
            now,
            ..Scenario::default()
        })
        .set("backend = \"obsidian\"\nallow_mutations = true")
}

fn person(world: &World) -> Gateway {
    world.person()
}

fn plan(world: &World, line: &str) -> Envelope {
    let question = dry_run_of(asked(line));
    checked(world.gateway().call(&question))
}

fn data(world: &World, line: &str) -> Value {
    json!(world.ask(line).data)
}

#[test]
fn a_rename_keeps_every_link_and_undo_restores_the_everything_below() {
    let world = embedded();
    let before = everything_below(&world.vault);
    let (old, new) = ("Projects/Garden/Garden.md", "Projects/Garden/Allotment.md");
    let counts = |path| data(&world, &format!("backlinks path={path} counts"))["items"].clone();
    let unresolved = || data(&world, "unresolved counts verbose");
    let (links, dangling) = (counts(old), unresolved());
    assert!(!links.as_array().unwrap().is_empty());

    let planned = plan(&world, &format!("rename path={old} name=Allotment"));
    // A plan changes nothing.
    assert_eq!(everything_below(&world.vault), before);
    let done = world.ask(&format!("rename path={old} name=Allotment"));
    assert_eq!(done.status, Status::Ok, "{done:?}");
    assert_eq!(counts(new), links);
    assert_eq!(unresolved(), dangling);

    // Nothing else changed by a byte: exactly what the plan named.
    let after = everything_below(&world.vault);
    let mut touched: Vec<&String> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    touched.sort();
    touched.dedup();
    let mut named: Vec<&str> = planned.data.as_map()["files"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|file| [file["path"].as_str(), file["from"].as_str()])
        .flatten()
        .collect();
    named.sort_unstable();
    assert_eq!(touched, named);

    let undone = checked(person(&world).undo(None, false)).succeeds();
    assert_eq!(everything_below(&world.vault), before);
    // Redo, by undoing the undo.
    checked(person(&world).undo(Some(&undone.run_id.into()), false)).succeeds();
    assert_eq!(everything_below(&world.vault), after);
}

#[test]
fn each_kind_of_write_is_one_line_of_difference() {
    let world = embedded();
    world.write("crlf.md", "one\r\ntwo");
    world.write(
        "odd.md",
        "---\n# head\nbase: &anchor  [a,  b]\n\nstatus:   'open'   # why\nother: *anchor\n---\nText\n",
    );
    world.write("call.md", "> [!todo] List\n> - [ ] One\n> - [x] Two\n");
    for [line, expected] in tables::section(CASES, "each kind of write is one line") {
        let planned = plan(&world, line).succeeds();
        let diff = planned.data.as_map()["files"][0]["diff"].as_str().unwrap();
        assert!(diff.contains(expected), "{line}: {diff}");
        assert_eq!(planned.data.as_map()["files"].as_array().unwrap().len(), 1);
        let done = world.ask(line).succeeds();
        let hash = &planned.data.as_map()["files"][0]["sha256"];
        assert_eq!(json!(done.meta.changes[0].sha256), *hash);
    }
    assert_eq!(world.read("crlf.md"), "one\r\ntwo\r\nthree");
}

#[test]
fn the_next_instance_of_a_recurring_task_is_written_by_the_engine() {
    let line = "- [ ] Water the plants 🔁 every week 📅 2026-01-05\n";
    let done = [("path", "r.md"), ("text", "Water"), ("done", "true")];
    let by_line = [("path", "r.md"), ("line", "1"), ("done", "true")];
    let world_of = |backend: &str| {
        let now = Some(NOW.parse().unwrap());
        let scenario = Scenario {
            now,
            ..Scenario::default()
        };
        let world = World::with_fixture_vault()
            .with_fake(&scenario)
            .set("allow_mutations = true")
            .set(&format!("backend = \"{backend}\""));
        world.write("r.md", line);
        world
    };
    let today = &NOW[..10];
    let expected = format!(
        "- [ ] Water the plants 🔁 every week 📅 2026-01-12\n- [x] Water the plants 🔁 every week 📅 2026-01-05 ✅ {today}\n"
    );
    let world = world_of("auto");
    for params in [&by_line, &done] {
        let written = world.call("task", params).succeeds();
        assert_eq!(json!(written.meta.backend), "embedded");
        assert_eq!(world.read("r.md"), expected);
        checked(person(&world).undo(None, false)).succeeds();
        assert_eq!(world.read("r.md"), line);
    }
    // The app would only mark it.
    let world = world_of("obsidian");
    world.call("task", &by_line).fails_with("USAGE_ERROR");
    assert_eq!(world.read("r.md"), line);
}

/// A person's word, at the time that the tests believe it is.
fn grant(world: &World, id: &str) {
    let now: jiff::Zoned = NOW.parse().unwrap();
    let approvals = person(world).approvals().store().unwrap();
    approvals
        .grant(
            id,
            vault_gw::tiers::ApprovalChannel::Terminal,
            now.timestamp(),
        )
        .unwrap();
}

/// What two backends may differ in: who answered, and where the vault is, which counts in a plan.
fn comparable(envelope: &Envelope) -> Value {
    let mut envelope = json!(envelope);
    for key in ["durationMs", "runId"] {
        envelope[key] = Value::Null;
    }
    // What is wrong with other notes only the engine says (docs/backends.md).
    envelope["warnings"]
        .as_array_mut()
        .unwrap()
        .retain(|warning| warning["code"] != "INVALID_FRONTMATTER");
    crate::support::name_no_absent_warnings(&mut envelope);
    let meta = envelope["meta"].as_object_mut().unwrap();
    for key in "backend backendReason confinement process journal".split(' ') {
        meta.remove(key);
    }
    let data = envelope["data"].as_object_mut().unwrap();
    for key in ["backend", "processes", "undone", "planHash"] {
        data.remove(key);
    }
    if let Some(details) = envelope.pointer_mut("/error/details") {
        for key in ["approval", "planHash"] {
            details[key] = Value::Null;
        }
    }
    envelope
}

#[test]
fn writes_plans_approvals_and_undo_are_the_same_through_the_app() {
    let worlds = [embedded(), official()];
    let on_both = |ask: &dyn Fn(&World) -> Envelope| {
        let [embedded, official] = worlds.each_ref().map(ask);
        assert_eq!(comparable(&embedded), comparable(&official));
        let [one, other] = worlds
            .each_ref()
            .map(|world| everything_below(&world.vault));
        assert_eq!(one, other);
        [embedded, official]
    };
    for line in tables::lines(CASES, "writes plans approvals and undo") {
        on_both(&|world| plan(world, line));
        let start = everything_below(&worlds[0].vault);
        let [done, _] = on_both(&|world| world.ask(line));
        if done.success {
            on_both(&|world| checked(person(world).undo(None, false)));
            assert_eq!(everything_below(&worlds[0].vault), start, "{line}");
            assert_eq!(everything_below(&worlds[1].vault), start, "{line}");
        }
    }
    // A delete needs a person's word for this very plan.
    let delete = asked("delete path=Reading/Orphan.md permanent");
    let [asked, _] = on_both(&|world| checked(world.gateway().call(&delete)));
    assert_eq!(code(&asked), "APPROVAL_REQUIRED");
    assert_eq!(asked.status, Status::Refused);
    // Who approves sees the hash that the caller and a dry run were told.
    for world in &worlds {
        let shown = detail(&checked(world.gateway().call(&delete)), "planHash");
        let now: jiff::Zoned = NOW.parse().unwrap();
        let approvals = person(world).approvals().store().unwrap();
        let pending = approvals.pending(now.timestamp()).unwrap();
        let is_shown = pending.iter().all(|one| shown == one.shown_hash());
        assert!(is_shown, "{pending:?}");
        let planned = plan(world, "delete path=Reading/Orphan.md permanent");
        assert_eq!(planned.data.as_map()["planHash"], shown);
    }
    let start = everything_below(&worlds[0].vault);
    on_both(&|world| {
        let asked = checked(world.gateway().call(&delete));
        let id = detail(&asked, "approval");
        let id = id.as_str().unwrap();
        grant(world, id);
        let approved = Request {
            approval: Some(id.to_owned()),
            ..delete.clone()
        };
        let done = checked(world.gateway().call(&approved)).succeeds();
        assert!(!world.vault.join("Reading/Orphan.md").exists());
        // Single use.
        world.write("Reading/Orphan.md", "again");
        checked(world.gateway().call(&approved)).fails_with("APPROVAL_REQUIRED");
        fs_err::remove_file(world.vault.join("Reading/Orphan.md")).unwrap();
        done
    });
    on_both(&|world| checked(person(world).undo(None, false)));
    assert_eq!(everything_below(&worlds[0].vault), start);
    for world in &worlds {
        world.run(&["audit", "verify"]).ended(0);
    }
}

#[test]
fn i14_a_changed_note_or_parameter_voids_an_approval() {
    let world = embedded();
    let delete = asked("delete path=Reading/Orphan.md");
    let refused = checked(world.gateway().call(&delete));
    let id = detail(&refused, "approval").as_str().unwrap().to_owned();
    grant(&world, &id);
    let other = Request {
        approval: Some(id.clone()),
        ..asked("delete path=Reading/Empty.md")
    };
    checked(world.gateway().call(&other)).fails_with("APPROVAL_REQUIRED");
    world.write("Reading/Orphan.md", "Changed after the approval.");
    let made_up = Request {
        approval: Some("MADE-UP1".to_owned()),
        ..delete.clone()
    };
    let refused = checked(world.gateway().call(&made_up)).fails_with("APPROVAL_REQUIRED");
    assert_eq!(detail(&refused, "reason"), "unknown");
    let approved = Request {
        approval: Some(id),
        ..delete
    };
    let refused = checked(world.gateway().call(&approved)).fails_with("APPROVAL_REQUIRED");
    assert_eq!(detail(&refused, "reason"), "plan-changed");
    let changed = "Changed after the approval.";
    assert_eq!(world.read("Reading/Orphan.md"), changed);
    assert!(world.vault.join("Reading/Empty.md").exists());
}

#[test]
fn what_a_command_keeps_in_the_vaults_settings_is_put_back_too() {
    let world = embedded();
    let start = everything_below(&world.vault);
    for line in [
        "property:set path=Home.md name=rank value=5 type=number",
        "bookmark file=Home.md",
        "delete path=Reading/Orphan.md",
    ] {
        let gateway = world.approving();
        checked(gateway.call(&asked(line))).succeeds();
        assert_ne!(everything_below(&world.vault), start, "{line}");
        checked(gateway.undo(None, false)).succeeds();
        assert_eq!(everything_below(&world.vault), start, "{line}");
    }
}

/// The sample vault with its configuration folder under another name.
fn with_renamed_settings() -> World {
    let world = embedded();
    let folder = |name: &str| world.vault.join(name);
    fs_err::rename(folder(".obsidian"), folder(".obs-work")).unwrap();
    world
}

#[test]
fn d18_a_configuration_folder_with_another_name_is_used_and_closed() {
    let world = with_renamed_settings();
    let start = everything_below(&world.vault);
    for line in tables::lines(CASES, "d18 a configuration folder") {
        let refused = world.ask(line);
        assert!(!refused.success, "{line}: {refused:?}");
        assert_eq!(everything_below(&world.vault), start, "{line}");
    }
    for line in [
        "files",
        "folders",
        "search query=attachmentFolderPath",
        "vault:audit",
    ] {
        let shown = world.ask(line);
        lacks(&shown.succeeds().to_json(), &[".obs-work"]);
    }
    // The settings in it apply, and the commands that keep something in it can be undone.
    let daily = world.ask("daily:append content=x");
    let warnings = &daily.warnings;
    assert!(daily.success && warnings.is_empty(), "{daily:?}");
    let made: Vec<String> = everything_below(&world.vault).into_keys().collect();
    let made: Vec<&String> = made
        .iter()
        .filter(|path| !start.contains_key(*path))
        .collect();
    let mut paths = made.iter();
    assert!(paths.all(|path| path.starts_with("Daily/")), "{made:?}");
    assert_eq!(made.len(), 1);
    checked(person(&world).undo(None, false)).succeeds();
    world.ask("bookmark file=Home.md").succeeds();
    assert!(!world.vault.join(".obsidian").exists());
    checked(person(&world).undo(None, false)).succeeds();
    assert_eq!(everything_below(&world.vault), start);
}

#[test]
fn d18_of_several_configuration_folders_the_owner_chooses() {
    let world = with_renamed_settings();
    world.write(".obsidian/app.json", "{}");
    let start = everything_below(&world.vault);
    let refused = world.ask("daily:append content=x");
    let refused = refused.fails_with("CONFIG_INVALID");
    assert!(refused.to_json().contains("config_folder"), "{refused:?}");
    assert_eq!(everything_below(&world.vault), start);
    let read = world.ask("daily:path");
    assert_eq!(read.warnings[0].code, "CONFIG_FOLDER_UNCLEAR", "{read:?}");
    let world = world.set("config_folder = \".obs-work\"");
    world.ask("daily:append content=x").succeeds();
    assert_ne!(everything_below(&world.vault), start);
}

#[test]
fn d18_without_a_configuration_folder_the_answer_says_that_defaults_are_used() {
    let world = embedded();
    fs_err::remove_dir_all(world.vault.join(".obsidian")).unwrap();
    let daily = world.ask("daily:append content=x").succeeds();
    assert_eq!(daily.warnings[0].code, "CONFIG_FOLDER_MISSING", "{daily:?}");
    let other = world.ask("append path=Home.md content=x");
    assert!(other.success && other.warnings.is_empty(), "{other:?}");
}

#[test]
fn d19_settings_that_cannot_be_used_stop_an_agent_and_warn_a_person() {
    let world = embedded();
    world.write(".obsidian/daily-notes.json", "{\"folder\":");
    let start = everything_below(&world.vault);
    let refused = world.ask("daily:append content=x");
    refused.fails_with("CONFIG_INVALID");
    assert_eq!(everything_below(&world.vault), start);
    let gateway = world.gateway_with(Options::new(Caller::Person));
    let done = checked(gateway.call(&request("daily:append", &[("content", "x")]))).succeeds();
    assert_eq!(done.warnings[0].code, "CONFIG_IGNORED", "{done:?}");
}

#[test]
fn undo_after_an_edit_touches_nothing() {
    let world = embedded();
    world.ask("append path=Home.md content=More.").succeeds();
    world.write("Home.md", "edited since");
    let start = everything_below(&world.vault);
    checked(person(&world).undo(None, false)).fails_with("PRECONDITION_FAILED");
    assert_eq!(everything_below(&world.vault), start);
}

#[test]
fn every_write_takes_the_hash_of_what_was_read() {
    let world = embedded();
    let read = world.ask("read path=Home.md");
    let hash = read.data.as_map()["sha256"].as_str().unwrap().to_owned();
    let conditional = |hash: &str| Request {
        if_hash: Some(hash.to_owned()),
        ..asked("append path=Home.md content=x")
    };
    let done = checked(world.gateway().call(&conditional(&hash))).succeeds();
    let before = done.meta.changes[0].before_sha256.as_ref();
    assert_eq!(before, Some(&hash));
    checked(world.gateway().call(&conditional(&hash))).fails_with("PRECONDITION_FAILED");
    let fresh = done.meta.changes[0].sha256.clone().unwrap();
    checked(world.gateway().call(&conditional(&fresh))).succeeds();
}

#[test]
fn a_note_that_is_not_utf8_is_not_changed_but_by_links_that_follow() {
    let latin: &[u8] = b"---\nk: v\n---\ncaf\xe9 [[Home]]\n- [ ] t\n";
    for world in [embedded(), official()] {
        fs_err::write(world.vault.join("latin.md"), latin).unwrap();
        let start = everything_below(&world.vault);
        for line in tables::lines(CASES, "a note that is not utf8 is not changed") {
            for envelope in [plan(&world, line), world.ask(line)] {
                assert_eq!(code(&envelope), "UNREPRESENTABLE_CONTENT", "{envelope:#?}");
                assert_eq!(detail(&envelope, "path"), "latin.md");
                assert_eq!(everything_below(&world.vault), start, "{line}");
            }
        }
    }
    let world = embedded();
    fs_err::write(world.vault.join("latin.md"), latin).unwrap();
    world.ask("rename path=Home.md name=House").succeeds();
    let followed = fs_err::read(world.vault.join("latin.md")).unwrap();
    assert_eq!(followed, b"---\nk: v\n---\ncaf\xe9 [[House]]\n- [ ] t\n");
    // What is written over is not added to.
    let params = [
        ("path", "latin.md"),
        ("content", "new"),
        ("overwrite", "true"),
    ];
    checked(world.approving().call(&request("create", &params))).succeeds();
    assert_eq!(world.read("latin.md"), "new");
}

#[test]
fn writing_over_a_note_takes_the_hash_of_what_was_read() {
    let world = embedded();
    let gateway = world.approving();
    let read = world.ask("read path=Home.md");
    let hash = read.data.as_map()["sha256"].as_str().unwrap();
    let written_over = |path: &str| {
        let params = [("path", path), ("content", "x"), ("overwrite", "true")];
        checked(gateway.call(&Request {
            if_hash: Some(hash.to_owned()),
            ..request("create", &params)
        }))
    };
    let start = everything_below(&world.vault);
    written_over("None.md").fails_with("PRECONDITION_FAILED");
    assert_eq!(everything_below(&world.vault), start);
    written_over("Home.md").succeeds();
    written_over("Home.md").fails_with("PRECONDITION_FAILED");
    assert_eq!(world.read("Home.md"), "x");
}

#[test]
fn two_processes_lose_no_line() {
    const EACH: usize = 500;
    let world =
        World::empty().set("enabled = true\nbackend = \"embedded\"\nallow_mutations = true");
    world.write("log.md", "");
    world.write_settings();
    let children: Vec<_> = ["a", "b"]
        .map(|name| {
            let input: String = (0..EACH)
                .map(|number| {
                    let line = json!({
                        "command": "append",
                        "params": {"path": "log.md", "content": format!("{name}{number}")},
                    });
                    format!("{line}\n")
                })
                .collect();
            let mut command = world.program();
            command.arg("call");
            std::thread::spawn(move || finish(command, input.as_bytes()))
        })
        .into_iter()
        .map(|child| child.join().unwrap())
        .collect();
    for child in children {
        let answers = child.lines();
        assert_eq!(answers.len(), EACH);
        for answer in answers {
            assert_eq!(answer["success"], true, "{answer}");
        }
    }
    let text = world.read("log.md");
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    let mut expected: Vec<String> = ["a", "b"]
        .iter()
        .flat_map(|name| (0..EACH).map(move |number| format!("{name}{number}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
    world.run(&["audit", "verify"]).ended(0);
}

#[test]
fn h08_where_nothing_can_be_recorded_nothing_is_changed_and_reads_go_by_setting() {
    let world = embedded();
    let start = everything_below(&world.vault);
    // A file stands where the folder for records would be made.
    let state = world.home.state();
    fs_err::remove_dir_all(&state).unwrap();
    fs_err::write(&state, "").unwrap();
    let refused = world.ask("append path=Home.md content=x");
    assert!(!refused.success, "{refused:?}");
    assert_eq!(everything_below(&world.vault), start);
    let read = world.ask("read path=Home.md").succeeds();
    // No journal can be read here either, so nothing is known of runs that were cut off (H11).
    assert_eq!(warnings(&read), ["AUDIT_UNWRITABLE", "RUN_INTERRUPTED"]);
    let world = world.with_tables("[audit]\nrequired_for_reads = true");
    let withheld = world.ask("read path=Home.md");
    assert!(!withheld.success && withheld.data.is_empty() && withheld.stdout.is_empty());
    assert_eq!(everything_below(&world.vault), start);
}

#[test]
fn records_that_a_note_could_replace_are_refused_also_for_reads() {
    let mut world = embedded();
    fs_err::create_dir_all(world.home.state()).unwrap();
    world.settings = format!("vault = \"{}\"\n", world.home.state().display());
    world.ask("files").fails_with("CONFIG_INVALID");
}

#[test]
fn path_rules_hold_for_the_links_that_a_rename_would_change() {
    let world = embedded().with_tables("[paths]\nwrite = [\"Projects/Garden/**\"]");
    let start = everything_below(&world.vault);
    let renamed = world.ask("rename path=Projects/Garden/Garden.md name=Allotment");
    renamed.fails_with("PATH_DENIED");
    assert_eq!(everything_below(&world.vault), start);
}

#[test]
fn what_the_app_changed_beyond_the_plan_is_reported() {
    let append = [("path", "Home.md"), ("content", "More.")];
    let mut world = official();
    let plain = world.call("append", &append).succeeds();
    assert_eq!(warnings(&plain), Vec::<&str>::new());
    let other = world.vault.join("Reading/Orphan.md");
    world.install(&Scenario {
        now: Some(NOW.parse().unwrap()),
        rules: vec![Rule {
            command: "append".to_owned(),
            times: None,
            actions: vec![Action::WriteFile {
                path: other,
                text: "A plugin was here.".to_owned(),
            }],
        }],
        ..Scenario::default()
    });
    let done = world.call("append", &append).succeeds();
    assert_eq!(warnings(&done), ["CHANGED_BEYOND_PLAN"]);
    let files = done.meta.changes.iter();
    let changed: Vec<&str> = files.map(|file| file.path.as_str()).collect();
    assert_eq!(changed, ["Home.md", "Reading/Orphan.md"]);
}
