//! Agents over HTTP, each with a token of its own.

use serde_json::{Value, json};

use super::client::{CURRENT, Client, code, text};
use super::http::Server;
use crate::support::{Outcome as _, World, finish};

const HOME: &str = "obsidian://note/Home.md";

fn world() -> World {
    let world = World::with_fixture_vault().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("Private/diary.md", "secret\n");
    world.write("Public/a.md", "# Public\n");
    world
}

/// Runs `agents` on the settings of the server; its answer as JSON.
fn agents(world: &World, words: &[&str]) -> Value {
    let mut command = world.program();
    let settings = world.scratch().join("mcp-settings.toml");
    command.arg("--settings").arg(settings);
    command.args(["-j", "agents"]).args(words);
    let ran = finish(command, b"");
    assert_eq!(ran.status, Some(0), "{words:?} {ran:?}");
    ran.json()["data"].clone()
}

fn token(data: &Value) -> String {
    data["token"].as_str().unwrap().to_owned()
}

/// The status of the answer to a ping with this token.
fn ping(server: &Server, token: &str, lines: &[&str]) -> u16 {
    let authorization = format!("Authorization: Bearer {token}");
    let mut lines = lines.to_vec();
    lines.extend([&*authorization, "MCP-Protocol-Version: 2025-11-25"]);
    server.status(
        &lines,
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
    )
}

fn read(server: &mut Server, token: &str, path: &str) -> Value {
    token.clone_into(&mut server.token);
    server.call("read", &json!({ "path": path }))
}

fn tools(server: &mut Server, token: &str) -> Vec<String> {
    token.clone_into(&mut server.token);
    let listed = server.ask_current("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

fn listen(server: &mut Server, token: &str) -> super::http::EventStream {
    token.clone_into(&mut server.token);
    let mut events = server.listen(&json!({
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": CURRENT,
            "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        },
        "notifications": { "resourceSubscriptions": [HOME] },
    }));
    let granted = events.next_event();
    assert_eq!(
        granted["method"],
        "notifications/subscriptions/acknowledged"
    );
    events
}

#[test]
fn i21_each_agent_has_its_rules_by_its_token_until_it_is_revoked() {
    let world = world();
    let mut server = Server::of(&world);
    let shared = server.token.clone();
    let guest = token(&agents(
        &world,
        &[
            "add",
            "guest",
            "--reads",
            "Public/**",
            "--commands",
            "@reads",
        ],
    ));
    let writer = token(&agents(&world, &["add", "writer"]));

    // The file changed while the server runs. Each has its own rules.
    read(&mut server, &guest, "Private/diary.md").fails_with("PATH_DENIED");
    read(&mut server, &guest, "Public/a.md").succeeds();
    assert!(text(&read(&mut server, &writer, "Private/diary.md")).contains("secret"));
    assert!(text(&read(&mut server, &shared, "Private/diary.md")).contains("secret"));
    let has_append = |tools: &[String]| tools.iter().any(|tool| tool == "append");
    assert!(!has_append(&tools(&mut server, &guest)));
    assert!(has_append(&tools(&mut server, &writer)));

    // Nothing but the token chooses an agent, and there is no session to take over.
    let lines = ["Mcp-Session-Id: 1", "X-Agent: writer", "Agent: writer"];
    assert_eq!(ping(&server, &guest, &lines), 200);
    guest.clone_into(&mut server.token);
    let disguised = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "read",
            "arguments": { "path": "Private/diary.md" },
            "agent": "writer",
            "_meta": { "agent": "writer" },
        },
    });
    let mut lines = lines.to_vec();
    lines.push("MCP-Protocol-Version: 2025-11-25");
    assert_ne!(server.status(&lines, &disguised), 401);
    let answer = server.answer(&lines, &disguised);
    assert!(!answer.to_string().contains("secret"), "{answer}");
    for wrong in [
        "",
        "guest",
        "writer",
        &guest[1..],
        &guest.to_uppercase(),
        &"0".repeat(64),
    ] {
        assert_eq!(ping(&server, wrong, &[]), 401, "{wrong}");
    }

    // A change is that agent's, in the log and for `undo`.
    writer.clone_into(&mut server.token);
    server
        .call(
            "append",
            &json!({ "path": "Public/a.md", "content": "more" }),
        )
        .succeeds();
    shared.clone_into(&mut server.token);
    assert_ne!(code(&server.call("undo", &json!({}))), "OK");
    writer.clone_into(&mut server.token);
    server.call("undo", &json!({})).succeeds();
    let log = finish(
        {
            let mut command = world.program();
            command.args(["-o", "jsonl", "audit"]);
            command
        },
        b"",
    );
    log.shows("\"agent\":\"writer\"");
    log.shows("\"agent\":\"guest\"");

    // A stream of the one ends when it is revoked, and that of the other goes on.
    let mut of_guest = listen(&mut server, &guest);
    let mut of_writer = listen(&mut server, &writer);
    assert_eq!(agents(&world, &["revoke", "guest"])["hadToken"], true);
    assert_eq!(ping(&server, &guest, &[]), 401);
    of_guest.ends();
    world.write("Home.md", "# Changed\n");
    let shown = of_writer.next_event();
    assert_eq!(
        shown["method"], "notifications/resources/updated",
        "{shown}"
    );
    assert_eq!(ping(&server, &writer, &[]), 200);

    // A new token ends the old one, and a new name keeps it.
    let again = token(&agents(&world, &["token", "writer"]));
    assert_eq!(ping(&server, &writer, &[]), 401);
    assert_eq!(
        agents(&world, &["rename", "writer", "author"])["hasToken"],
        true
    );
    assert!(text(&read(&mut server, &again, "Public/a.md")).contains("Public"));
    // A new agent of the old name does not get what the old one had.
    assert!(
        agents(&world, &["add", "guest", "--no-token", "--again"])
            .get("token")
            .is_none()
    );
    assert_eq!(ping(&server, &guest, &[]), 401);
}

#[test]
fn i07_a_token_without_an_agent_can_be_turned_off() {
    let world = world();
    let mut server = Server::of(&world);
    let shared = server.token.clone();
    let helper = token(&agents(&world, &["add", "helper"]));
    let settings = world.scratch().join("mcp-settings.toml");
    let text = fs_err::read_to_string(&settings).unwrap();
    fs_err::write(&settings, format!("{text}\n[http]\nshared_token = false\n")).unwrap();
    assert_eq!(ping(&server, &shared, &[]), 401);
    read(&mut server, &helper, "Home.md").succeeds();
    drop(server);
    let off = world.with_tables("[http]\nshared_token = false\n[agents.helper]\n[agents.other]");
    let server = Server::of(&off);
    assert!(
        !server.reported.contains("mcp-token"),
        "{}",
        server.reported
    );
    assert_eq!(ping(&server, &shared, &[]), 401);
    assert_eq!(ping(&server, &helper, &[]), 200);
    drop(server);
    // A server for one agent serves no other, and a token without a table opens nothing.
    let server = Server::start(off.mcp(&["--http", "0", "--agent", "other"]));
    assert_eq!(ping(&server, &helper, &[]), 401);
    drop(server);
    let without = self::world().with_tables("[http]\nshared_token = false");
    let command = {
        let mut command = without.mcp(&["--http", "127.0.0.1:0"]);
        command.env("XDG_STATE_HOME", off.state().parent().unwrap());
        command
    };
    assert_eq!(ping(&Server::start(command), &helper, &[]), 401);
}

#[test]
fn i21_a_server_of_an_agent_that_is_revoked_answers_nothing_more() {
    let world = world();
    let world = world.with_tables("[agents.helper]");
    let mut client = Client::open(&world, &["--agent", "helper"]);
    let read = json!({ "name": "read", "arguments": { "path": "Home.md" } });
    let answer = client.ask("tools/call", &read);
    assert_eq!(code(&answer["result"]), "OK", "{answer}");
    agents(&world, &["revoke", "helper"]);
    let answer = client.ask("tools/call", &read);
    assert_eq!(code(&answer["result"]), "BRIDGE_DISABLED", "{answer}");
    // A new server for it does not start.
    let without = self::world();
    let mut command = without.mcp(&["--agent", "helper"]);
    command.env("XDG_STATE_HOME", world.state().parent().unwrap());
    let ran = finish(command, b"");
    ran.ended(64);
    ran.reports("was revoked or renamed");
    assert_eq!(
        client.ask("tools/list", &json!({}))["result"]["tools"],
        json!([])
    );
}

/// An owner who takes the table out of the file may have revoked the agent: until the server starts again, it does not
/// get the rules of all agents, which open more.
#[test]
fn i21_a_server_whose_agent_loses_its_table_answers_nothing_more() {
    let world = world().with_tables("[agents.helper]\npaths.deny = [\"Private/**\"]");
    let mut client = Client::open(&world, &["--agent", "helper"]);
    let read = json!({ "name": "read", "arguments": { "path": "Home.md" } });
    let mut rows = Vec::new();
    let file = world.scratch().join("mcp-settings.toml");
    let with = fs_err::read_to_string(&file).unwrap();
    let without = with.split("[agents.helper]").next().unwrap();
    for text in [&with, without, &format!("{without}tier = \"v2\""), &with] {
        fs_err::write(&file, text).unwrap();
        rows.push(code(&client.ask("tools/call", &read)["result"]).to_owned());
    }
    let closed = "BRIDGE_DISABLED";
    assert_eq!(rows, ["OK", closed, closed, "OK"]);
}
