//! Drafts: an agent's changes wait for a person, and the agent reads them as if they were made
//! (`design/drafts.md`).

use std::path::PathBuf;

use serde_json::{Value, json};
use vault_gw::gateway::{Envelope, Gateway};

use crate::support::{
    Outcome as _, World, answer, asked, call, code, detail, dry_run_of, has, lacks, sha256_of,
    warnings,
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

/// The answer to a line that is to be drafted.
fn ask_for_draft(gateway: &Gateway, line: &str) -> Envelope {
    let mut request = asked(line);
    request.draft = true;
    gateway.call(&request)
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

/// The change that this line makes is only in a draft; `waiting` files wait in it.
#[track_caller]
fn drafts(gateway: &Gateway, line: &str, waiting: usize) {
    is_drafted(&gateway.call(&asked(line)), waiting);
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
    let mut issues = envelope.warnings.iter();
    let warned = issues.find(|issue| issue.code == "DRAFTED").unwrap();
    has(&warned.message.text(), &["`vault-gw review`"]);
    let drafted = "# A\n\nSee [[b]].\n\nMore.";
    assert_eq!(text(&helper, "a.md"), drafted);
    assert_eq!(text(&other, "a.md"), before);
    let person = world.person();
    assert_eq!(text(&person, "a.md"), before);
    assert_eq!(world.read("a.md"), before);
    // The second change is planned on the first one.
    let mut request = asked("append path=a.md content=Again.");
    request.if_hash = Some(sha256_of(drafted.as_bytes()));
    is_drafted(&helper.call(&request), 1);
    // Another gateway of the same agent goes on with the same draft.
    for gateway in [helper, world.agent("helper")] {
        assert_eq!(text(&gateway, "a.md"), format!("{drafted}\nAgain."));
    }
}

#[test]
fn advice_about_a_note_that_only_the_draft_has_does_not_say_that_it_is_missing() {
    let world = world("drafts = \"all\"");
    let helper = world.agent("helper");
    drafts(&helper, "create path=new.md content=text", 1);
    for line in [
        "note:edit path=new.md old=other new=x",
        "note:edit path=new.md heading=None mode=append content=x",
        "note:get path=new.md section=none",
        "task path=new.md line=1 done",
    ] {
        let failed = answer(&helper, line);
        assert!(!failed.success, "{line}");
        lacks(&failed.to_json(), &["not found", "notes:search"]);
    }
    let missing = answer(&helper, "note:get path=none.md section=none");
    has(&missing.to_json(), &["not found"]);
}

#[test]
fn everything_that_reads_sees_the_draft() {
    let world = world("drafts = \"closed\"");
    let helper = world.agent("helper");
    drafts(&helper, "move path=b.md to=c.md", 2);
    drafts(&helper, "create path=new.md content='[[a]] #food'", 3);
    // A deletion asks nobody: accepting it is the approval.
    drafts(&helper, "delete path=new.md", 2);
    drafts(&helper, "create path=x/new.md content='[[a]] #food'", 3);
    assert_eq!(text(&helper, "a.md"), "# A\n\nSee [[c]].\n");
    for (line, expected) in [
        ("files", "a.md\nc.md\nx/new.md\n"),
        ("backlinks path=c.md", "a.md\n"),
        ("tag name=food verbose", "#food\t2\nc.md\nx/new.md\n"),
        ("search query=bread", "c.md\n"),
    ] {
        assert_eq!(answer(&helper, line).stdout, expected, "{line}");
    }
    assert!(world.read("b.md").contains("Bread") && world.read("a.md").contains("[[b]]"));
}

#[test]
fn each_setting_sends_its_changes_into_the_draft() {
    let append = asked("append path=a.md content=x");
    for [settings, status, code_of] in tables::section(CASES, "each setting sends its changes") {
        let world = world(settings);
        let envelope = world.agent("helper").call(&append);
        let shown = serde_json::to_value(&envelope).unwrap();
        assert_eq!(shown["status"], status, "{settings}");
        assert_eq!(code(&envelope), code_of, "{settings}");
        let is_written = world.read("a.md").contains('x');
        assert_eq!(is_written, status == "ok", "{settings}");
        // A person's own changes are never drafted.
        let person = world.person();
        let envelope = person.call(&append);
        let is_on = settings.contains("allow_mutations");
        assert_eq!(envelope.success, is_on, "{settings}");
        assert!(envelope.meta.draft.is_none());
    }
}

#[test]
fn an_agents_table_chooses_drafts_and_cannot_take_back_all() {
    for [everyone, agents, status] in tables::section(CASES, "an agents table chooses drafts") {
        let allows = everyone == "all";
        let world = World::empty()
            .set("backend = \"embedded\"")
            .set(&format!(
                "drafts = \"{everyone}\"\nallow_mutations = {allows}"
            ))
            .with_tables(&format!("[agents.helper]\ndrafts = \"{agents}\"\n"));
        world.write("a.md", "text\n");
        let append = asked("append path=a.md content=x");
        let envelope = world.agent("helper").call(&append);
        let shown = serde_json::to_value(&envelope).unwrap();
        assert_eq!(shown["status"], status, "{everyone} {agents}");
        assert_eq!(world.read("a.md"), "text\n");
    }
}

#[test]
fn a15_a_draft_holds_nothing_that_the_rules_close() {
    let world = World::drafting(
        "[paths]\nwrite = [\"open/**\"]\ndeny = [\"closed/**\"]\ndeny_tags = [\"private\"]\n[agents.helper]\ntier = \"v1\"\n",
    );
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
    drafts(&helper, "append path=open/a.md content=x", 1);
    // What closes a note closes it in the draft too, also for the agent itself.
    drafts(&helper, "append path=open/a.md content='#private'", 1);
    answer(&helper, "read path=open/a.md").fails_with("FILE_NOT_FOUND");
}

/// A person closes notes that are in the draft, once at another place of the note and once at the same.
#[test]
fn a15_a_note_that_a_person_closes_is_closed_with_its_draft() {
    let world = World::drafting("[paths]\ndeny_tags = [\"private\"]\n[agents.helper]\n");
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
    let status = answer(&helper, "draft:status").succeeds();
    lacks(&status.stdout, &[".md"]);
    for line in ["files", "search query=two"] {
        lacks(&answer(&helper, line).to_json(), &notes);
    }
    // The person still finds both.
    let drafts = world.person().drafts().waiting_drafts().unwrap().0;
    assert_eq!(drafts[0].files.len(), 2);
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
            .with_tables("[paths]\ndeny = [\"Private/**\"]\ndeny_tags = [\"private\"]")
            .with_tables("[agents.helper]");
        world.write("a.md", "one\n\n[[b]]\n");
        world.write("b.md", "two\n");
        for (path, text) in closed.iter().filter(|_| has_closed) {
            world.write(path, text);
        }
        if has_closed {
            let [note, link] = ["Private/s.md", "link.md"].map(|path| world.vault.join(path));
            fs_err::hard_link(note, link).unwrap();
        }
        world
    });
    for line in tables::lines(CASES, "d16 a draft does not show that a closed") {
        let answers = worlds.each_ref().map(|world| {
            let envelope = world.agent("helper").call(&asked(line));
            let mut shown = serde_json::to_value(&envelope).unwrap();
            if let Some(data) = shown["data"].as_object_mut() {
                data.retain(|key, _| !["draft", "created", "modified", "path"].contains(&&**key));
            }
            let meta = json!([shown["meta"]["draft"]["waiting"], shown["meta"]["changes"]]);
            let keys = ["status", "error", "warnings", "stdout", "data"];
            (keys.map(|key| shown[key].take()), meta)
        });
        let [without, with] = answers;
        assert_eq!(with, without, "{line}");
    }
    let [_, world] = &worlds;
    for (path, text) in closed {
        assert_eq!(world.read(path), text);
    }
    let drafts = world.person().drafts().waiting_drafts().unwrap().0;
    let mut files = drafts[0].files.iter();
    let tag = files.find(|file| file.file.path == "tag.md");
    assert!(tag.unwrap().file.conflict, "{tag:?}");
}

#[test]
fn a_request_asks_for_the_draft_where_writing_is_open() {
    let world = world("drafts = \"closed\"\nallow_mutations = true\napprove = [\"destroy\"]");
    let helper = world.agent("helper");
    let draft = |line| ask_for_draft(&helper, line);
    is_drafted(&draft("append path=a.md content=x"), 1);
    is_drafted(&draft("delete path=b.md permanent"), 2);
    assert_eq!(world.read("b.md"), "# B\n\nBread. #food\n");
    // A change of the same note in the vault itself would be hidden by the draft.
    answer(&helper, "append path=a.md content=y").fails_with("DRAFT_CONFLICT");
    assert!(!world.read("a.md").contains('y'));
    let envelope = helper.call(&asked("create path=c.md content=y"));
    assert!(envelope.success && envelope.meta.draft.is_none());
    assert_eq!(world.read("c.md"), "y");
    draft("create path=d.md open").fails_with("USAGE_ERROR");
    // A note that only the draft has is not a missing one.
    is_drafted(&draft("create path=new.md content=x"), 3);
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
    let by_person = ask_for_draft(&world.person(), "append path=a.md content=z");
    by_person.fails_with("USAGE_ERROR");
}

/// A draft that cannot be accepted is not made.
#[test]
fn what_is_too_large_for_undo_is_not_drafted() {
    let world = world("drafts = \"all\"").with_tables("[journal]\nmax_file_bytes = 40\n");
    let helper = world.agent("helper");
    let large = "x".repeat(60);
    world.write("large.md", &large);
    for line in [
        "delete path=large.md permanent",
        "append path=large.md content=y",
    ] {
        answer(&helper, line).fails_with("TOO_LARGE_TO_UNDO");
    }
    // A file of the draft alone is not kept, and a file that is moved is not lost.
    drafts(&helper, &format!("create path=new.md content={large}"), 1);
    drafts(&helper, "append path=new.md content=y", 1);
    drafts(&helper, "move path=large.md to=moved.md", 2);
    answer(&helper, "append path=moved.md content=y").fails_with("TOO_LARGE_TO_UNDO");
    drafts(&helper, "delete path=moved.md", 2);
    assert_eq!(world.read("large.md"), large);
}

#[test]
fn what_a_draft_lost_by_a_dry_run_or_an_undo_is_refused() {
    let world = world("drafts = \"all\"\nallow_mutations = true");
    let helper = world.agent("helper");
    drafts(&helper, "append path=a.md content=x", 1);
    let dry = helper.call(&dry_run_of(asked("draft:withdraw all")));
    dry.fails_with("USAGE_ERROR");
    // An undo is about the vault.
    let undo = helper.call(&asked("undo")).fails_with("MUTATION_DISABLED");
    assert_eq!(detail(&undo, "needs"), json!(["drafts"]));
    has(&undo.error.unwrap().to_string(), &["`draft:withdraw`"]);
    let status = helper.call(&asked("draft:status"));
    assert_eq!(status.data.as_map()["waiting"], 1);
}

#[test]
fn what_a_command_writes_into_the_lists_of_the_app_is_not_reported_as_acting() {
    let world = world("drafts = \"all\"");
    let helper = world.agent("helper");
    let line = "property:set path=a.md name=size value=5 type=number";
    answer(&helper, line).succeeds();
    let status = helper.call(&asked("draft:status")).data.as_map().clone();
    let files = status["files"].as_array().unwrap().iter();
    let files: Value = files
        .map(|file| json!([file["path"], file["findings"]]))
        .collect();
    assert_eq!(
        files,
        json!([[".obsidian/types.json", null], ["a.md", null]])
    );
}

#[test]
fn a_dry_run_and_a_change_of_nothing_record_nothing() {
    let world = world("drafts = \"closed\"");
    let helper = world.agent("helper");
    let planned = helper.call(&dry_run_of(asked("append path=a.md content=x")));
    assert!(planned.meta.draft.is_none(), "{planned:?}");
    let planned = planned.succeeds();
    assert_eq!(planned.data.as_map()["needsApproval"], json!(false));
    assert_eq!(planned.data.as_map()["drafted"], json!(true));
    assert_eq!(text(&helper, "a.md"), world.read("a.md"));
    drafts(&helper, "property:set path=a.md name=n value=1", 1);
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
    drafts(&helper, "append path=a.md content=x", 1);
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
        drafts(
            &helper,
            &format!("append path={name}.md content=four"),
            waiting,
        );
    }
    world.write("n.md", "ONE\ntwo\nthree\n");
    let read = helper.call(&asked("read path=m.md"));
    assert!(!warnings(&read).contains(&"DRAFT_MERGED"), "{read:?}");
    drafts(&helper, "append path=m.md content=five", 2);
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
    let envelope = helper.call(&asked("append path=Inbox/a.md content=x"));
    assert!(envelope.meta.draft.is_none(), "{envelope:?}");
    envelope.succeeds();
    assert!(world.read("Inbox/a.md").contains('x'));
    drafts(&helper, "append path=b.md content=x", 1);
    // The link in another note would change with it, or the note would leave the folder.
    drafts(&helper, "move path=Inbox/a.md to=Inbox/c.md", 2);
    assert!(world.read("Inbox/a.md").contains('x'));
    // The note waits in the draft.
    drafts(&helper, "append path=Inbox/c.md content=y", 2);
    // What needs an approval still does.
    helper.call(&asked("create path=Inbox/d.md content=y"));
    assert_eq!(world.read("Inbox/d.md"), "y");
    answer(&helper, "delete path=Inbox/d.md").fails_with("APPROVAL_REQUIRED");
    // The question about a request gets the decision of the call.
    let mut rows = String::new();
    for request in tables::lines(CASES, "direct paths are written where all else") {
        let explained = world.run(&["explain", "--agent", "helper", request]);
        let text = explained.text();
        let decision = text
            .lines()
            .find_map(|line| line.strip_prefix("Decision:      "));
        rows += &format!("{request}: {}\n", decision.unwrap_or(text));
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
    let all = "drafts = \"all\"\nallow_mutations = true";
    for settings in ["drafts = \"closed\"", all] {
        let world = world(settings);
        let before = world.read("a.md");
        let words = ["--agent", "helper", "append", "path=a.md", "content=x"];
        let ran = world.run(&[&["--profile", "codira"][..], &words].concat());
        assert_ne!(ran.status, Some(0), "{ran:?}");
        world.run(&words).ended(0);
        assert_eq!(world.read("a.md"), before);
    }
}
