//! Subscriptions to notes, before revision 2026-07-28 and from it on, on both transports.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{CURRENT, Client};
use super::http::Server;
use crate::support::World;

const HOME: &str = "obsidian://note/Home.md";

fn world() -> World {
    World::with_fixture_vault()
        .set("backend = \"embedded\"")
        .with_tables("[paths]\ndeny = [\"Closed\"]\n")
}

fn is_update(message: &Value, uri: &str) -> bool {
    message["method"] == "notifications/resources/updated" && message["params"]["uri"] == uri
}

/// What a request of the current revision says of itself.
fn about() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn listen(resources: &[&str]) -> Value {
    json!({
        "_meta": about(),
        "notifications": { "toolsListChanged": true, "resourceSubscriptions": resources },
    })
}

/// Changes files again and again, since nothing tells when the server has looked at them first.
struct Restless {
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Restless {
    fn change(world: &World, paths: &[&str]) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let files: Vec<PathBuf> = paths.iter().map(|path| world.vault.join(path)).collect();
        let ended = Arc::clone(&ends);
        let thread = std::thread::spawn(move || {
            let mut text = String::new();
            while !ended.load(Ordering::Acquire) {
                text.push('x');
                for file in &files {
                    fs_err::write(file, &text).unwrap();
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        Self {
            ends,
            thread: Some(thread),
        }
    }
}

impl Drop for Restless {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

#[test]
fn a_subscribed_note_is_reported_until_it_is_unsubscribed() {
    let world = world();
    world.write("Closed/x.md", "x");
    let mut client = Client::open(&world, &[]);
    let subscribe =
        |client: &mut Client, uri: &str| client.ask("resources/subscribe", &json!({ "uri": uri }));
    assert_eq!(subscribe(&mut client, HOME)["result"], json!({}));
    let other = "obsidian://note/Inbox%2Fnew.md";
    for uri in [
        other,
        "obsidian://note/Closed/x.md",
        "file:///etc/passwd",
        "x",
    ] {
        let refused = subscribe(&mut client, uri);
        assert_eq!(refused["error"]["code"], -32002, "{uri}: {refused}");
    }
    world.write("Home.md", "# Changed once\n");
    client.wait_for(|message| is_update(message, HOME));
    fs_err::remove_file(world.vault.join("Home.md")).unwrap();
    client.wait_for(|message| is_update(message, HOME));
    let ended = client.ask("resources/unsubscribe", &json!({ "uri": HOME }));
    assert_eq!(ended["result"], json!({}));
    // Another note is looked at after this one, so news of it shows that there is none of this one.
    let log = "obsidian://note/Projects/Boat/Log.md";
    assert_eq!(subscribe(&mut client, log)["result"], json!({}));
    world.write("Home.md", "# Changed again\n");
    world.write("Projects/Boat/Log.md", "changed\n");
    client.wait_for(|message| is_update(message, log));
    let end = client.finish();
    assert!(
        !end.left.iter().any(|message| is_update(message, HOME)),
        "{:?}",
        end.left
    );
    // Each subscription is a call in the log, and each look is none.
    let log = world.run(&["-o", "jsonl", "audit"]);
    assert_eq!(
        log.text().matches("\"command\":\"file\"").count(),
        4,
        "{}",
        log.text()
    );
}

#[test]
fn j04_subscriptions_have_a_bound() {
    let world = world();
    for number in 0..65 {
        world.write(&format!("n/{number}.md"), "x");
    }
    let mut client = Client::open(&world, &[]);
    for number in 0..65 {
        let uri = format!("obsidian://note/n/{number}.md");
        let answer = client.ask("resources/subscribe", &json!({ "uri": uri }));
        assert_eq!(answer.get("error").is_some(), number == 64, "{answer}");
    }
    let again = json!({ "uri": "obsidian://note/n/0.md" });
    let again = client.ask("resources/subscribe", &again);
    assert_eq!(again["result"], json!({}), "it has one already");
}

#[test]
fn a_client_without_handshake_listens_and_is_reported_what_it_asked_for() {
    let world = world();
    world.write("Closed/x.md", "x");
    let mut client = Client::start(world.mcp(&[]));
    let new = "obsidian://note/New.md";
    let closed = "obsidian://note/Closed/x.md";
    let id = client.begin(
        "subscriptions/listen",
        &listen(&[HOME, new, closed, "test://x"]),
    );
    let granted = client.wait_for(|message| message["method"].is_string());
    assert_eq!(
        granted["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(
        granted["params"]["notifications"]["resourceSubscriptions"],
        json!([HOME, new, closed]),
        "the grant tells nothing of what exists"
    );
    {
        let _changes = Restless::change(&world, &["Closed/x.md", "Home.md", "New.md"]);
        let shown = client.wait_for(|message| is_update(message, HOME));
        let key = "io.modelcontextprotocol/subscriptionId";
        assert_eq!(shown["params"]["_meta"][key], id, "{shown}");
        client.wait_for(|message| is_update(message, new));
    }
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    });
    client.send(&cancel);
    let end = client.finish();
    let shown = |message: &Value| message["method"] == "notifications/tools/list_changed";
    assert!(
        !end.left
            .iter()
            .any(|message| is_update(message, closed) || shown(message))
    );
}

#[test]
fn a_change_of_the_settings_is_reported_to_whoever_listens_for_it() {
    let world = world();
    let mut client = Client::start(world.mcp(&[]));
    client.begin("subscriptions/listen", &listen(&[]));
    client.wait_for(|message| message["method"] == "notifications/subscriptions/acknowledged");
    let settings = world.scratch().join("mcp-settings.toml");
    let text = fs_err::read_to_string(&settings).unwrap();
    fs_err::write(&settings, format!("tier = \"v0\"\n{text}")).unwrap();
    let shown = client.wait_for(|message| message["method"] == "notifications/tools/list_changed");
    let key = "io.modelcontextprotocol/subscriptionId";
    assert!(shown["params"]["_meta"].get(key).is_some(), "{shown}");
}

#[test]
fn e11_the_end_of_the_input_ends_a_stream_in_order() {
    let world = world();
    let mut client = Client::start(world.mcp(&[]));
    let id = client.begin("subscriptions/listen", &listen(&[HOME]));
    client.wait_for(|message| message["method"] == "notifications/subscriptions/acknowledged");
    let end = client.finish();
    assert_eq!(end.status, Some(0));
    let closed = |message: &Value| message["id"] == id && message["result"].is_object();
    assert!(end.left.iter().any(closed), "{:?}", end.left);
}

#[test]
fn over_http_only_the_current_revision_has_news() {
    let world = world();
    let server = Server::of(&world);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let capabilities = server.ask(&hello)["result"]["capabilities"].clone();
    assert_eq!(capabilities["tools"], json!({}), "{capabilities}");
    assert_eq!(capabilities["resources"], json!({}), "{capabilities}");
    let subscribe = json!({
        "jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": { "uri": HOME },
    });
    assert_eq!(server.ask(&subscribe)["error"]["code"], -32601);
    let discovered = server.ask_current("server/discover", json!({}));
    let capabilities = &discovered["result"]["capabilities"];
    assert_eq!(capabilities["resources"]["subscribe"], true, "{discovered}");
    let removed = server.ask_current("resources/subscribe", json!({ "uri": HOME }));
    assert_eq!(removed["error"]["code"], -32601, "{removed}");
    let removed = server.ask_current("initialize", json!({}));
    assert_eq!(removed["error"]["code"], -32601, "{removed}");

    let mut stream = server.listen(&listen(&[HOME]));
    let granted = stream.next_event();
    assert_eq!(
        granted["method"],
        "notifications/subscriptions/acknowledged"
    );
    let _changes = Restless::change(&world, &["Home.md"]);
    assert!(is_update(&stream.next_event(), HOME));
}

#[test]
fn j02_streams_have_a_bound_and_end_with_their_client() {
    let world = world();
    let server = Server::of(&world);
    let mut open = Vec::new();
    for number in 0..17 {
        let mut stream = server.listen(&listen(&[HOME]));
        let granted = stream.next_event();
        assert_eq!(
            granted["method"],
            "notifications/subscriptions/acknowledged"
        );
        if number == 16 {
            let refused = stream.next_event();
            assert!(refused["error"]["message"].as_str().unwrap().contains("16"));
        } else {
            open.push(stream);
        }
    }
    drop(open);
    // A place becomes free once the server has seen that a client is gone.
    let _changes = Restless::change(&world, &["Home.md"]);
    assert!(crate::support::processes::comes_true(|| {
        let mut stream = server.listen(&listen(&[HOME]));
        stream.next_event();
        is_update(&stream.next_event(), HOME)
    }));
}
