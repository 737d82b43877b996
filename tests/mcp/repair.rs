//! A call that failed is repaired by the next one: the failure says what to send, in the words of the
//! client.

use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;

use super::client::{Client, code};
use crate::support::World;

fn world() -> World {
    let world = World::empty()
        .set("backend = \"embedded\"")
        .set("allow_mutations = true");
    world.write(
        "Home.md",
        "---\nstatus: open\n---\n# Plan\n\nA table of boats. #garden\n\n# Plan\n",
    );
    world.write("Projects/Boat.md", "The keel is of oak. #garden/beds");
    world
}

/// Every text of a result.
fn told(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap().iter();
    let texts = blocks.filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
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
        let text = told(&result);
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
            names.all(|name| takes[name].as_str().is_some_and(|told| !told.is_empty())),
            "{data}"
        );
        longest = longest.max((data.len(), command.id.clone()));
    }
    assert!(longest.0 > 500, "{longest:?}");
    // By the name of its tool, and with a mistake in it.
    for (name, tells) in [("note_edit", "note:edit"), ("notes:serch", "notes_search")] {
        let wanted = json!({ "command": "capabilities", "params": { "command": name } });
        let text = told(&client.call("obsidianCli", &wanted));
        assert!(text.contains(tells), "{text}");
    }
}

#[test]
fn a_mistaken_call_is_told_once_what_the_command_takes() {
    let world = world();
    let mut client = Client::open(&world, &["--tool-prefix", "w_"]);
    for (tool, arguments, says) in [
        (
            "w_read",
            json!({ "pth": "Home.md" }),
            &["`path`?", "It takes `file`, `path`."][..],
        ),
        ("w_note_edit", json!({ "path": "Home.md" }), &["`old`"]),
        ("w_notes_list", json!({ "limit": "many" }), &["1 to 1000"]),
        // All mistakes at once.
        (
            "w_create",
            json!({ "titel": "a", "txt": "b", "open": 1 }),
            &[
                "`titel` or `txt`",
                "`open` of",
                "It takes `name`, `path`, `content`,",
            ],
        ),
        (
            "w_append",
            json!({ "text": "x" }),
            &["`text`", "needs `content`"],
        ),
        (
            "w_notes_list",
            json!({ "limit": 5000, "order": "size" }),
            &["`limit`", "`order`"],
        ),
        (
            "w_obsidianCli",
            json!({ "command": "links:path", "params": { "from": "Home.md" } }),
            &["{from: path, to: path,"],
        ),
        (
            "w_obsidianCli",
            json!({ "command": "tag:rename", "params": { "old": "a", "new": "b" } }),
            &["`new` or `old`", "needs `tag`, `to`", "{tag: tag, to: to}"],
        ),
        (
            "w_obsidianCli",
            json!({ "command": "search", "query": "a", "limit": 3 }),
            &["`query` and `limit` must be inside the object `params`."],
        ),
        (
            "w_obsidianCli",
            json!({ "command": "outline", "params": "{\"file\":\"Home\"}" }),
            &["`params` must be an object"],
        ),
    ] {
        let text = told(&client.call(tool, &arguments));
        assert!(text.starts_with("USAGE_ERROR"), "{text}");
        for says in says {
            assert!(text.contains(says), "{tool} {arguments}: {text}");
        }
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
    let call = |command: &str, params: Value| {
        (
            "obsidianCli",
            json!({ "command": command, "params": params }),
        )
    };
    for ((tool, arguments), says) in [
        (("read", json!({ "path": "Hmoe.md" })), &["`Home.md`"][..]),
        (
            ("read", json!({ "path": "/Home.md" })),
            &["starts at the vault's root"],
        ),
        (
            ("read", json!({ "path": world.vault.join("Home.md") })),
            &["starts at the vault's root"],
        ),
        (
            ("read", json!({ "path": "../Home.md" })),
            &["outside the vault"],
        ),
        (
            ("read", json!({ "path": "Projects/" })),
            &["names a folder", "`notes_list`"],
        ),
        (
            ("read", json!({ "path": "Projects/*.md" })),
            &["Patterns are not supported", "`notes_list`"],
        ),
        (
            ("read", json!({ "file": "Home#Plan" })),
            &["`notes_read` with `heading`"],
        ),
        (
            ("read", json!({ "path": "Home.md", "heading": "Plan" })),
            &["use `notes_read`. For each note, pass `path` and one of `heading`"],
        ),
        (
            (
                "move",
                json!({ "path": "Home.md", "to": "Projects/Boat.md" }),
            ),
            &["Choose another name or folder"],
        ),
        (
            (
                "property_set",
                json!({ "path": "Home.md", "name": "d", "value": "soon", "type": "date" }),
            ),
            &["YYYY-MM-DD"],
        ),
        (
            ("create", json!({ "path": "Home.md", "content": "x" })),
            &["`overwrite`, which a person has to approve"],
        ),
        (
            call("notes_search", json!({ "query": "x" })),
            &["`notes_search` is a tool"],
        ),
        (
            call("property_read", json!({ "path": "Home.md", "name": "x" })),
            &["(`command`: `property:read`)?"],
        ),
        (call("tags:list", json!({})), &["`tags`"]),
        (
            call(
                "property:read",
                json!({ "path": "Home.md", "name": "sttus" }),
            ),
            &["`status`"],
        ),
        (
            ("notes_read", json!({ "notes": ["Serch.md"] })),
            &["`notes_search`"],
        ),
    ] {
        let text = told(&client.call(tool, &arguments));
        for says in says {
            assert!(text.contains(says), "{tool} {arguments}: {text}");
        }
        for repeated in [
            "not found",
            "Look up",
            "Correct",
            "Choose another",
            "notes_search",
            "no such",
            "stdout",
        ] {
            assert!(
                text.matches(repeated).count() < 2,
                "{tool} {arguments}: {text}"
            );
        }
        for noise in [
            "Error: ",
            "ENOENT",
            "Correct the value that",
            "similar names",
            "notes:",
            "Read `stdout`",
        ] {
            assert!(!text.contains(noise), "{tool} {arguments}: {text}");
        }
    }
}

#[test]
fn hints_name_tools_that_the_client_has_and_no_line_contradicts_another() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for (tool, arguments, says, not) in [
        ("read", json!({ "path": "Hmoe.md" }), "`Home.md`", "`files`"),
        (
            "read",
            json!({ "file": "Nowhere at all" }),
            "`notes_search`",
            "`search`",
        ),
        (
            "note_edit",
            json!({ "path": "Home.md", "edits": [{ "heading": "Plan", "mode": "append", "content": "x" }] }),
            "AMBIGUOUS_TARGET",
            "path=",
        ),
        (
            "move",
            json!({ "path": "Home.md", "to": "Projects/Boat.md" }),
            "FILE_EXISTS",
            "`overwrite`",
        ),
        (
            "create",
            json!({ "path": "a.png", "content": "iVBORw0KGgo=" }),
            "`obsidianCli` (`command`: `attachment:add`)",
            "Created",
        ),
        (
            "notes_read",
            json!({ "notes": "Home.md" }),
            r#"`["Home.md"]`"#,
            "array of objects",
        ),
    ] {
        let result = client.call(tool, &arguments);
        let text = told(&result);
        assert_ne!(code(&result), "OK", "{text}");
        assert!(
            text.contains(says) && !text.contains(not),
            "{tool} {arguments}: {text}"
        );
    }
}

#[test]
fn an_unknown_tool_is_told_its_nearest() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for (name, says) in [
        ("notes_serch", "`notes_search`"),
        ("search_notes", "`notes_search`"),
        (
            "note_outline",
            "call `obsidianCli` with the `command` `note:outline`",
        ),
        ("delete_note", "`obsidianCli` with the `command` `delete`"),
        ("list_tags", "`obsidianCli` with the `command` `tags`"),
        ("readNote", "`notes_read`"),
        ("shell", "`tools/list`"),
    ] {
        let wanted = json!({ "name": name, "arguments": {} });
        let answer = client.ask("tools/call", &wanted).to_string();
        assert!(answer.contains(says), "{name}: {answer}");
    }
    // An unlisted tool of the catalogue is answered.
    let wanted = json!({ "name": "files", "arguments": {} });
    let files = client.ask("tools/call", &wanted).to_string();
    assert!(files.contains("Projects/Boat"), "{files}");
}

#[test]
fn what_finds_nothing_names_what_is_near() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for (tool, arguments, near) in [
        ("notes_search", json!({ "query": "tabel" }), "`table`"),
        ("notes_context", json!({ "query": "keeel" }), "`keel`"),
        (
            "obsidianCli",
            json!({ "command": "search", "params": { "query": "boots" } }),
            "`boats`",
        ),
        ("notes_list", json!({ "tag": "gardn" }), "`garden`"),
        ("notes_list", json!({ "property": "sttus" }), "`status`"),
        ("notes_list", json!({ "folder": "Project" }), "`Projects`"),
        ("notes_list", json!({ "properties": ["sttus"] }), "`status`"),
        (
            "obsidianCli",
            json!({ "command": "tag", "params": { "name": "gardn" } }),
            "`garden`",
        ),
        (
            "obsidianCli",
            json!({ "command": "property:read", "params": { "path": "Home.md", "name": "sttus" } }),
            "`status`",
        ),
    ] {
        let text = told(&client.call(tool, &arguments));
        let plain = text.replace('#', "");
        assert!(plain.contains(near), "{tool} {arguments}: {text}");
    }
    // What is there is not doubted.
    let text = told(&client.call(
        "notes_list",
        &json!({ "tag": "garden", "property": "status", "properties": ["Status"] }),
    ));
    assert!(!text.contains("NO_SUCH"), "{text}");
}

/// A change that found nothing to change says why, where what it names is not there.
#[test]
fn a_name_that_is_not_there_is_no_silent_success() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for (command, params, warning, near) in [
        (
            "tag:drop",
            json!({ "tag": "gardn", "path": "Home.md" }),
            "NO_SUCH_TAG",
            Some("`garden`"),
        ),
        (
            "property:remove",
            json!({ "name": "sttus", "path": "Home.md" }),
            "NO_SUCH_PROPERTY",
            Some("`status`"),
        ),
        (
            "property:remove",
            json!({ "name": "status", "path": "Projects/Boat.md" }),
            "NO_SUCH_PROPERTY",
            None,
        ),
        (
            "property:drop",
            json!({ "name": "tgs", "value": "x", "path": "Home.md" }),
            "NO_SUCH_PROPERTY",
            None,
        ),
    ] {
        for dry_run in [true, false] {
            let wanted = json!({ "command": command, "params": params, "dryRun": dry_run });
            let result = client.call("obsidianCli", &wanted);
            assert_eq!(code(&result), "OK", "{result}");
            let text = told(&result);
            assert!(text.contains(warning), "{command} {params}: {text}");
            assert!(
                near.is_none_or(|near| text.contains(near)),
                "{command} {params}: {text}"
            );
        }
    }
    // A tag that no note has cannot be renamed.
    for (tag, near) in [("gardn", "`garden`"), ("#zebra", "not found")] {
        let params = json!({ "tag": tag, "to": "yard" });
        let wanted = json!({ "command": "tag:rename", "params": params });
        let result = client.call("obsidianCli", &wanted);
        assert_eq!(code(&result), "CLI_REPORTED_ERROR", "{result}");
        assert!(told(&result).contains(near), "{result}");
    }
    // What is there, and needs no change, is not doubted.
    for (command, params) in [
        ("tag:rename", json!({ "tag": "garden", "to": "garden" })),
        ("tag:add", json!({ "tag": "garden", "path": "Home.md" })),
        (
            "property:set",
            json!({ "name": "status", "value": "open", "path": "Home.md" }),
        ),
    ] {
        let wanted = json!({ "command": command, "params": params });
        let text = told(&client.call("obsidianCli", &wanted));
        assert!(!text.contains("NO_SUCH"), "{command}: {text}");
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
        let result = client.call("property_set", &wanted);
        assert_eq!(code(&result), "OK", "{result}");
        assert_eq!(
            result["structuredContent"]["data"]["type"], kind,
            "{result}"
        );
        assert!(
            told(&result).contains(&format!("\"type\":\"{kind}\"")),
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
