//! `note:edit` from end to end (`design.md` §13): plan, change, journal, undo, path rules, and the
//! app beside it.

use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::gateway::{Answerer, Caller, Envelope, Options, Params, Request, Status};
use vault_gw::settings::BackendChoice;

use crate::support::{World, checked, code, detail};

const NOTE: &str = "\u{feff}---\r\ntags: [a]\r\n---\r\n# Plan\r\n- [ ] one\r\n\r\n# Log\r\nlast";

fn world() -> World {
    let world = World::empty().set("allow_mutations = true");
    world.write("n.md", NOTE);
    world
}

fn edits(path: &str, edits: Value) -> Request {
    let params = [
        ("path".to_owned(), json!(path).into()),
        ("edits".to_owned(), edits.into()),
    ];
    Request {
        params: Params(params.into()),
        ..Request::new("note:edit")
    }
}

fn call(world: &World, request: &Request) -> Envelope {
    checked(world.gateway().call(request))
}

#[test]
fn an_agent_edits_without_an_approval_and_undo_restores_every_byte() {
    let world = world();
    let list = json!([
        {"heading": "plan", "mode": "append", "content": "- [ ] two\n"},
        {"old": "last", "new": "new\nlast"},
    ]);
    let asked = edits("n.md", list);
    let planned = call(
        &world,
        &Request {
            dry_run: true,
            ..asked.clone()
        },
    );
    assert_eq!(planned.data["needsApproval"], false);
    assert_eq!(planned.data["effects"], json!(["write"]));
    let diff = planned.data["files"][0]["diff"].as_str().unwrap();
    assert!(
        diff.contains("+- [ ] two\r\n") && diff.contains("+new\r\n"),
        "{diff}"
    );
    assert_eq!(world.read("n.md"), NOTE);

    let done = call(&world, &asked);
    assert_eq!(done.status, Status::Ok, "{done:?}");
    let expected = NOTE
        .replace("one\r\n", "one\r\n- [ ] two\r\n")
        .replace("last", "new\r\nlast");
    assert_eq!(world.read("n.md"), expected);
    assert_eq!(done.stdout, "Edited: n.md (line 6, line 9)\n");
    assert_eq!(done.data["path"], "n.md");
    // What the caller has not read whole it gets no hash of.
    assert_eq!(done.meta.changes[0].sha256, None);
    assert_eq!(done.params["edits"], "<redacted>");

    let undone = world
        .gateway_with(Options::new(Caller::Person))
        .undo(None, false);
    assert!(undone.envelope.success, "{undone:?}");
    assert_eq!(world.read("n.md"), NOTE);
}

#[test]
fn f15_if_hash_is_compared_and_gives_the_new_hash() {
    let world = world();
    let hash = vault_gw_hash(&world, "n.md");
    let asked = Request {
        if_hash: Some(hash),
        ..edits("n.md", json!([{"old": "one", "new": "1"}]))
    };
    let done = call(&world, &asked);
    assert_eq!(
        done.meta.changes[0].sha256,
        Some(vault_gw_hash(&world, "n.md"))
    );
    let again = call(&world, &asked);
    assert_eq!(code(&again), "PRECONDITION_FAILED");
}

fn vault_gw_hash(world: &World, path: &str) -> String {
    let read = world.call("read", &[("path", path)]);
    read.data["sha256"].as_str().unwrap().to_owned()
}

#[test]
fn a_place_that_is_missing_or_not_the_only_one_is_told_with_its_lines() {
    let world = world();
    for (list, expected, candidates) in [
        (
            json!([{"old": "last", "new": "x"}, {"old": "onne", "new": "x"}]),
            "TARGET_NOT_FOUND",
            json!([{"line": 5, "text": "- [ ] one"}]),
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
    assert_eq!(code(&refused), "USAGE_ERROR");
    let message = refused.error.unwrap().message;
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
        let told = json!(refused).to_string();
        assert!(!told.contains("secret text"), "{told}");
    }
    assert_eq!(world.read("Private/p.md"), "secret text");
    let by_name = |file: &str| {
        world.call(
            "note:edit",
            &[("file", file), ("old", "secret"), ("new", "x")],
        )
    };
    let told = |file: &str| json!([by_name(file).error, by_name(file).status]);
    assert_eq!(told("p"), told("none"));

    // What may be read and not written is refused as such.
    let world = World::empty()
        .set("allow_mutations = true")
        .set("paths.write = [\"Open/**\"]");
    world.write("n.md", NOTE);
    let refused = call(&world, &edits("n.md", json!([{"old": "one", "new": "1"}])));
    assert_eq!(code(&refused), "PATH_DENIED");
    assert_eq!(world.read("n.md"), NOTE);
}

#[test]
fn the_engine_writes_beside_a_running_app() {
    let world = world().with_fake(&Scenario::logged());
    let list = json!([{"old": "one", "new": "1"}]);
    let done = call(&world, &edits("n.md", list.clone()));
    assert!(done.success, "{done:?}");
    assert_eq!(done.meta.backend, Answerer::Embedded);
    assert!(world.nothing_spawned());
    // The app reads the new text.
    let read = world.call("read", &[("path", "n.md")]);
    assert_eq!(read.meta.backend, Answerer::Obsidian);
    assert!(
        read.data["content"]
            .as_str()
            .unwrap()
            .contains("- [ ] 1\r\n")
    );
    let mut options = Options::new(Caller::Agent);
    options.backend = Some(BackendChoice::Obsidian);
    let refused = checked(world.gateway_with(options).call(&edits("n.md", list)));
    assert_eq!(code(&refused), "USAGE_ERROR");
}

#[test]
fn a_person_types_one_edit() {
    let world = world();
    let ran = world.run(&["note:edit", "file=n", "old=one", "new=1"]);
    assert_eq!(ran.text(), "Edited: n.md (line 5)\n", "{ran:?}");
    let ran = world.run(&[
        "note:edit",
        "file=n",
        "heading=Log",
        "mode=append",
        "content=end",
    ]);
    assert_eq!(ran.text(), "Edited: n.md (line 9)\n", "{ran:?}");
    assert!(world.read("n.md").ends_with("last\r\nend"));
    let ran = world.run(&[
        "note:edit",
        "file=n",
        r#"edits=[{"lines":"8-9","content":""}]"#,
    ]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(world.read("n.md").ends_with("# Log\r\n"));
    let ran = world.run(&["note:edit", "file=n", "edits={}"]);
    assert_eq!(ran.status, Some(64));
    let ran = world.run(&["note:edit", "file=n", "old=nowhere", "new=x"]);
    assert_eq!(ran.status, Some(65));
    assert!(ran.stderr.contains("does not stand in the note"), "{ran:?}");
}

fn undo(world: &World) -> Envelope {
    world
        .gateway_with(Options::new(Caller::Person))
        .undo(None, false)
        .envelope
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
    let done = world.call("tag:rename", &[("tag", "work"), ("to", "job")]);
    assert_eq!(
        done.stdout, "#job: 2 notes changed\na.md\nb.md\n",
        "{done:?}"
    );
    assert_eq!(
        world.read("a.md"),
        "---\ntags: [job, x]\n---\n#job/home\r\n`#work`"
    );
    assert!(undo(&world).success);
    for (path, text) in notes {
        assert_eq!(world.read(path), text);
    }
}

#[test]
fn d13_tags_of_closed_notes_are_not_changed_and_not_told() {
    let world = World::empty()
        .set("allow_mutations = true")
        .set("paths.deny = [\"Private/**\"]");
    world.write("a.md", "#work");
    world.write("b.md", "#work");
    world.write("Private/p.md", "#work");
    // Half a vault with the old tag is nothing that its owner asked for.
    let refused = world.call("tag:rename", &[("tag", "work"), ("to", "job")]);
    assert_eq!(code(&refused), "PATH_DENIED");
    assert_eq!(detail(&refused, "reason"), "whole-vault");
    let add = |paths: Value| world.call("tag:add", &[("tag", "x"), ("paths", &paths.to_string())]);
    for closed in ["Private/p.md", "Private/none.md"] {
        let refused = add(json!(["a.md", closed]));
        assert_eq!(code(&refused), "PATH_DENIED", "{closed}");
    }
    assert_eq!(world.read("a.md"), "#work");
    let done = add(json!(["a.md", "b.md"]));
    assert_eq!(done.data["changed"], 2, "{done:?}");
    assert_eq!(world.read("Private/p.md"), "#work");
    // What may be read and not written is refused, and so is all of the call.
    let world = World::empty()
        .set("allow_mutations = true")
        .set("paths.write = [\"Open/**\"]");
    world.write("Open/a.md", "text");
    world.write("b.md", "text");
    let paths = json!(["Open/a.md", "b.md"]).to_string();
    let refused = world.call("tag:add", &[("tag", "x"), ("paths", &paths)]);
    assert_eq!(code(&refused), "PATH_DENIED");
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
    assert_eq!(done.data["changed"], 4, "{done:?}");
    assert!(undo(&world).success);
    assert_eq!(world.read("1.md"), "text");
    let change = |command: &str, value: &str| {
        world.call(
            command,
            &[("path", "5.md"), ("name", "aliases"), ("value", value)],
        )
    };
    assert!(change("property:drop", "Old").success);
    let done = change("property:add", "New");
    assert_eq!(done.stdout, "Changed: 5.md: aliases: Other, New\n");
    assert_eq!(
        world.read("5.md"),
        "---\naliases: [Other, New]\ntags: [Idea]\n---\n"
    );
    assert!(change("property:add", "New").meta.changes.is_empty());
}
