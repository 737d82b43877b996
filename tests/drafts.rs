//! Drafts: an agent's changes wait for a person, and the agent reads them as if they were made
//! (`design/drafts.md`).

use std::path::PathBuf;

use serde_json::{Value, json};
use vault_gw::gateway::{Envelope, Gateway, Request};

use crate::support::{
    Outcome as _, World, answer, asked, code, detail, has, lacks, sha256_of, warnings,
};

const CASES: &str = include_str!("data/drafts.txt");

/// A world with two notes, whose settings begin with these lines.
fn world(settings: &str) -> World {
    let world = World::empty()
        .set("backend = \"embedded\"")
        .set(settings)
        .with_tables("[agents.helper]\n[agents.other]\n");
    world.write("a.md", "# A\n\nSee [[b]].\n");
    world.write("b.md", "# B\n\nBread. #food\n");
    world
}

fn ask(gateway: &Gateway, request: &Value) -> Envelope {
    gateway.call(&Request::from_value(request).unwrap())
}

fn call(gateway: &Gateway, command: &str, params: Value) -> Envelope {
    let mut request = json!({ "command": command });
    request["params"] = params;
    gateway.call(&Request::from_value(&request).unwrap())
}

fn text(gateway: &Gateway, path: &str) -> String {
    call(gateway, "read", json!({ "path": path })).stdout
}

/// The file of the only draft.
fn draft_file(world: &World) -> PathBuf {
    let journals = fs_err::read_dir(world.state().join("journal")).unwrap();
    let drafts = journals.map(|journal| journal.unwrap().path().join("drafts"));
    let agents = drafts.flat_map(|drafts| fs_err::read_dir(drafts).unwrap());
    let mut files = agents.map(|agent| agent.unwrap().path().join("draft.json"));
    files.next().unwrap()
}

/// That the change is only in a draft; `waiting` files wait in it.
#[track_caller]
fn is_drafted(envelope: &Envelope, waiting: usize) {
    let shown = serde_json::to_value(envelope).unwrap();
    assert_eq!(shown["status"], "drafted", "{shown:#}");
    assert!(envelope.success && warnings(envelope).contains(&"DRAFTED"));
    assert_eq!(shown["meta"]["draft"]["waiting"], waiting, "{shown:#}");
    assert!(shown["meta"].get("journal").is_none());
}

#[test]
fn a_drafted_change_is_seen_by_its_agent_and_by_nobody_else() {
    let world = world("drafts = \"closed\"");
    let (helper, other) = (world.agent("helper"), world.agent("other"));
    let before = world.read("a.md");
    let envelope = helper.call(&asked("append path=a.md content=More."));
    is_drafted(&envelope, 1);
    assert_eq!(envelope.stdout, "Drafted: Appended to: a.md\n");
    let warned = envelope
        .warnings
        .iter()
        .find(|warning| warning.code == "DRAFTED")
        .unwrap();
    has(&warned.message.text(), &["`vault-gw review`"]);
    let drafted = "# A\n\nSee [[b]].\n\nMore.";
    assert_eq!(text(&helper, "a.md"), drafted);
    assert_eq!(text(&other, "a.md"), before);
    let person = world.person();
    assert_eq!(text(&person, "a.md"), before);
    assert_eq!(world.read("a.md"), before);
    // The second change is planned on the first one.
    let envelope = ask(
        &helper,
        &json!({
            "command": "append",
            "params": { "path": "a.md", "content": "Again." },
            "ifHash": sha256_of(drafted.as_bytes()),
        }),
    );
    is_drafted(&envelope, 1);
    assert_eq!(text(&helper, "a.md"), format!("{drafted}\nAgain."));
    // Another gateway of the same agent goes on with the same draft.
    assert_eq!(
        text(&world.agent("helper"), "a.md"),
        format!("{drafted}\nAgain.")
    );
}

#[test]
fn everything_that_reads_sees_the_draft() {
    let world = world("drafts = \"closed\"");
    let helper = world.agent("helper");
    is_drafted(&helper.call(&asked("move path=b.md to=c.md")), 2);
    is_drafted(
        &helper.call(&asked("create path=new.md content='[[a]] #food'")),
        3,
    );
    // A deletion asks nobody: accepting it is the approval.
    is_drafted(&helper.call(&asked("delete path=new.md")), 2);
    is_drafted(
        &helper.call(&asked("create path=x/new.md content='[[a]] #food'")),
        3,
    );
    assert_eq!(text(&helper, "a.md"), "# A\n\nSee [[c]].\n");
    for (line, expected) in [
        ("files", "a.md\nc.md\nx/new.md\n"),
        ("backlinks path=c.md", "a.md\n"),
        ("tag name=food verbose", "#food\t2\nc.md\nx/new.md\n"),
        ("search query=bread", "c.md\n"),
    ] {
        let answer = answer(&helper, line);
        assert_eq!(answer.stdout, expected, "{line}");
    }
    assert!(world.read("b.md").contains("Bread") && world.read("a.md").contains("[[b]]"));
}

#[test]
fn each_setting_sends_its_changes_into_the_draft() {
    let append = json!({ "path": "a.md", "content": "x" });
    for (settings, status, code_of) in
        tables::typed::<(&str, &str, Option<&str>)>(CASES, "each setting sends its changes")
    {
        let world = world(settings);
        let envelope = call(&world.agent("helper"), "append", append.clone());
        let shown = serde_json::to_value(&envelope).unwrap();
        assert_eq!(shown["status"], status, "{settings}");
        assert_eq!(
            code_of,
            envelope.error.map(|error| error.code.name()),
            "{settings}"
        );
        let is_written = world.read("a.md").contains('x');
        assert_eq!(is_written, status == "ok", "{settings}");
        // A person's own changes are never drafted.
        let person = world.person();
        let envelope = call(&person, "append", append.clone());
        let is_on = settings.contains("allow_mutations");
        assert_eq!(envelope.success, is_on, "{settings}");
        assert!(envelope.meta.draft.is_none());
    }
}

#[test]
fn an_agents_table_chooses_drafts_and_cannot_take_back_all() {
    for [everyone, agents, status] in tables::section(CASES, "an agents table chooses drafts") {
        let world = World::empty()
            .set("backend = \"embedded\"")
            .set(&format!("drafts = \"{everyone}\""))
            .set(if everyone == "all" {
                "allow_mutations = true"
            } else {
                ""
            })
            .with_tables(&format!("[agents.helper]\ndrafts = \"{agents}\"\n"));
        world.write("a.md", "text\n");
        let envelope = world
            .agent("helper")
            .call(&asked("append path=a.md content=x"));
        let shown = serde_json::to_value(&envelope).unwrap();
        assert_eq!(shown["status"], status, "{everyone} {agents}");
        assert_eq!(world.read("a.md"), "text\n");
    }
}

#[test]
fn a15_a_draft_holds_nothing_that_the_rules_close() {
    let world = World::empty().set("drafts = \"closed\"\nbackend = \"embedded\"")
        .with_tables("[paths]\nwrite = [\"open/**\"]\ndeny = [\"closed/**\"]\ndeny_tags = [\"private\"]\n[agents.helper]\ntier = \"v1\"\n");
    world.write("open/a.md", "text\n");
    world.write("open/secret.md", "#private\n");
    world.write("read.md", "text\n");
    world.write("closed/b.md", "text\n");
    let helper = world.agent("helper");
    for [line, expected] in tables::section(CASES, "a15 a draft holds nothing that the rules") {
        let envelope = answer(&helper, line);
        assert_eq!(code(&envelope), expected, "{line}");
        assert!(envelope.meta.draft.is_none());
    }
    is_drafted(&helper.call(&asked("append path=open/a.md content=x")), 1);
    // What closes a note closes it in the draft too, also for the agent itself.
    is_drafted(
        &helper.call(&asked("append path=open/a.md content='#private'")),
        1,
    );
    answer(&helper, "read path=open/a.md").fails_with("FILE_NOT_FOUND");
}

/// A person closes notes that are in the draft, once at another place of the note and once at the same.
#[test]
fn a15_a_note_that_a_person_closes_is_closed_with_its_draft() {
    let world = World::empty()
        .set("drafts = \"closed\"\nbackend = \"embedded\"")
        .with_tables("[paths]\ndeny_tags = [\"private\"]\n[agents.helper]\n");
    let notes = ["merged.md", "conflict.md"];
    for path in notes {
        world.write(path, "one\n\ntwo\n\nthree\n");
    }
    let helper = world.agent("helper");
    for (number, path) in notes.into_iter().enumerate() {
        let params = json!({ "path": path, "content": "ONE\n\ntwo\n\nthree\n", "overwrite": true });
        is_drafted(&call(&helper, "create", params), number + 1);
    }
    world.write("merged.md", "one\n\ntwo\n\nthree #private\n");
    world.write("conflict.md", "secret #private\n\ntwo\n\nthree\n");
    for path in notes {
        for line in ["read", "append content=x", "draft:show", "draft:withdraw"] {
            answer(&helper, &format!("{line} path={path}")).fails_with("FILE_NOT_FOUND");
        }
    }
    let status = helper.call(&asked("draft:status"));
    assert!(
        status.success && !status.stdout.contains(".md"),
        "{status:?}"
    );
    for line in ["files", "search query=two"] {
        lacks(
            &answer(&helper, line).to_json(),
            &["merged.md", "conflict.md"],
        );
    }
    // The person still finds both.
    let person = world.person();
    assert_eq!(
        person.drafts().waiting_drafts().unwrap().0[0].files.len(),
        2
    );
}

/// What an agent drafts at the path of a closed note is answered as if that note were not there. A person sees both.
#[test]
fn d16_a_draft_does_not_show_that_a_closed_note_has_its_name() {
    let closed = [
        ("tag.md", "secret #private\n"),
        ("moved.md", "#private\n"),
        ("Private/s.md", "s\n"),
    ];
    let worlds = [false, true].map(|has_closed| {
        let world = World::empty()
            .set("drafts = \"all\"\nallow_mutations = true\nbackend = \"embedded\"")
            .with_tables(
                "[paths]\ndeny = [\"Private/**\"]\ndeny_tags = [\"private\"]\n[agents.helper]\n",
            );
        world.write("a.md", "one\n\n[[b]]\n");
        world.write("b.md", "two\n");
        for (path, text) in closed.iter().filter(|_| has_closed) {
            world.write(path, text);
        }
        if has_closed {
            fs_err::hard_link(
                world.vault.join("Private/s.md"),
                world.vault.join("link.md"),
            )
            .unwrap();
        }
        world
    });
    for line in tables::lines(CASES, "d16 a draft does not show that a closed") {
        let answers = worlds.each_ref().map(|world| {
            let envelope = world.agent("helper").call(&asked(line));
            let shown = serde_json::to_value(&envelope).unwrap();
            let waiting = shown["meta"]["draft"]["waiting"].clone();
            let mut data = shown["data"].clone();
            if let Some(data) = data.as_object_mut() {
                for key in ["draft", "created", "modified", "path"] {
                    data.remove(key);
                }
            }
            let changes = shown["meta"]["changes"].clone();
            json!([
                shown["status"],
                shown["error"],
                shown["warnings"],
                envelope.stdout,
                data,
                waiting,
                changes
            ])
        });
        let [without, with] = answers;
        assert_eq!(with, without, "{line}");
    }
    let [_, world] = &worlds;
    for (path, text) in closed {
        assert_eq!(world.read(path), text);
    }
    let drafts = world.person().drafts().waiting_drafts().unwrap().0;
    let tag = drafts[0]
        .files
        .iter()
        .find(|file| file.file.path == "tag.md")
        .unwrap();
    assert!(tag.file.conflict, "{tag:?}");
}

#[test]
fn a_request_asks_for_the_draft_where_writing_is_open() {
    let world = world("drafts = \"closed\"\nallow_mutations = true\napprove = [\"destroy\"]");
    let helper = world.agent("helper");
    let draft = |command: &str, params: Value| {
        ask(
            &helper,
            &json!({ "command": command, "params": params, "draft": true }),
        )
    };
    is_drafted(
        &draft("append", json!({ "path": "a.md", "content": "x" })),
        1,
    );
    is_drafted(
        &draft("delete", json!({ "path": "b.md", "permanent": true })),
        2,
    );
    assert_eq!(world.read("b.md"), "# B\n\nBread. #food\n");
    // A change of the same note in the vault itself would be hidden by the draft.
    answer(&helper, "append path=a.md content=y").fails_with("DRAFT_CONFLICT");
    assert!(!world.read("a.md").contains('y'));
    let envelope = helper.call(&asked("create path=c.md content=y"));
    assert!(envelope.success && envelope.meta.draft.is_none());
    assert_eq!(world.read("c.md"), "y");
    draft("create", json!({ "path": "d.md", "open": true })).fails_with("USAGE_ERROR");
    // A note that only the draft has is not a missing one.
    is_drafted(
        &draft("create", json!({ "path": "new.md", "content": "x" })),
        3,
    );
    for line in [
        "append path=new.md content=y",
        "append file=new content=y",
        "property:set path=new.md name=a value=b",
        "rename path=new.md name=other",
        "create path=new.md content=y",
    ] {
        let envelope = answer(&helper, line).fails_with("DRAFT_CONFLICT");
        let error = envelope.error.unwrap();
        let message = error.message().text();
        has(&message, &["`new.md` is only in your draft"]);
        assert_eq!(error.details["path"], "new.md", "{line}");
    }
    answer(&helper, "append path=none.md content=y").fails_with("FILE_NOT_FOUND");
    let person = world.person();
    let asked =
        json!({ "command": "append", "params": { "path": "a.md", "content": "z" }, "draft": true });
    ask(&person, &asked).fails_with("USAGE_ERROR");
}

#[test]
fn what_a_draft_lost_by_a_dry_run_or_an_undo_is_refused() {
    let world = world("drafts = \"all\"\nallow_mutations = true");
    let helper = world.agent("helper");
    is_drafted(&helper.call(&asked("append path=a.md content=x")), 1);
    let dry = json!({ "command": "draft:withdraw", "params": { "all": true }, "dryRun": true });
    ask(&helper, &dry).fails_with("USAGE_ERROR");
    // An undo is about the vault.
    let undo = helper.call(&asked("undo"));
    assert_eq!(
        (code(&undo), detail(&undo, "needs")),
        ("MUTATION_DISABLED", json!(["drafts"]))
    );
    assert!(undo.error.unwrap().to_string().contains("`draft:withdraw`"));
    assert_eq!(
        helper.call(&asked("draft:status")).data.as_map()["waiting"],
        1
    );
}

#[test]
fn what_a_command_writes_into_the_lists_of_the_app_is_not_reported_as_acting() {
    let world = world("drafts = \"all\"");
    let helper = world.agent("helper");
    answer(
        &helper,
        "property:set path=a.md name=size value=5 type=number",
    )
    .succeeds();
    let status = helper.call(&asked("draft:status")).data.as_map().clone();
    let files = status["files"].as_array().unwrap();
    assert!(
        files
            .iter()
            .any(|file| file["path"] == ".obsidian/types.json"),
        "{files:?}"
    );
    assert!(
        files.iter().all(|file| file["findings"].is_null()),
        "{files:?}"
    );
}

#[test]
fn a_dry_run_and_a_change_of_nothing_record_nothing() {
    let world = world("drafts = \"closed\"");
    let helper = world.agent("helper");
    let planned = ask(
        &helper,
        &json!({ "command": "append", "params": { "path": "a.md", "content": "x" }, "dryRun": true }),
    );
    assert!(
        planned.success && planned.meta.draft.is_none(),
        "{planned:?}"
    );
    assert_eq!(planned.data.as_map()["needsApproval"], json!(false));
    assert_eq!(planned.data.as_map()["drafted"], json!(true));
    assert_eq!(text(&helper, "a.md"), world.read("a.md"));
    is_drafted(
        &helper.call(&asked("property:set path=a.md name=n value=1")),
        1,
    );
    let again = helper.call(&asked("property:set path=a.md name=n value=1"));
    // The draft has this change already, which is still not in the vault.
    is_drafted(&again, 1);
    assert!(again.meta.changes.is_empty(), "{again:?}");
    let removed = helper.call(&asked("property:remove path=a.md name=n"));
    // The note is as it is in the vault: nothing waits.
    is_drafted(&removed, 0);
}

#[test]
fn several_steps_go_into_the_draft_as_one() {
    let world = world("drafts = \"closed\"");
    let helper = world.agent("helper");
    let changes = json!({ "changes": [
        { "command": "create", "params": { "path": "n.md", "content": "one" } },
        { "command": "append", "params": { "path": "n.md", "content": "two" } },
        { "command": "append", "params": { "path": "a.md", "content": "[[n]]" } },
    ] });
    is_drafted(&call(&helper, "notes:change", changes), 2);
    assert_eq!(text(&helper, "n.md"), "one\ntwo");
    let refused = json!({ "changes": [
        { "command": "append", "params": { "path": "a.md", "content": "three" } },
        { "command": "append", "params": { "path": "missing.md", "content": "x" } },
    ] });
    call(&helper, "notes:change", refused).fails_with("FILE_NOT_FOUND");
    assert!(!text(&helper, "a.md").contains("three"));
}

#[test]
fn a_draft_that_is_damaged_stops_its_agent_and_is_left_as_it_is() {
    let world = world("drafts = \"closed\"");
    let helper = world.agent("helper");
    is_drafted(&helper.call(&asked("append path=a.md content=x")), 1);
    let file = draft_file(&world);
    let names = || fs_err::read_dir(file.parent().unwrap()).unwrap().count();
    // Damaged, and gone.
    fs_err::write(&file, b"{}").unwrap();
    for left in [2, 1] {
        for line in ["read path=a.md", "append path=a.md content=y"] {
            answer(&helper, line).fails_with("DRAFT_DAMAGED");
        }
        let list = world.run(&["review", "-o", "json"]).json();
        assert_eq!(list["warnings"][0]["code"], "DRAFT_DAMAGED");
        assert_eq!(names(), left);
        drop(fs_err::remove_file(&file));
    }
    assert_eq!(text(&world.agent("other"), "a.md"), world.read("a.md"));
}

#[test]
fn a_call_about_one_note_compares_only_that_note_and_loses_nothing_of_the_others() {
    let world = world("drafts = \"closed\"");
    let helper = world.agent("helper");
    for (waiting, name) in [(1, "m"), (2, "n")] {
        world.write(&format!("{name}.md"), "one\ntwo\nthree\n");
        is_drafted(
            &helper.call(&asked(&format!("append path={name}.md content=four"))),
            waiting,
        );
    }
    world.write("n.md", "ONE\ntwo\nthree\n");
    let read = helper.call(&asked("read path=m.md"));
    assert!(!warnings(&read).contains(&"DRAFT_MERGED"), "{read:?}");
    is_drafted(&helper.call(&asked("append path=m.md content=five")), 2);
    // The draft was stored without a look at the other note: what the person changed is merged now.
    let found = helper.call(&asked("search query=ONE"));
    assert!(warnings(&found).contains(&"DRAFT_MERGED"), "{found:?}");
    assert!(found.stdout.contains("n.md"), "{found:?}");
    assert_eq!(text(&helper, "n.md"), "ONE\ntwo\nthree\n\nfour");
    assert_eq!(text(&helper, "m.md"), "one\ntwo\nthree\n\nfour\nfive");
}

#[test]
fn direct_paths_are_written_where_all_else_is_drafted() {
    let world = World::empty()
        .set("enabled = true\nbackend = \"embedded\"")
        .set("drafts = \"all\"\nallow_mutations = true\napprove = [\"destroy\"]")
        .with_tables("[paths]\ndirect = [\"Inbox/**\"]\n[agents.helper]\n");
    world.write("Inbox/a.md", "text\n");
    world.write("b.md", "[[Inbox/a]]\n");
    let helper = world.agent("helper");
    let call = |command, params| call(&helper, command, params);
    let envelope = call("append", json!({ "path": "Inbox/a.md", "content": "x" }));
    assert!(
        envelope.success && envelope.meta.draft.is_none(),
        "{envelope:?}"
    );
    assert!(world.read("Inbox/a.md").contains('x'));
    is_drafted(
        &call("append", json!({ "path": "b.md", "content": "x" })),
        1,
    );
    // The link in another note would change with it, or the note would leave the folder.
    is_drafted(
        &call("move", json!({ "path": "Inbox/a.md", "to": "Inbox/c.md" })),
        2,
    );
    assert!(world.read("Inbox/a.md").contains('x'));
    // The note waits in the draft.
    is_drafted(
        &call("append", json!({ "path": "Inbox/c.md", "content": "y" })),
        2,
    );
    // What needs an approval still does.
    call("create", json!({ "path": "Inbox/d.md", "content": "y" }));
    assert_eq!(world.read("Inbox/d.md"), "y");
    call("delete", json!({ "path": "Inbox/d.md" })).fails_with("APPROVAL_REQUIRED");
    // The question about a request gets the decision of the call.
    let mut rows = String::new();
    for request in tables::lines(CASES, "direct paths are written where all else") {
        let explained = world.run(&["explain", "--agent", "helper", request]);
        let text = explained.text();
        let decision = text.lines().find(|line| line.starts_with("Decision:"));
        rows += &format!(
            "{request}: {}\n",
            &decision.unwrap_or(text)["Decision:      ".len()..]
        );
    }
    insta::assert_snapshot!(rows, @r"
    create path=Inbox/e.md content=x: allowed
    append path=b.md content=x: drafted
    append path=Inbox/c.md content=x: drafted
    move path=Inbox/d.md to=d.md: drafted
    delete path=Inbox/d.md: approval
    create path=Inbox/d.md content=x: refused (FILE_EXISTS)
    ");
}

#[test]
fn answers_in_the_form_of_another_program_are_never_drafted() {
    for settings in [
        "drafts = \"closed\"",
        "drafts = \"all\"\nallow_mutations = true",
    ] {
        let world = world(settings);
        let before = world.read("a.md");
        let words = ["--agent", "helper", "append", "path=a.md", "content=x"];
        let ran = world.run(&[&["--profile", "codira"][..], &words].concat());
        assert_ne!(ran.status, Some(0), "{ran:?}");
        world.run(&words).ended(0);
        assert_eq!(world.read("a.md"), before);
    }
}
