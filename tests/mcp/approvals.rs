//! Approvals through the client's own dialog.

use serde_json::{Value, json};

use super::client::{CURRENT, Client, code};
use crate::support::{Outcome as _, World, write_private};

/// What an approval of this run came by, by the audit log of the owner.
fn channels(world: &World, run: &str) -> Vec<Value> {
    let log = fs_err::read_to_string(world.state().join("audit.jsonl")).unwrap();
    let records = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_run = records.filter(|record| record["runId"] == run || record["command"] == run);
    of_run.map(|record| record["approvedBy"].clone()).collect()
}

fn world() -> World {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("a.md", "old\n");
    world
}

fn overwrite(content: &str) -> Value {
    json!({ "path": "a.md", "content": content, "overwrite": true })
}

/// Calls `create overwrite` and answers the question in this way; the question and the result.
fn ask_back(world: &World, answer: &Value) -> (Value, Value) {
    let mut client = Client::open_with(world.mcp(&[]), &json!({ "elicitation": {} }));
    let id = client.begin(
        "tools/call",
        &json!({ "name": "create", "arguments": overwrite("new\n") }),
    );
    let question = client.wait_for(|message| message["method"] == "elicitation/create");
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
    let result = client.wait_for(|message| message["id"] == id && message.get("result").is_some());
    (question, result["result"].clone())
}

#[test]
fn i14_a_person_says_yes_in_the_clients_dialog_to_all_that_is_shown() {
    let world = world();
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    let (question, result) = ask_back(&world, &yes);
    let shown = question["params"]["message"].as_str().unwrap();
    for part in ["create", "a.md", "-old", "+new", "write, destroy", "agent"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert_eq!(
        question["params"]["requestedSchema"]["required"],
        json!(["approve"])
    );
    assert_eq!(code(&result), "OK");
    assert_eq!(world.read("a.md"), "new\n");
    // The channel is on record: of the answer, of the intent and of the result.
    let run = result["structuredContent"]["runId"].as_str();
    let run = run.or_else(|| result["_meta"]["runId"].as_str());
    assert_eq!(channels(&world, "approve"), ["dialog"]);
    if let Some(run) = run {
        assert_eq!(channels(&world, run), ["dialog", "dialog"]);
    }
    let listed = world.run(&["undo", "--list", "--json"]).json();
    assert_eq!(listed["data"]["items"][0]["approvedBy"], "dialog");
    // The yes counted once.
    let mut client = Client::open(&world, &[]);
    client
        .call("create", &overwrite("newer\n"))
        .fails_with("APPROVAL_REQUIRED");
    assert_eq!(world.read("a.md"), "new\n");
}

#[test]
fn i14_whatever_is_not_a_clear_yes_changes_nothing() {
    for (answer, reason) in [
        (json!({ "action": "decline" }), "denied"),
        (
            json!({ "action": "accept", "content": { "approve": false } }),
            "denied",
        ),
        (json!({ "action": "cancel" }), "pending"),
        (
            json!({ "action": "accept", "content": { "approve": "yes" } }),
            "pending",
        ),
    ] {
        let world = world();
        let (_, result) = ask_back(&world, &answer);
        assert_eq!(code(&result), "APPROVAL_REQUIRED");
        assert_eq!(
            result["structuredContent"]["error"]["details"]["reason"], reason,
            "{answer}"
        );
        if reason == "denied" {
            // Not to ask again and to ask a person would be two opposite things.
            assert!(!result.to_string().contains("Ask a person"), "{result}");
        }
        assert_eq!(world.read("a.md"), "old\n");
    }
}

#[test]
fn i14_without_a_dialog_a_person_approves_at_the_terminal() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    let wanted = client
        .call("create", &overwrite("new\n"))
        .fails_with("APPROVAL_REQUIRED");
    let id = wanted["structuredContent"]["error"]["details"]["approval"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut with_approval = overwrite("new\n");
    with_approval["approval"] = json!(id);
    client
        .call("create", &with_approval)
        .fails_with("APPROVAL_REQUIRED");
    world.run(&["review", "accept", &id, "--yes"]).ended(0);
    let mut other = overwrite("other\n");
    other["approval"] = json!(id);
    client
        .call("create", &other)
        .fails_with("APPROVAL_REQUIRED");
    assert_eq!(world.read("a.md"), "old\n");
    client.call("create", &with_approval).succeeds();
    assert_eq!(world.read("a.md"), "new\n");
}

/// The tool `undo` is the redo of an undo, and takes the approval for that.
#[test]
fn h20_to_undo_an_undo_takes_an_approval_of_its_own() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    let ask = |client: &mut Client, tool: &str, arguments: &Value| {
        let wanted = client.call(tool, arguments).fails_with("APPROVAL_REQUIRED");
        let id = &wanted["structuredContent"]["error"]["details"]["approval"];
        let id = id.as_str().unwrap().to_owned();
        world.run(&["review", "accept", &id, "--yes"]).ended(0);
        let mut approved = arguments.clone();
        approved["approval"] = json!(id);
        client.call(tool, &approved).succeeds()
    };
    ask(&mut client, "create", &overwrite("new\n"));
    let undone = client.call("undo", &json!({})).succeeds();
    assert_eq!(world.read("a.md"), "old\n");
    let run = &undone["structuredContent"]["meta"]["run"];
    ask(&mut client, "undo", &json!({ "run": run }));
    assert_eq!(world.read("a.md"), "new\n");
}

/// A request of the current protocol, of a client that has dialogs.
fn current(params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    params
}

#[test]
fn i14_the_call_is_sent_again_with_a_state_that_counts_for_it_alone() {
    let world = world();
    let mut client = Client::start(world.mcp(&[]));
    let answer = client.ask(
        "tools/call",
        &current(json!({ "name": "create", "arguments": overwrite("new\n") })),
    );
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let question = &result["inputRequests"]["approve"];
    assert_eq!(question["method"], "elicitation/create");
    assert!(
        question["params"]["message"]
            .as_str()
            .unwrap()
            .contains("+new")
    );
    let state = result["requestState"].as_str().unwrap().to_owned();
    let yes = json!({ "approve": { "action": "accept", "content": { "approve": true } } });
    let again = |arguments: Value, state: &str, responses: &Value| {
        current(json!({
            "name": "create", "arguments": arguments, "requestState": state, "inputResponses": responses,
        }))
    };
    // Another call, a forged state.
    let other = client.ask("tools/call", &again(overwrite("evil\n"), &state, &yes));
    assert_eq!(code(&other["result"]), "APPROVAL_REQUIRED", "{other}");
    let forged = format!("{}x", &state[..state.len() - 1]);
    let other = client.ask("tools/call", &again(overwrite("new\n"), &forged, &yes));
    assert_eq!(code(&other["result"]), "APPROVAL_REQUIRED", "{other}");
    assert_eq!(world.read("a.md"), "old\n");
    let done = client.ask("tools/call", &again(overwrite("new\n"), &state, &yes));
    assert_eq!(code(&done["result"]), "OK", "{done}");
    assert_eq!(world.read("a.md"), "new\n");
    world.write("a.md", "old\n");
    let replayed = client.ask("tools/call", &again(overwrite("new\n"), &state, &yes));
    assert_eq!(code(&replayed["result"]), "APPROVAL_REQUIRED", "{replayed}");
    assert_eq!(world.read("a.md"), "old\n");
}

#[test]
fn i19_a_channel_that_the_settings_close_asks_nobody_and_approves_nothing() {
    for settings in [
        "approve_by = [\"terminal\"]",
        "approve_by = [\"terminal\", \"--yes\"]",
        "approve_by = []",
    ] {
        let world = world().set(settings);
        let mut client = Client::open_with(world.mcp(&[]), &json!({ "elicitation": {} }));
        let wanted = client
            .call("create", &overwrite("new\n"))
            .fails_with("APPROVAL_REQUIRED");
        let message = wanted["structuredContent"]["error"]["message"]
            .as_str()
            .unwrap();
        assert!(!message.contains("vault-gw"), "{message}");
        // A state that was never given out opens nothing either.
        let mut client = Client::start(world.mcp(&[]));
        let call = json!({ "name": "create", "arguments": overwrite("new\n") });
        let wanted = client.ask("tools/call", &current(call));
        assert!(wanted["result"].get("requestState").is_none(), "{wanted}");
        assert_eq!(world.read("a.md"), "old\n");
    }
}

#[test]
fn i19_a_yes_before_the_channel_was_closed_counts_no_more() {
    let world = world();
    let mut client = Client::start(world.mcp(&[]));
    let call = json!({ "name": "create", "arguments": overwrite("new\n") });
    let answer = client.ask("tools/call", &current(call));
    let state = answer["result"]["requestState"]
        .as_str()
        .unwrap()
        .to_owned();
    let file = world.scratch().join("mcp-settings.toml");
    let open = fs_err::read_to_string(&file).unwrap();
    write_private(&file, format!("approve_by = [\"terminal\"]\n{open}"));
    let again = client.ask(
        "tools/call",
        &current(json!({
            "name": "create", "arguments": overwrite("new\n"), "requestState": state,
            "inputResponses": { "approve": { "action": "accept", "content": { "approve": true } } },
        })),
    );
    assert_eq!(code(&again["result"]), "APPROVAL_REQUIRED", "{again}");
    assert_eq!(world.read("a.md"), "old\n");
}

#[test]
fn i19_an_agents_table_closes_a_channel_for_that_agent_alone() {
    let world = world().with_tables("[agents.narrow]\napprove_by = [\"terminal\"]\n[agents.wide]");
    for (agent, is_asked) in [("narrow", false), ("wide", true)] {
        let mut command = world.mcp(&[]);
        command.args(["--agent", agent]);
        let mut client = Client::start(command);
        let call = json!({ "name": "create", "arguments": overwrite("new\n") });
        let answer = client.ask("tools/call", &current(call));
        assert_eq!(
            answer["result"].get("requestState").is_some(),
            is_asked,
            "{answer}"
        );
    }
}
