//! No tool, result, resource or question tells a model what to type at a terminal, and none says one
//! thing twice (`threats.toml` I16).

use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;

use super::client::Client;
use crate::agent_messages::{assert_for_a_model, assert_says_each_thing_once};
use crate::support::World;

#[test]
fn i16_no_tool_gives_a_model_a_command_to_type() {
    let world = World::with_fixture_vault().set("allow_mutations = true\nbackend = \"embedded\"");
    let mut client = Client::open(&world, &[]);
    for list in ["tools/list", "resources/templates/list", "resources/list"] {
        assert_for_a_model(&client.ask(list, &json!({}))["result"]);
    }
}

#[test]
fn i16_no_result_of_any_command_gives_a_model_a_command_to_type() {
    let closed = World::with_fixture_vault().set("backend = \"embedded\"");
    let open = World::with_fixture_vault().set("allow_mutations = true\nbackend = \"embedded\"");
    let catalogue = Catalogue::whole().unwrap();
    let ids = catalogue.commands().map(|command| command.id.clone());
    let ids: Vec<String> = ids.chain(["eval".to_owned(), "zzz".to_owned()]).collect();
    for world in [&closed, &open] {
        let mut client = Client::open(world, &[]);
        for id in &ids {
            for params in [
                json!({}),
                json!({ "path": "None.md" }),
                json!({ "path": "../x" }),
            ] {
                let wanted = json!({ "command": id, "params": params });
                let result = client.call("obsidianCli", &wanted);
                if result["isError"] == true {
                    assert_for_a_model(&result);
                    assert_says_each_thing_once(&result["structuredContent"]);
                }
            }
        }
        let missing = client.resource("None.md");
        assert_for_a_model(&missing);
        for (method, params) in [
            ("prompts/list", json!({})),
            ("resources/read", json!({ "uri": "file:///etc/passwd" })),
            ("tools/call", json!({ "name": "none", "arguments": {} })),
        ] {
            let answer: Value = client.ask(method, &params);
            assert_for_a_model(&answer);
        }
    }
}
