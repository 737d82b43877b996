//! Notes that are closed by a tag or a property, one question at a time.

use fake_obsidian::scenario::Scenario;
use serde_json::json;
use vault_gw::gateway::{Answerer, Caller, Envelope, Gateway, Options, Request};

use super::{OPEN, reported};
use crate::support::{Outcome as _, World, asked, code, request};

const RULES: &str = "[paths]\ndeny_tags = [\"private\"]\ndeny_properties = [\"confidential\"]";

fn world() -> World {
    let world = World::empty().set(OPEN).with_tables(RULES);
    world.write("Open.md", "[[Diary]] open\n");
    world
}

fn call(gateway: &Gateway, command: &str, params: &[(&str, &str)]) -> Envelope {
    gateway.call(&request(command, params))
}

/// Calls on one note that need it to be there.
fn on(path: &str) -> Vec<Request> {
    let name = path.trim_end_matches(".md");
    vec![
        request("read", &[("path", path)]),
        request("read", &[("file", name)]),
        request("file", &[("path", path)]),
        request("outline", &[("path", path)]),
        request("properties", &[("path", path)]),
        request("tags", &[("path", path)]),
        request("links", &[("path", path)]),
        request("backlinks", &[("path", path)]),
        request("search", &[("query", "word"), ("path", path)]),
        request("append", &[("path", path), ("content", "x")]),
        request("prepend", &[("path", path), ("content", "x")]),
        request(
            "property:set",
            &[("path", path), ("name", "a"), ("value", "b")],
        ),
        request(
            "property:remove",
            &[("path", path), ("name", "confidential")],
        ),
        request("move", &[("path", path), ("to", "Elsewhere.md")]),
        request("rename", &[("path", path), ("name", "Elsewhere")]),
        request("delete", &[("path", path)]),
        request("tag:drop", &[("path", path), ("tag", "private")]),
        request(
            "note:edit",
            &[("path", path), ("old", "word"), ("new", "x")],
        ),
    ]
}

#[test]
fn d16_no_call_finds_changes_or_opens_a_closed_note() {
    let world = world();
    let gateway = world.gateway();
    let ask = || -> Vec<String> {
        let calls = on("Diary.md");
        calls
            .iter()
            .map(|call| reported(&gateway.call(call)))
            .collect()
    };
    let absent = ask();
    for text in [
        "word #private\n",
        "---\ntags: [Private/diary]\n---\nword\n",
        "---\nconfidential: true\n---\nword\n",
    ] {
        world.write("Diary.md", text);
        assert_eq!(absent, ask(), "{text}");
        assert_eq!(world.read("Diary.md"), text);
    }
}

#[test]
fn d16_nothing_is_put_in_the_place_of_a_closed_note() {
    let world = world();
    world.write("Diary.md", "word #private\n");
    let gateway = world.gateway();
    let step = r#"[{"command":"create","params":{"path":"Diary.md","content":"x"}}]"#;
    for line in [
        "create path=Diary.md content=x",
        "create path=Diary.md content=x overwrite",
        "move path=Open.md to=Diary.md",
        "rename path=Open.md name=Diary",
        &format!("notes:change changes='{step}'"),
    ] {
        for dry_run in [true, false] {
            let request = Request {
                dry_run,
                ..asked(line)
            };
            let envelope = gateway.call(&request).fails_with("FILE_EXISTS");
            assert!(!envelope.to_json().contains("word"), "{envelope:#?}");
        }
        assert_eq!(world.read("Diary.md"), "word #private\n");
        assert_eq!(world.read("Open.md"), "[[Diary]] open\n");
    }
}

/// Nothing can be put in its place, so a call shows that the name is taken. Nothing else: not whether the note is open.
#[test]
fn d16_a_name_is_taken_in_the_same_way_by_an_open_and_a_closed_note() {
    let step = r#"[{"command":"create","params":{"path":"Diary.md","content":"x"}}]"#;
    let move_step = r#"[{"command":"move","params":{"path":"Open.md","to":"diary.md"}}]"#;
    for line in [
        "create path=Diary.md content=x",
        "create path=diary.md content=x",
        "create path=diary.md content=x overwrite",
        "create name=Diary content=x",
        "create path=Diary.md content=x number",
        "create path=Diary.md/x.md content=x",
        "move path=Open.md to=Diary.md",
        "move path=Open.md to=DIARY.md",
        "rename path=Open.md name=diary",
        &format!("notes:change changes='{step}'"),
        &format!("notes:change changes='{move_step}'"),
    ] {
        for dry_run in [true, false] {
            let call = Request {
                dry_run,
                ..asked(line)
            };
            let world = world();
            let [open, closed] = ["word #public\n", "word #private\n"].map(|text| {
                world.write("Diary.md", text);
                let envelope = world.gateway().call(&call);
                assert_eq!(world.read("Diary.md"), text, "{envelope:#?}");
                let numbered = fs_err::remove_file(world.vault.join("Diary 1.md"));
                let is_numbered = !dry_run && call.params.0.contains_key("number");
                assert_eq!(numbered.is_ok(), is_numbered, "{envelope:#?}");
                reported(&envelope)
            });
            assert_eq!(open, closed, "{call:?}");
        }
    }
}

#[test]
fn d16_the_type_of_a_property_in_the_whole_vault_stays_as_it_is() {
    let types = "{\"types\":{\"due\":\"date\"}}";
    let step =
        r#"[{"command":"property:set","params":{"path":"Open.md","name":"due","value":["a"]}}]"#;
    for rules in [
        "write = [\"Open.md\"]",
        "deny = [\"Private/**\"]",
        "deny_tags = [\"private\"]",
    ] {
        for line in [
            r#"property:set path=Open.md name=due value='["a"]'"#,
            "property:set path=Open.md name=rank value=2 type=number",
            &format!("notes:change changes='{step}'"),
        ] {
            // The app runs, but would write the type.
            let world = World::empty()
                .with_fake(&Scenario::logged())
                .set("allow_mutations = true\nenabled = true")
                .with_tables(&format!("[paths]\n{rules}"));
            world.write("Open.md", "text\n");
            world.write(".obsidian/types.json", types);
            let done = world.ask(line).succeeds();
            assert_eq!(done.meta.backend, Answerer::Embedded, "{done:#?}");
            assert!(world.nothing_spawned());
            assert!(world.read("Open.md").starts_with("---\n"), "{done:#?}");
            assert_eq!(
                world.read(".obsidian/types.json"),
                types,
                "{rules}: {done:#?}"
            );
        }
    }
}

#[test]
fn d16_an_agent_closes_a_note_and_does_not_open_it_again() {
    let closing = [
        asked("append path=Note.md content='#private'"),
        asked("property:set path=Note.md name=confidential value"),
        asked("tag:add path=Note.md tag=private/x"),
    ];
    for change in closing {
        let world = world();
        world.write("Note.md", "text\n");
        let gateway = world.gateway();
        gateway.call(&change).succeeds();
        let after = world.read("Note.md");
        assert_ne!(after, "text\n");
        let missing = call(&gateway, "read", &[("path", "Gone.md")]);
        let read = call(&gateway, "read", &[("path", "Note.md")]);
        assert_eq!(code(&read), code(&missing), "{read:#?}");
        let undone = gateway.undo(None, false).fails_with("PATH_DENIED");
        assert!(!undone.to_json().contains("Note.md"), "{undone:#?}");
        for call in on("Note.md") {
            drop(gateway.call(&call));
        }
        assert_eq!(world.read("Note.md"), after);
        // The owner opens it.
        world.write("Note.md", "text #public\n");
        call(&gateway, "read", &[("path", "Note.md")]).succeeds();
    }
}

#[test]
fn d16_a_step_that_closes_a_note_closes_it_to_the_steps_after_it() {
    let world = world();
    world.write("Note.md", "text\n");
    let append = |content: &str| json!({"command": "append", "params": {"path": "Note.md", "content": content}});
    let steps = json!([append("#private"), append("more")]).to_string();
    let envelope = call(&world.gateway(), "notes:change", &[("changes", &steps)]);
    assert!(!envelope.success, "{envelope:#?}");
    assert_eq!(world.read("Note.md"), "text\n");
}

#[test]
fn d16_a_daily_note_and_a_template_are_closed_as_any_note_is() {
    let world = world();
    world.write(".obsidian/daily-notes.json", "{\"template\":\"Day\"}");
    world.write(".obsidian/templates.json", "{\"folder\":\"T\"}");
    world.write("Day.md", "made from a word #private\n");
    world.write("T/Form.md", "---\nconfidential: yes\n---\nword\n");
    let gateway = world.gateway();
    let templates = call(&gateway, "templates", &[]);
    assert!(!templates.to_json().contains("Form"), "{templates:#?}");
    for call in [
        asked("template:read name=Form"),
        asked("create path=New.md template=Form"),
        asked("daily:append content=line"),
        asked("daily:read"),
    ] {
        let envelope = gateway.call(&call);
        assert!(!envelope.to_json().contains("word"), "{envelope:#?}");
    }
    let today = "2026-03-14.md";
    world.write(today, "word #private\n");
    let read = call(&gateway, "daily:read", &[]);
    assert!(
        !read.success && !read.to_json().contains("word"),
        "{read:#?}"
    );
    call(&gateway, "daily:append", &[("content", "line")]).fails_with("PATH_DENIED");
    assert_eq!(world.read(today), "word #private\n");
}

#[test]
fn d16_a_folder_is_not_moved_because_it_may_hold_a_closed_note() {
    let shown = |closed: bool| {
        let world = world();
        world.write("F/Open.md", "text\n");
        if closed {
            world.write("F/Diary.md", "#private\n");
        }
        let envelope = call(
            &world.gateway(),
            "folder:move",
            &[("path", "F"), ("to", "G")],
        )
        .fails_with("PATH_DENIED");
        let needs = &envelope.error.as_ref().unwrap().details["needs"];
        assert_eq!(*needs, json!(["paths.deny_tags"]));
        reported(&envelope)
    };
    assert_eq!(shown(true), shown(false));
}

#[test]
fn d16_links_in_closed_notes_follow_a_move_unseen() {
    let world = world();
    world.write("Old.md", "text\n");
    world.write("Diary.md", "about [[Old]] #private\n");
    let gateway = world.gateway();
    let envelope = call(&gateway, "rename", &[("path", "Old.md"), ("name", "New")]).succeeds();
    assert!(!envelope.to_json().contains("Diary"), "{envelope:#?}");
    assert_eq!(world.read("Diary.md"), "about [[New]] #private\n");
}

#[test]
fn d16_the_rules_of_an_agent_hold_for_it_and_not_for_its_owner() {
    let world = World::empty().with_tables(
        "[paths]\ndeny_tags = [\"a\"]\n[agents.helper]\npaths.deny_tags = [\"b\"]\npaths.deny_properties = [\"c\"]",
    );
    for (name, text) in [
        ("A", "#a"),
        ("B", "#b"),
        ("C", "---\nc: 1\n---\n"),
        ("D", "#d"),
    ] {
        world.write(&format!("{name}.md"), text);
    }
    let files = |options: Options| {
        let envelope = world.gateway_with(options).call(&asked("files"));
        envelope
            .stdout
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let helper = |caller| Options {
        agent: Some("helper".to_owned()),
        ..Options::new(caller)
    };
    assert_eq!(
        files(Options::new(Caller::Person)),
        ["A.md", "B.md", "C.md", "D.md"]
    );
    assert_eq!(files(Options::new(Caller::Agent)), ["B.md", "C.md", "D.md"]);
    assert_eq!(files(helper(Caller::Agent)), ["D.md"]);
    assert_eq!(files(helper(Caller::Person)), ["D.md"]);
    let context = world.gateway().call(&asked("context"));
    assert!(!context.to_json().contains("deny"), "{context:#?}");
}
