//! The skill over MCP, and as it is printed.

use serde_json::{Map, Value, json};

use super::client::Client;
use crate::support::{World, has, lacks, sha256_of};

const URI: &str = "skill://vault-gw/obsidian-vault/SKILL.md";

fn world() -> World {
    World::with_fixture_vault().set("backend = \"embedded\"")
}

#[test]
fn the_skill_is_listed_read_and_vouched_for() {
    let world = world();
    let mut client = Client::open(&world, &["--tool-prefix", "work_"]);
    let listed = client.ask("skills/list", &json!({}))["result"]["skills"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let skill = &listed[0];
    assert_eq!(
        (&skill["uri"], &skill["frontmatter"]["name"]),
        (&json!(URI), &json!("obsidian-vault"))
    );
    let read = client.ask("resources/read", &json!({ "uri": URI }))["result"].clone();
    let contents = &read["contents"][0];
    assert_eq!(contents["mimeType"], "text/markdown");
    let text = contents["text"].as_str().unwrap();
    let file = &skill["resources"][0];
    assert_eq!(file["size"], text.len());
    assert_eq!(
        file["digest"],
        format!("sha256:{}", sha256_of(text.as_bytes()))
    );
    has(&text, &["`work_notes_search`"]);
    lacks(&text, &["Alexandra"]);
    let got = client.ask("skills/get", &json!({ "uri": URI }));
    assert_eq!(got["result"]["skill"], *skill);
    let none = client.ask("skills/get", &json!({ "uri": "skill://x/y/SKILL.md" }));
    assert_eq!(none["error"]["code"], -32602, "{none}");
    let resources = client.ask("resources/list", &json!({}))["result"]["resources"].clone();
    assert_eq!(
        (&resources[0]["uri"], &resources[0]["name"]),
        (&json!(URI), &json!("obsidian-vault"))
    );
    assert_eq!(
        resources[0]["description"],
        skill["frontmatter"]["description"]
    );
}

#[test]
fn the_front_matter_of_the_file_is_that_of_the_entry() {
    let world = world();
    let printed = world.run(&["schema", "skill"]);
    let front = printed.text().split("---\n").nth(1).unwrap();
    let lines = front.lines().map(|line| line.split_once(": ").unwrap());
    let in_file: Map<String, Value> = lines
        .map(|(key, value)| {
            // What has no quotes is a text as well.
            let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
            (key.to_owned(), value)
        })
        .collect();
    let mut client = Client::open(&world, &[]);
    let listed = client.ask("skills/list", &json!({}))["result"]["skills"].clone();
    assert_eq!(listed[0]["frontmatter"], Value::Object(in_file));
}

#[test]
fn the_server_says_who_it_is_with_a_picture() {
    let world = world();
    let mut client = Client::start(world.mcp(&[]));
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    });
    let result = client.ask("initialize", &hello)["result"].clone();
    let icon = &result["serverInfo"]["icons"][0];
    assert_eq!(icon["mimeType"], "image/svg+xml");
    assert!(
        icon["src"]
            .as_str()
            .unwrap()
            .starts_with("data:image/svg+xml;base64,")
    );
    let extensions = &result["capabilities"]["extensions"];
    assert_eq!(
        extensions["io.modelcontextprotocol/skills"],
        json!({}),
        "{result}"
    );
}
