//! Active content: what acts when a file is opened or published is closed to agents (`design/active-content.md`).

use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::allowlist::Effect;
use vault_gw::gateway::{Envelope, Gateway};

use crate::support::service::Service;
use crate::support::{Outcome as _, World, answer, asked, call, detail, dry_run_of, has, warnings};

const CASES: &str = include_str!("data/active.txt");

const IMAGE: &str = "![](https://example.org/?text)";
const OPEN: &str = "allow_mutations = true\nbackend = \"embedded\"";

/// A world with a note, in which agents may write, and these settings.
fn world(settings: &str) -> World {
    let world = World::empty()
        .set(OPEN)
        .set(settings)
        .with_tables("[agents.helper]\n");
    world.write("a.md", "# A\n\nText.\n");
    world
}

fn append(gateway: &Gateway, content: &str) -> Envelope {
    let params = json!({ "path": "a.md", "content": content });
    call(gateway, "append", params)
}

/// The plan to append the image.
fn plan(gateway: &Gateway) -> Envelope {
    let line = format!("append path=a.md content='{IMAGE}'");
    gateway.call(&dry_run_of(asked(&line)))
}

#[test]
fn k04_what_acts_is_refused_with_its_place_and_what_to_write_instead() {
    let world = world("");
    let before = world.read("a.md");
    let envelope = append(&world.agent("helper"), IMAGE).fails_with("ACTIVE_CONTENT");
    let finding = &detail(&envelope, "findings")[0];
    let place = json!([finding["path"], finding["line"], finding["kind"]]);
    assert_eq!(place, json!(["a.md", 5, "remote-image"]));
    assert!(finding["instead"].as_str().unwrap().contains("plain link"));
    assert_eq!(detail(&envelope, "needs"), json!(["allow_active"]));
    assert_eq!(world.read("a.md"), before);
    // An agent can learn it before it tries.
    let context = world.agent("helper").call(&asked("context"));
    let effects = &context.data.as_map()["policy"]["effects"];
    let closed = json!({ "effect": "active", "state": "closed", "needs": ["allow_active"] });
    assert!(effects.as_array().unwrap().contains(&closed), "{effects}");
    // What a person writes is not looked at, and a link acts only when it is clicked.
    let person = world.person();
    append(&person, IMAGE).succeeds();
    let link = "[text](https://example.org/a)\n`<iframe src='x'>`";
    let link = append(&world.agent("helper"), link).succeeds();
    assert!(!link.meta.effects.contains(&Effect::Active), "{link:?}");
}

#[test]
fn k04_every_way_to_write_is_looked_at() {
    let world = world("approve = []");
    world.write("b.md", "See [[a]].\n");
    world.write("page.txt", "<iframe src='x'></iframe>\n");
    let cards = |image| format!("views:\n  - type: cards\n    image: note.{image}\n");
    world.write("Closed/cards.base", cards("still"));
    let block = |image| format!("```base\n{}```\n", cards(image));
    world.write("Closed/cards.md", block("frame"));
    let card = block("pane").replace('\n', "\n> ");
    let board = json!({ "nodes": [{ "id": "1", "type": "text", "text": format!("> {card}") }] });
    world.write("Closed/board.canvas", board.to_string());
    let steps = json!([
        { "command": "append", "params": { "path": "a.md", "content": "![](https:" } },
        { "command": "append", "params": { "path": "a.md", "content": "//example.org)", "inline": true } },
    ]);
    let canvas = r#"{"nodes":[{"type":"link","url":"https://example.org"}]}"#;
    let edits = json!([{ "old": "Text.", "new": IMAGE }]);
    for line in [
        format!("create path=new.md content='{IMAGE}'"),
        format!("create path=a.md content='{IMAGE}' overwrite"),
        format!("prepend path=a.md content='{IMAGE}'"),
        "property:set path=a.md name=cover value=https://example.org/a.png".to_owned(),
        "property:set path=a.md name=still value=https://example.org/a".to_owned(),
        "property:set path=a.md name=frame value=https://example.org/a".to_owned(),
        "property:set path=a.md name=pane value=https://example.org/a".to_owned(),
        "property:set path=a.md name=publish value=true".to_owned(),
        format!("create path=new.md content='a %%`%% {IMAGE} `'"),
        format!("create path=a.canvas content='{canvas}'"),
        "create path=a.base content='formulas:\n  a: html(\"x\")\n'".to_owned(),
        "create path=AGENTS.md content=Obey.".to_owned(),
        "rename path=a.md name=CLAUDE.md".to_owned(),
        "rename path=a.md name='a `$= x` b'".to_owned(),
        "move path=page.txt to=page.md".to_owned(),
        "create path=run.sh content=x".to_owned(),
        format!("note:edit path=a.md edits='{edits}'"),
        format!("notes:change changes='{steps}'"),
    ] {
        answer(&world.agent("helper"), &line).fails_with("ACTIVE_CONTENT");
    }
    assert_eq!(world.read("a.md"), "# A\n\nText.\n");
}

#[test]
fn k04_two_edits_do_not_join_to_what_acts() {
    let world = world("");
    append(&world.agent("helper"), "![a](").succeeds();
    let second = json!({ "path": "a.md", "content": "https://example.org)", "inline": true });
    call(&world.agent("helper"), "append", second).fails_with("ACTIVE_CONTENT");
    // What was there before is nobody's finding.
    world.write("old.md", format!("{IMAGE}\n<script>x()</script>\n"));
    let edited = json!({ "path": "old.md", "content": "More." });
    call(&world.agent("helper"), "append", edited).succeeds();
    let moved = json!({ "path": "old.md", "to": "new.md" });
    call(&world.agent("helper"), "move", moved).succeeds();
}

#[test]
fn k04_an_explanation_says_what_happens_to_active_content() {
    for (settings, decision) in [
        ("drafts = \"closed\"", "drafted"),
        ("drafts = \"off\"", "refused (ACTIVE_CONTENT)"),
        ("drafts = \"off\"\nallow_active = true", "allowed"),
    ] {
        let world = world(settings).set("enabled = true");
        for (content, expected) in [(IMAGE, decision), ("Text.", "allowed")] {
            let line = format!("append path=a.md content='{content}'");
            let explained = world.run(&["explain", "--agent", "helper", &line]);
            let text = explained.text();
            has(&text, &[&format!("Decision:      {expected}\n")]);
            let has_rule = text.contains("Rule:          `allow_active`");
            assert_eq!(has_rule, expected != "allowed", "{text}");
            assert_eq!(text.contains("Why:           "), expected != "allowed");
        }
        assert_eq!(world.read("a.md"), "# A\n\nText.\n");
    }
}

#[test]
fn k04_with_drafts_it_waits_for_a_person() {
    for drafts in ["closed", "all"] {
        let world = world(&format!("drafts = \"{drafts}\""));
        let dry = plan(&world.agent("helper")).succeeds();
        assert!(dry.meta.effects.contains(&Effect::Active), "{dry:?}");
        let envelope = append(&world.agent("helper"), IMAGE).succeeds();
        assert!(envelope.meta.draft.is_some(), "{envelope:?}");
        assert!(warnings(&envelope).contains(&"HOLDS_ACTIVE_CONTENT"));
        assert_eq!(world.read("a.md"), "# A\n\nText.\n");
        let person = world.person();
        let (waiting, _) = person.drafts().waiting_drafts().unwrap();
        let warning = json!(waiting[0].files[0].warnings[0]);
        let place = json!([warning["finding"]["kind"], warning["line"]]);
        assert_eq!(place, json!(["remote-image", 5]));
        // What does not act is written directly if that is open.
        let plain = answer(&world.agent("helper"), "create path=b.md content=x");
        assert_eq!(plain.meta.draft.is_none(), drafts == "closed");
    }
}

#[test]
fn k04_not_even_in_direct_paths_without_a_person() {
    let world = world("drafts = \"all\"").with_tables("[paths]\ndirect = [\"**\"]\n");
    assert!(append(&world.agent("helper"), "More.").meta.draft.is_none());
    let envelope = append(&world.agent("helper"), IMAGE);
    assert!(envelope.meta.draft.is_some(), "{envelope:?}");
    assert!(!world.read("a.md").contains(IMAGE));
}

#[test]
fn k04_a_person_can_open_it_with_or_without_an_approval() {
    let open = world("allow_active = true");
    let envelope = append(&open.agent("helper"), IMAGE);
    assert!(envelope.success && envelope.meta.effects.contains(&Effect::Active));
    assert!(open.read("a.md").contains(IMAGE));
    let asks = world("allow_active = true\napprove = [\"active\"]");
    append(&asks.agent("helper"), "More.").succeeds();
    append(&asks.agent("helper"), IMAGE).fails_with("APPROVAL_REQUIRED");
    let person = asks.person();
    let approvals = person.approvals().store().unwrap();
    let waiting = approvals.pending(person.now().timestamp());
    let shown = "This loads an image from the internet when the note is opened: a.md:";
    has(&waiting.unwrap()[0].plan_text, &[shown]);
    let closed = world("allow_active = true").with_tables("allow_active = false\n");
    append(&closed.agent("helper"), IMAGE).fails_with("ACTIVE_CONTENT");
}

#[test]
fn k04_a_redo_is_looked_at_again() {
    let mut world = world("allow_active = true");
    append(&world.agent("helper"), IMAGE).succeeds();
    answer(&world.agent("helper"), "undo").succeeds();
    world.settings = world.settings.replace("active = true", "active = false");
    answer(&world.agent("helper"), "redo").fails_with("ACTIVE_CONTENT");
}

#[cfg(unix)]
#[test]
fn k04_the_answer_over_a_line_says_the_same() {
    let world = world("");
    let mut service = Service::start(&world);
    let line = json!({ "command": "append", "params": { "path": "a.md", "content": "<script>x()</script>" } });
    let answer = service.ask(&line.to_string());
    assert_eq!(answer["error"]["code"], "ACTIVE_CONTENT", "{answer:#}");
    let findings = &answer["error"]["details"]["findings"];
    assert_eq!(findings[0]["kind"], "html-element");
    assert_eq!(answer["exitCode"], Value::Null);
}

#[cfg(unix)]
#[test]
fn k04_nothing_that_acts_is_shown_for_an_agent() {
    let world = World::empty().set("allow_mutations = true");
    for [path, text] in tables::section(CASES, "k04 nothing that acts is shown") {
        world.write(path, text);
    }
    let world = world.with_fake(&Scenario::logged());
    let gateway = world.gateway();
    for [line, place] in tables::section(CASES, "k04 nothing that acts is shown, 2") {
        let envelope = answer(&gateway, line).fails_with("ACTIVE_CONTENT");
        let path = detail(&envelope, "path");
        assert_eq!(path.as_str().unwrap_or_default(), place);
        assert_eq!(detail(&envelope, "needs"), json!(["allow_active"]));
    }
    assert!(world.runs().is_empty() && !world.vault.join("new.md").exists());
    for path in ["h.md", "CLAUDE.md"] {
        call(&gateway, "open", json!({ "path": path })).succeeds();
    }
    let person = world.person();
    answer(&person, "open path=a.md").succeeds();
    let world = world.set("allow_active = true");
    answer(&world.gateway(), "open path=a.md").succeeds();
}
