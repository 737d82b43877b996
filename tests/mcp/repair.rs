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
        let asked = json!({ "command": "capabilities", "params": { "command": command.id } });
        let result = client.call("obsidianCli", &asked);
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
        longest = longest.max((data.len(), command.id.clone()));
    }
    assert!(longest.0 > 500, "{longest:?}");
    // By the name of its tool, and with a mistake in it.
    for (name, tells) in [("note_edit", "note:edit"), ("notes:serch", "notes:search")] {
        let asked = json!({ "command": "capabilities", "params": { "command": name } });
        let text = told(&client.call("obsidianCli", &asked));
        assert!(text.contains(tells), "{text}");
    }
}

#[test]
fn a_mistaken_call_is_answered_with_its_usage_and_where_more_is() {
    let world = world();
    let mut client = Client::open(&world, &["--tool-prefix", "w_"]);
    for (tool, arguments, usage) in [
        ("w_read", json!({ "pth": "Home.md" }), "read [file=<name>]"),
        (
            "w_note_edit",
            json!({ "path": "Home.md" }),
            "note:edit [file",
        ),
        (
            "w_notes_list",
            json!({ "limit": "many" }),
            "notes:list [folder",
        ),
        (
            "w_obsidianCli",
            json!({ "command": "links:path", "params": { "from": "Home.md" } }),
            "links:path from=",
        ),
        (
            "w_obsidianCli",
            json!({ "command": "attachment:add", "params": { "path": "a.png" } }),
            "attachment:add [",
        ),
    ] {
        let text = told(&client.call(tool, &arguments));
        assert!(
            text.starts_with("USAGE_ERROR") && text.contains(usage),
            "{text}"
        );
        assert!(
            text.contains("`w_obsidianCli` (`command`: `capabilities`)"),
            "{text}"
        );
        assert!(text.len() < 2500, "{}: {text}", text.len());
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
            r#"`["Home.md","#,
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
        ("shell", "`tools/list`"),
    ] {
        let asked = json!({ "name": name, "arguments": {} });
        let answer = client.ask("tools/call", &asked).to_string();
        assert!(answer.contains(says), "{name}: {answer}");
    }
    // An unlisted tool of the catalogue is answered.
    let asked = json!({ "name": "files", "arguments": {} });
    let files = client.ask("tools/call", &asked).to_string();
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
        let asked = json!({ "path": "p.md", "name": "n", "value": value });
        let result = client.call("property_set", &asked);
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
