//! A call that failed is repaired by the next one: the failure says what to send, in the words of the
//! client.

use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;

use super::client::{Client, all_text, code, rows};
use crate::support::{Outcome as _, World};

const CASES: &str = include_str!("../data/mcp_repair.txt");

fn world() -> World {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write(
        "Home.md",
        "---\nstatus: open\n---\n# Plan\n\nA table of boats. #garden\n\n# Plan\n",
    );
    world.write("Projects/Boat.md", "The keel is of oak. #garden/beds");
    world
}

#[test]
fn capabilities_tell_each_command_in_less_than_a_kilobyte() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    let mut longest = (0, String::new());
    for command in Catalogue::builtin().unwrap().commands() {
        let wanted = json!({ "command": "capabilities", "params": { "command": command.id } });
        let result = client.call("obsidianCli", &wanted);
        let data = result["structuredContent"]["data"].to_string();
        let text = all_text(&result);
        assert!(
            data.len() < 1024,
            "{}: {} bytes {data}",
            command.id,
            data.len()
        );
        assert!(
            text.len() < 1024,
            "{}: {} bytes {text}",
            command.id,
            text.len()
        );
        assert!(
            data.contains(&format!("\"usage\":\"{}", command.id)),
            "{data}"
        );
        // All of it.
        let takes = &result["structuredContent"]["data"]["commands"][0]["takes"];
        let mut names = command.argument_names();
        assert!(
            names.all(|name| takes[name]
                .as_str()
                .is_some_and(|reported| !reported.is_empty())),
            "{data}"
        );
        longest = longest.max((data.len(), command.id.clone()));
    }
    assert!(longest.0 > 500, "{longest:?}");
    // By the name of its tool, and with a mistake in it.
    for (name, tells) in [("note_edit", "note:edit"), ("notes:serch", "notes_search")] {
        let wanted = json!({ "command": "capabilities", "params": { "command": name } });
        let text = all_text(&client.call("obsidianCli", &wanted));
        assert!(text.contains(tells), "{text}");
    }
}

#[test]
fn a_mistaken_call_gets_once_what_the_command_takes() {
    let world = world();
    let mut client = Client::open(&world, &["--tool-prefix", "w_"]);
    for row in rows(tables::text(CASES, "a mistaken call gets once")) {
        let text = all_text(&row.check(&mut client));
        assert!(text.starts_with("USAGE_ERROR"), "{text}");
        assert!(text.len() < 700, "{}: {text}", text.len());
        let times = text.matches("It takes").count() + text.matches("usage").count();
        assert!(times < 2, "{text}");
        assert!(!text.contains("newtab") && !text.contains("=<"), "{text}");
    }
}

/// What is said of a thing that is not there, of a path and of a name that are none, and of a tool that is no
/// command: each thing once, and what to send.
#[test]
fn a_failure_says_each_thing_once_and_what_to_send() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    let table = tables::text(CASES, "a failure says each thing once");
    let once = "not found|Look up|Correct|Choose another|notes_search|no such|stdout";
    let noise = "Error: |ENOENT|Correct the value that|similar names|notes:|Read `stdout`";
    for row in rows(&table.replace("VAULT", world.vault.to_str().unwrap())) {
        let text = all_text(&row.check(&mut client));
        for part in once.split('|') {
            assert!(text.matches(part).count() < 2, "{part}: {row:?}: {text}");
        }
        for part in noise.split('|') {
            assert!(!text.contains(part), "{part}: {row:?}: {text}");
        }
    }
}

#[test]
fn hints_name_tools_that_the_client_has_and_no_line_contradicts_another() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for row in rows(tables::text(CASES, "hints name tools that the client")) {
        assert_ne!(code(&row.check(&mut client)), "OK", "{row:?}");
    }
}

#[test]
fn an_unknown_tool_gets_its_nearest() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for [name, says] in tables::section(CASES, "an unknown tool gets its nearest") {
        let wanted = json!({ "name": name, "arguments": {} });
        let answer = client.ask("tools/call", &wanted).to_string();
        assert!(answer.contains(says), "{name}: {answer}");
    }
}

#[test]
fn a_tool_of_another_program_is_answered_with_the_tool_that_is_meant() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for (name, arguments, says) in [
        (
            "str_replace_based_edit_tool",
            json!({ "command": "view" }),
            "`read`",
        ),
        (
            "str_replace_based_edit_tool",
            json!({ "command": "create" }),
            "`create`",
        ),
        (
            "str_replace_based_edit_tool",
            json!({ "command": "insert" }),
            "`note_edit`",
        ),
        ("str_replace_based_edit_tool", json!({}), "`note_edit`"),
        (
            "list_directory",
            json!({}),
            "use `notes_list` with `folder`",
        ),
        ("Grep", json!({}), "(`command`: `search:context`)"),
        ("undo_edit", json!({}), "use `undo`"),
        ("review", json!({}), "Only a person can accept changes."),
        (
            "execute_command",
            json!({ "command": "app:reload" }),
            "Calls cannot run commands",
        ),
    ] {
        let wanted = json!({ "name": name, "arguments": arguments });
        let answer = client.ask("tools/call", &wanted);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{name}: {message}");
    }
}

#[test]
fn a_refusal_says_what_the_client_can_do_instead() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for row in rows(tables::text(CASES, "a refusal says what the client can do")) {
        row.check(&mut client);
    }
}

#[test]
fn what_finds_nothing_names_what_is_near() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for row in rows(tables::text(CASES, "what finds nothing names what is near")) {
        row.check(&mut client);
    }
}

/// A change that found nothing to change says why, where what it names is not there.
#[test]
fn a_name_that_is_not_there_is_no_silent_success() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for mut row in rows(
        r#"
command tag:drop {"tag": "gardn", "path": "Home.md"} => NO_SUCH_TAG | garden`
command property:remove {"name": "sttus", "path": "Home.md"} => NO_SUCH_PROPERTY | `status`
command property:remove {"name": "status", "path": "Projects/Boat.md"} => NO_SUCH_PROPERTY
command property:drop {"name": "tgs", "value": "x", "path": "Home.md"} => NO_SUCH_PROPERTY
"#,
    ) {
        for dry_run in [true, false] {
            row.arguments["dryRun"] = json!(dry_run);
            assert_eq!(code(&row.check(&mut client)), "OK", "{row:?}");
        }
    }
    // A tag that no note has cannot be renamed; what is there, and needs no change, is not doubted.
    for row in rows(tables::text(CASES, "a name that is not there is no silent")) {
        row.check(&mut client);
    }
}

/// The first candidate of an edit that has no place, sent as it is, is the right place.
#[test]
fn a_candidate_can_be_sent_as_it_is() {
    let world = world();
    let long = "word ".repeat(100);
    world.write("e.md", format!("# A\n\n## Same\n\n- [x] Send the offer\n\n# B\n\n## Same\n\n{long}one two{long}\n\n{long}three two{long}\n\nText ^mark\n"));
    let mut client = Client::open(&world, &[]);
    let mut ask = |edit: &Value| {
        let wanted = json!({ "path": "e.md", "edits": [edit], "dryRun": true });
        client.call("note_edit", &wanted)
    };
    for (edit, key, candidates) in [
        (
            json!({ "old": "Send offer", "new": "x" }),
            "old",
            &["Send the offer"][..],
        ),
        (
            json!({ "heading": "Same", "mode": "append", "content": "x" }),
            "heading",
            &["A/Same", "B/Same"],
        ),
        (
            json!({ "heading": "Sam", "mode": "append", "content": "x" }),
            "heading",
            &["A/Same", "B/Same", "# A"],
        ),
        (
            json!({ "block": "mrk", "mode": "append", "content": "x" }),
            "block",
            &["mark"],
        ),
        (
            json!({ "old": "two", "new": "x" }),
            "old",
            &[
                "word word word one twoword word word word",
                "word word three twoword word word word",
            ],
        ),
    ] {
        let result = ask(&edit);
        let shown = &result["structuredContent"]["error"]["details"]["candidates"];
        let shown: Vec<&str> = shown
            .as_array()
            .unwrap()
            .iter()
            .map(|shown| shown["text"].as_str().unwrap())
            .collect();
        assert_eq!(shown, candidates, "{result}");
        for text in shown {
            let mut again = edit.clone();
            again[key] = json!(text);
            let result = ask(&again);
            assert_eq!(code(&result), "OK", "{text}: {result}");
        }
    }
    // What is cut is not offered to be sent.
    let old = long.replacen("word", "wird", 30) + &long;
    let result = ask(&json!({ "old": old, "new": "x" }));
    let details = &result["structuredContent"]["error"]["details"];
    if let Some(candidate) = details["candidates"].get(0) {
        assert_eq!(candidate.get("text"), None, "{result}");
        assert!(
            candidate["begins"].as_str().unwrap().ends_with('…'),
            "{result}"
        );
    }
}

/// JSON types through a tool: what is written, and that the answer says so.
#[test]
fn a_property_keeps_its_json_type() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for (value, kind, line) in [
        (json!(5), "number", "n: 5\n"),
        (json!(2.5), "number", "n: 2.5\n"),
        (json!(true), "checkbox", "n: true\n"),
        (json!(["a", 1]), "list", "n:\n  - a\n  - 1\n"),
        (json!(null), "empty", "n:\n---"),
        (json!("5"), "text", "n: \"5\"\n"),
    ] {
        world.write("p.md", "x");
        let wanted = json!({ "path": "p.md", "name": "n", "value": value });
        let result = client.call("property_set", &wanted).succeeds();
        assert_eq!(
            result["structuredContent"]["data"]["type"], kind,
            "{result}"
        );
        assert!(
            all_text(&result).contains(&format!("\"type\":\"{kind}\"")),
            "{result}"
        );
        let note = world.read("p.md");
        assert!(note.contains(line), "{value}: {note}");
    }
}

/// A page costs what it prints: the gateway makes no answer of the whole note.
#[test]
fn pages_of_a_long_note_join_to_the_note() {
    let world = world();
    let text: String = (0..30_000)
        .map(|line| format!("Zeile {line} über Größe.\n"))
        .collect();
    world.write("Long.md", &text);
    let mut client = Client::open(&world, &[]);
    let (mut offset, mut read, mut pages) = (Some(0), String::new(), 0);
    while let Some(at) = offset {
        let result = client.call("read", &json!({ "path": "Long.md", "offset": at }));
        let structured = &result["structuredContent"];
        assert_eq!(structured["status"], "ok", "{}", structured["status"]);
        let data = &structured["data"];
        assert_eq!(data.get("sha256"), None);
        assert_eq!(structured["page"]["total"], text.chars().count());
        read += data["content"].as_str().unwrap();
        offset = structured["page"]["nextOffset"].as_u64();
        pages += 1;
    }
    assert_eq!(read, text);
    assert!(pages > 20, "{pages}");
}
