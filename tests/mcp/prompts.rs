//! What a client offers a person: prompts, completion of note names, names of tools with a prefix; and
//! what the log says of the client.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::{Outcome as _, World};

fn world() -> World {
    World::with_fixture_vault().set("backend = \"embedded\"")
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let world = world();
    let mut client = Client::open(&world, &["--tool-prefix", "work_"]);
    let listed = client.ask("prompts/list", &json!({}));
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    let names: Vec<&str> = prompts
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["daily_review", "weekly_review", "find_and_summarise"]
    );
    let subject = json!({ "name": "find_and_summarise", "arguments": { "subject": "boats" } });
    let filled = client.ask("prompts/get", &subject);
    let message = &filled["result"]["messages"][0];
    assert_eq!(message["role"], "user");
    let text = message["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("`work_notes_search`") && text.ends_with("Subject: boats"),
        "{text}"
    );
    let missing = client.ask("prompts/get", &json!({ "name": "find_and_summarise" }));
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
}

#[test]
fn tools_have_the_prefix_and_no_other_name() {
    let world = world();
    let mut client = Client::open(&world, &["--tool-prefix", "work_"]);
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .all(|tool| tool["name"].as_str().unwrap().starts_with("work_")),
        "{tools:#?}"
    );
    client
        .call("work_read", &json!({ "path": "Home.md" }))
        .succeeds();
    let wanted = json!({ "name": "read", "arguments": { "path": "Home.md" } });
    assert_eq!(client.ask("tools/call", &wanted)["error"]["code"], -32602);
}

fn complete(client: &mut Client, uri: &str, argument: &str, value: &str) -> Value {
    let wanted = json!({
        "ref": { "type": "ref/resource", "uri": uri },
        "argument": { "name": argument, "value": value },
    });
    client.ask("completion/complete", &wanted)["result"]["completion"].clone()
}

#[test]
fn paths_of_notes_are_completed_and_closed_ones_are_not() {
    let world = World::empty().set("paths.deny = [\"Private/**\"]\nbackend = \"embedded\"");
    for path in "Home.md|Work/home office.md|Work/At home.md|Private/Home alone.md".split('|') {
        world.write(path, "x\n");
    }
    let mut client = Client::open(&world, &[]);
    let template = client.ask("resources/templates/list", &json!({}));
    let uri = template["result"]["resourceTemplates"][0]["uriTemplate"]
        .as_str()
        .unwrap()
        .to_owned();
    let found = complete(&mut client, &uri, "path", "HOME");
    let expected = ["Home.md", "Work/home office.md", "Work/At home.md"];
    assert_eq!(found["values"], json!(expected));
    assert_eq!(found["total"], 3);
    assert_eq!(
        complete(&mut client, &uri, "path", "Private")["values"],
        json!([])
    );
    assert_eq!(
        complete(&mut client, &uri, "name", "H")["values"],
        json!([])
    );
    assert_eq!(
        complete(&mut client, "x://{y}", "path", "H")["values"],
        json!([])
    );
    let mut subject = |prompt: &str, argument: &str| {
        let wanted = json!({
            "ref": { "type": "ref/prompt", "name": prompt },
            "argument": { "name": argument, "value": "home" },
        });
        client.ask("completion/complete", &wanted)
    };
    let found = subject("find_and_summarise", "subject");
    let expected = ["Home", "home office", "At home"];
    assert_eq!(found["result"]["completion"]["values"], json!(expected));
    for (prompt, argument) in [
        ("nope", "subject"),
        ("find_and_summarise", "nope"),
        ("daily_review", "subject"),
    ] {
        assert_eq!(
            subject(prompt, argument)["error"]["code"],
            -32602,
            "{prompt}"
        );
    }
}

#[test]
fn a_closed_command_closes_the_prompts_and_resources_that_need_it() {
    let world = world().set("commands.deny = [\"read\", \"tasks\", \"notes:search\"]");
    let mut client = Client::open(&world, &[]);
    let mut listed = |method: &str| client.ask(method, &json!({}))["result"].clone();
    assert_eq!(listed("prompts/list")["prompts"], json!([]));
    let resources = listed("resources/list")["resources"].clone();
    assert_eq!(resources.as_array().unwrap().len(), 1, "the skill alone");
    let templates = listed("resources/templates/list");
    assert_eq!(templates["resourceTemplates"], json!([]));
    let tools = listed("tools/list").to_string();
    assert!(!tools.contains("notes_search") && !tools.contains("notes:search"));
    let template = "obsidian://note/{+path}";
    assert_eq!(
        complete(&mut client, template, "path", "H")["values"],
        json!([])
    );
    let read = client.ask(
        "resources/read",
        &json!({ "uri": "obsidian://note/Home.md" }),
    );
    assert!(
        read["error"].to_string().contains("COMMAND_DENIED"),
        "{read}"
    );
    let prompt = client.ask("prompts/get", &json!({ "name": "daily_review" }));
    assert_eq!(prompt["error"]["code"], -32602, "{prompt}");
}

#[test]
fn the_audit_log_says_which_client_asked() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    client.call("read", &json!({ "path": "Home.md" }));
    assert!(client.finish().left.is_empty());
    let log = fs_err::read_to_string(world.state().join("audit.jsonl")).unwrap();
    let entries = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let clients: Vec<Value> = entries
        .filter(|entry| entry["command"] == "read")
        .map(|entry| entry["client"].clone())
        .collect();
    assert_eq!(clients, [json!("test 1")]);
}
