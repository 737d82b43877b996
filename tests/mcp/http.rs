//! Streamable HTTP over loopback sockets, byte by byte.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fake_obsidian::scenario::{Action, Scenario};
use serde_json::{Value, json};

use super::client::{CURRENT, code, text};
use crate::support::processes::{comes_true, descriptors_of, is_gone};
use crate::support::{World, finish, write_private};

const CASES: &str = include_str!("../data/mcp_http.txt");

/// A running `vault-gw mcp --http`. Ends when dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
    token_file: PathBuf,
    pub(super) token: String,
    pub(super) reported: String,
}

/// The header line of the revision before the current one.
const BEFORE_CURRENT: &str = "MCP-Protocol-Version: 2025-11-25";

/// An answer as it came.
#[derive(Debug)]
struct Got {
    status: u16,
    head: String,
    body: String,
}

impl Got {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect(&self.body)
    }
}

impl Server {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut shown = String::new();
        BufReader::new(child.stderr.as_mut().unwrap())
            .read_line(&mut shown)
            .unwrap();
        let (_, address) = shown.split_once("http://").unwrap();
        let address = address.split("/mcp").next().unwrap().to_owned();
        let token_file = PathBuf::from(shown.trim_end().rsplit(" in ").next().unwrap());
        // A server for tokens of agents alone names no file.
        let token = fs_err::read_to_string(&token_file).unwrap_or_default();
        let token = token.trim().to_owned();
        Self {
            child,
            address,
            token_file,
            token,
            reported: shown,
        }
    }

    pub(super) fn of(world: &World) -> Self {
        Self::start(world.mcp(&["--http", "127.0.0.1:0"]))
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream
    }

    /// Sends a call, with more header lines if need be, and does not wait for the answer.
    fn call_and_go_on(&self, headers: &str, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\n{headers}Authorization: Bearer {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
            self.address,
            self.token,
            body.len()
        );
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .unwrap();
        stream
    }

    /// Sends a request as it is and reads to the end of the connection.
    fn raw(&self, request: &str) -> Got {
        let mut stream = self.connect();
        // It may be turned away before all of it was sent.
        drop(stream.write_all(request.as_bytes()));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1);
        let status = status.and_then(|status| status.parse().ok());
        Got {
            status: status.unwrap_or_default(),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    /// A request with these header lines besides the necessary ones; a later line replaces one of
    /// the same name.
    fn send(&self, method: &str, path: &str, lines: &[&str], body: &str) -> Got {
        let mut head = vec![
            format!("Host: {}", self.address),
            format!("Authorization: Bearer {}", self.token),
            "Content-Type: application/json".to_owned(),
            "Accept: application/json, text/event-stream".to_owned(),
            format!("Content-Length: {}", body.len()),
            "Connection: close".to_owned(),
        ];
        for line in lines {
            let name = line.split(':').next().unwrap().to_ascii_lowercase();
            head.retain(|known| known.split(':').next().unwrap().to_ascii_lowercase() != name);
            if !line.ends_with(':') {
                head.push((*line).to_owned());
            }
        }
        self.raw(&format!(
            "{method} {path} HTTP/1.1\r\n{}\r\n\r\n{body}",
            head.join("\r\n")
        ))
    }

    fn post(&self, lines: &[&str], message: &Value) -> Got {
        self.send("POST", "/mcp", lines, &message.to_string())
    }

    /// The status of the answer to a message.
    pub(super) fn status(&self, lines: &[&str], message: &Value) -> u16 {
        self.post(lines, message).status
    }

    /// The answer to a message with these header lines.
    pub(super) fn answer(&self, lines: &[&str], message: &Value) -> Value {
        self.post(lines, message).json()
    }

    /// The answer to a message of an older revision.
    pub(super) fn ask(&self, message: &Value) -> Value {
        self.post(&[], message).json()
    }

    /// The answer to a request of the current revision.
    pub(super) fn ask_current(&self, method: &str, params: Value) -> Value {
        let name = params.get("uri").and_then(Value::as_str).map(str::to_owned);
        send_current(self, &current(method, name.as_deref(), params)).json()
    }

    /// Opens a stream of news.
    pub(super) fn listen(&self, params: &Value) -> EventStream {
        let message = json!({
            "jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": params,
        });
        let headers =
            format!("MCP-Protocol-Version: {CURRENT}\r\nMcp-Method: subscriptions/listen\r\n");
        let stream = self.call_and_go_on(&headers, &message.to_string());
        EventStream(BufReader::new(stream))
    }

    /// A call of the revision before the current one.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let got = self.post(&[BEFORE_CURRENT], &call(1, tool, arguments));
        assert_eq!(got.status, 200, "{got:?}");
        got.json()["result"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An answer that is sent in events.
pub(super) struct EventStream(BufReader<TcpStream>);

impl EventStream {
    /// Reads to the end of the answer, which the server ends.
    pub(super) fn ends(&mut self) {
        loop {
            let mut line = String::new();
            let read = self.0.read_line(&mut line).unwrap();
            if read == 0 || line.trim_end() == "0" {
                return;
            }
        }
    }

    /// The next message.
    pub(super) fn next_event(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(data) = line.strip_prefix("data:")
                && !data.trim().is_empty()
            {
                return serde_json::from_str(data.trim()).expect(data);
            }
        }
    }
}

fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments },
    })
}

/// A message of the current protocol, and the header lines that go with it.
fn current(method: &str, name: Option<&str>, params: Value) -> (Value, Vec<String>) {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let mut lines = vec![
        format!("MCP-Protocol-Version: {CURRENT}"),
        format!("Mcp-Method: {method}"),
    ];
    lines.extend(name.map(|name| format!("Mcp-Name: {name}")));
    (
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }),
        lines,
    )
}

fn world() -> World {
    World::with_fixture_vault().set("allow_mutations = true\nbackend = \"embedded\"")
}

fn append() -> Value {
    let arguments = json!({ "path": "Home.md", "content": "evil" });
    call(1, "append", &arguments)
}

fn read() -> Value {
    call(1, "read", &json!({ "path": "Home.md" }))
}

/// What the server answers who reads a note.
fn code_of_read(server: &Server, path: &str) -> String {
    code(&server.call("read", &json!({ "path": path }))).to_owned()
}

/// Whether the app was asked for a note.
fn is_read(world: &World) -> bool {
    world.runs().iter().any(|run| run.contains("read"))
}

fn send_current(server: &Server, message: &(Value, Vec<String>)) -> Got {
    let lines: Vec<&str> = message.1.iter().map(String::as_str).collect();
    server.post(&lines, &message.0)
}

#[test]
fn both_revisions_are_served_without_sessions() {
    let world = world();
    let server = Server::of(&world);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let got = server.post(&[], &hello);
    assert_eq!(got.status, 200, "{got:?}");
    assert_eq!(got.json()["result"]["protocolVersion"], "2025-06-18");
    assert!(!got.head.contains("mcp-session-id"), "{got:?}");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let shown = server.post(&[], &initialized);
    assert_eq!((shown.status, shown.body.as_str()), (202, ""));
    assert!(text(&server.call("read", &json!({ "path": "Home.md" }))).contains("# Home"));
    assert_eq!(code_of_read(&server, "None.md"), "FILE_NOT_FOUND");

    let listed = send_current(&server, &current("tools/list", None, json!({})));
    assert_eq!(listed.status, 200, "{listed:?}");
    let over_http = listed.json()["result"]["tools"].clone();
    let mut client = super::client::Client::open(&world, &[]);
    let over_stdio = client.ask("tools/list", &json!({}));
    assert_eq!(over_http, over_stdio["result"]["tools"]);
    let read = json!({ "name": "read", "arguments": { "path": "Home.md" } });
    let read = send_current(&server, &current("tools/call", Some("read"), read));
    assert!(text(&read.json()["result"]).contains("# Home"), "{read:?}");

    // Whoever holds the token could answer a dialog, so over HTTP none is asked or believed (I19).
    let before = world.read("Home.md");
    let overwrite = json!({ "name": "create", "arguments": { "path": "Home.md", "content": "new", "overwrite": true } });
    let wanted = current("tools/call", Some("create"), overwrite.clone());
    let wanted = send_current(&server, &wanted).json();
    assert_eq!(wanted["result"]["resultType"], "complete", "{wanted}");
    assert_eq!(code(&wanted["result"]), "APPROVAL_REQUIRED", "{wanted}");
    let mut again = overwrite;
    again["inputResponses"] =
        json!({ "approve": { "action": "accept", "content": { "approve": true } } });
    let refused = send_current(&server, &current("tools/call", Some("create"), again)).json();
    assert_ne!(code(&refused["result"]), "OK", "{refused}");
    assert_eq!(world.read("Home.md"), before);
}

#[test]
fn i04_i05_foreign_hosts_and_origins_are_turned_away_before_anything() {
    let world = world();
    let before = world.read("Home.md");
    let server = Server::of(&world);
    for line in tables::lines(CASES, "i04 i05 foreign hosts and origins") {
        let got = server.post(&[line], &append());
        assert_eq!(got.status, 403, "{line} {got:?}");
        // Not even whoever has no token learns more.
        let nobody = server.post(&[line, "Authorization:"], &append());
        assert_eq!(nobody.status, 403);
        assert!(!got.head.contains("access-control"), "{got:?}");
    }
    assert_eq!(world.read("Home.md"), before);
    drop(server);
    let words = "--http 127.0.0.1:0 --allow-origin https://app.example --allow-host notes.example";
    let words: Vec<&str> = words.split(' ').collect();
    let server = Server::start(world.mcp(&words));
    let listed = [
        "Host: notes.example",
        "Origin: https://app.example",
        BEFORE_CURRENT,
    ];
    assert_eq!(server.status(&listed, &read()), 200);
    assert_eq!(
        server.status(&["Origin: https://evil.example"], &append()),
        403
    );
}

#[test]
fn i05_the_browser_of_a_listed_page_is_reported_what_it_may_send_and_no_other() {
    let world = world();
    let words = [
        "--http",
        "127.0.0.1:0",
        "--allow-origin",
        "https://app.example",
    ];
    let server = Server::start(world.mcp(&words));
    let asks = |origin: &str, more: &str| {
        let origin = format!("Origin: {origin}");
        let lines = [
            origin.as_str(),
            "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: authorization,content-type,mcp-protocol-version",
            "Authorization:",
            "Content-Type:",
            more,
        ];
        server.send("OPTIONS", "/mcp", &lines, "")
    };
    let output = asks("https://app.example", "X-A: b");
    assert_eq!(output.status, 204, "{output:?}");
    for line in [
        "access-control-allow-origin: https://app.example\r\n",
        "access-control-allow-methods: post\r\n",
        "vary: origin\r\n",
        "access-control-max-age: 600\r\n",
    ] {
        assert!(output.head.contains(line), "{line} {output:?}");
    }
    let fields = output.head.split("access-control-allow-headers: ").nth(1);
    let fields: Vec<&str> = fields
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .split(", ")
        .collect();
    for field in "authorization content-type mcp-protocol-version mcp-method mcp-name".split(' ') {
        assert!(fields.contains(&field), "{field} in {fields:?}");
    }
    assert!(!output.head.contains("private-network") && !output.head.contains("credentials"));
    let private = "Access-Control-Request-Private-Network: true";
    let local = asks("https://app.example", private);
    let allowed = "access-control-allow-private-network: true";
    assert!(local.head.contains(allowed), "{local:?}");

    // The answers, good or bad, are shown to that page.
    let page = "Origin: https://app.example";
    for (line, status) in [
        (BEFORE_CURRENT, 200),
        ("Authorization:", 401),
        ("Content-Type: text/plain", 415),
    ] {
        let got = server.post(&[page, line], &read());
        assert_eq!(got.status, status, "{line} {got:?}");
        let shown = "access-control-allow-origin: https://app.example\r\n";
        assert!(got.head.contains(shown), "{got:?}");
        assert_eq!(got.head.matches("access-control-allow-origin").count(), 1);
    }
    for origin in "https://evil.example null https://app.example.evil.example".split(' ') {
        let got = asks(origin, "X-A: b");
        assert_eq!(got.status, 403, "{origin}");
        assert!(!got.head.contains("access-control"), "{got:?}");
    }
    // Programs are told nothing of it, and what is no such question is none.
    let program = server.post(&[BEFORE_CURRENT], &read());
    assert!(!program.head.contains("access-control"), "{program:?}");
    let bare = server.send("OPTIONS", "/mcp", &[page, "Authorization:"], "");
    assert_eq!(bare.status, 401, "{bare:?}");
}

#[test]
fn j02_a_client_with_many_calls_leaves_places_to_the_others() {
    let scenario = Scenario::logged().always("read", [Action::Hang]);
    let world = World::empty()
        .with_fake(&scenario)
        .set("allow_mutations = true\nbackend = \"auto\"");
    world.write("n.md", "text\n");
    let server = Server::of(&world);
    let body = call(1, "read", &json!({ "path": "n.md" })).to_string();
    let greedy: Vec<TcpStream> = (0..40)
        .map(|_| server.call_and_go_on("User-Agent: greedy\r\n", &body))
        .collect();
    assert!(comes_true(|| is_read(&world)));
    let list = call(1, "obsidianCli", &json!({ "command": "notes:list" }));
    let other = server.post(&["User-Agent: other", BEFORE_CURRENT], &list);
    assert_eq!(code(&other.json()["result"]), "OK", "{other:?}");
    drop(greedy);
    for run in world.invocations() {
        assert!(is_gone(run.process.ids.pid));
    }
}

#[test]
fn i06_what_a_web_page_can_send_by_itself_has_no_effect() {
    let world = world();
    let before = world.read("Home.md");
    let server = Server::of(&world);
    let body = append().to_string();
    let asks = "Access-Control-Request-Method: POST";
    for (method, lines) in [
        ("POST", &["Content-Type: text/plain"][..]),
        ("POST", &["Content-Type: application/x-www-form-urlencoded"]),
        ("POST", &["Content-Type: multipart/form-data; boundary=x"]),
        ("POST", &["Authorization:"]),
        ("OPTIONS", &["Origin: https://evil.example", asks]),
        (
            "OPTIONS",
            &["Access-Control-Request-Headers: authorization", asks],
        ),
        ("GET", &[]),
        ("PUT", &[]),
        ("DELETE", &[]),
    ] {
        let got = server.send(method, "/mcp", lines, &body);
        let is_refused = (400..500).contains(&got.status);
        assert!(is_refused, "{method} {lines:?} {got:?}");
        assert!(!got.head.contains("access-control"), "{got:?}");
    }
    assert_eq!(world.read("Home.md"), before);
}

#[test]
fn i07_it_listens_on_loopback_needs_its_token_and_never_reports_it() {
    let world = world();
    for address in ["0.0.0.0:0", "[::]:0", "example.org:80"] {
        let output = world.mcp(&["--http", address]).output().unwrap();
        assert_eq!(output.status.code(), Some(64), "{address}");
        assert!(output.stdout.is_empty());
    }
    let mut server = Server::start(world.mcp(&["--http", "0"]));
    assert!(
        server.address.starts_with("127.0.0.1:"),
        "{}",
        server.reported
    );
    let is_ours = server.token_file.starts_with(world.state());
    assert!(is_ours, "{}", server.reported);
    assert_eq!(server.token.len(), 64);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = fs_err::metadata(&server.token_file).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    let wrong = format!("Authorization: Bearer {}", "0".repeat(64));
    let basic = format!("Authorization: Basic {}", server.token);
    for line in ["Authorization:", "Authorization: Bearer", &wrong, &basic] {
        let got = server.post(&[line], &append());
        assert_eq!(got.status, 401, "{line}");
        assert!(got.head.contains("www-authenticate: bearer"));
    }
    let in_url = format!("/mcp?access_token={}", server.token);
    let got = server.send("POST", &in_url, &["Authorization:"], &append().to_string());
    assert_eq!(got.status, 401);
    assert_eq!(code_of_read(&server, "Home.md"), "OK");
    // The same file serves the next start; nothing that was said holds the token.
    server.child.kill().unwrap();
    let mut said = server.reported.clone();
    let mut rest = server.child.stderr.take().unwrap();
    rest.read_to_string(&mut said).unwrap();
    assert!(!said.contains(&server.token), "{said}");
    let next = Server::of(&world);
    assert_eq!(next.token, server.token);
    let named = world.scratch().join("token");
    write_private(&named, "abc\n");
    let short = world
        .mcp(&["--http", "0", "--token-file", named.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(short.status.code(), Some(78));
    assert!(!String::from_utf8_lossy(&short.stderr).contains("abc"));
}

#[test]
fn i08_there_are_no_sessions_to_guess_or_to_flood() {
    let world = world();
    let server = Server::of(&world);
    let one = |number: u32| {
        let line = format!("Mcp-Session-Id: {number:032x}");
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        server.post(&[&line, BEFORE_CURRENT], &ping)
    };
    for number in 0..50 {
        assert_eq!(one(number).status, 200);
    }
    #[cfg(target_os = "linux")]
    let before = super::client::memory_of(server.child.id(), "VmRSS");
    for number in 50..500 {
        let got = one(number);
        assert_eq!(got.status, 200, "{got:?}");
        assert!(!got.head.contains("mcp-session-id"), "{got:?}");
    }
    #[cfg(target_os = "linux")]
    assert!(super::client::memory_of(server.child.id(), "VmRSS") < before + 8 * 1024);
    for method in ["GET", "DELETE"] {
        let lines = ["Mcp-Session-Id: 1", "Accept: text/event-stream"];
        let got = server.send(method, "/mcp", &lines, "");
        assert_eq!(got.status, 405, "{got:?}");
    }
}

#[test]
fn i09_headers_that_say_another_thing_than_the_body_run_nothing() {
    let world = world();
    let before = world.read("Home.md");
    let server = Server::of(&world);
    let arguments =
        json!({ "name": "append", "arguments": { "path": "Home.md", "content": "evil" } });
    let (message, _) = current("tools/call", Some("append"), arguments);
    let version = format!("MCP-Protocol-Version: {CURRENT}");
    for lines in [
        vec![&*version, "Mcp-Method: tools/list", "Mcp-Name: append"],
        vec![&*version, "Mcp-Method: tools/call", "Mcp-Name: read"],
        vec![&*version, "Mcp-Method: tools/call"],
        vec![&*version, "Mcp-Name: append"],
        vec![BEFORE_CURRENT, "Mcp-Method: tools/call", "Mcp-Name: append"],
    ] {
        let got = server.post(&lines, &message);
        assert_eq!(got.status, 400, "{lines:?} {got:?}");
        assert_eq!(got.json()["error"]["code"], -32020, "{lines:?}");
    }
    let unknown = server.post(&["MCP-Protocol-Version: 1999-01-01"], &append());
    assert_eq!(unknown.status, 400, "{unknown:?}");
    assert_eq!(world.read("Home.md"), before);
}

#[test]
fn i12_a_client_that_goes_away_takes_its_call_along() {
    let scenario = Scenario::logged().always("read", [Action::Hang]);
    let world = World::empty()
        .with_fake(&scenario)
        .set("backend = \"obsidian\"");
    world.write("n.md", "text\n");
    let server = Server::of(&world);
    let body = call(1, "read", &json!({ "path": "n.md" })).to_string();
    let stream = server.call_and_go_on("", &body);
    assert!(comes_true(|| is_read(&world)));
    let child = world.invocations().pop().unwrap().process.ids.pid;
    drop(stream);
    assert!(is_gone(child));
}

#[test]
fn i13_batches_and_calls_without_id_run_nothing_over_http_either() {
    let world = world();
    let before = world.read("Home.md");
    let server = Server::of(&world);
    let mut nameless = append();
    nameless.as_object_mut().unwrap().remove("id");
    let twice = append().to_string();
    let twice = twice.replace("\"id\":1", "\"id\":1,\"id\":2");
    for body in [
        format!("[{}]", append()),
        nameless.to_string(),
        "{".to_owned(),
        twice,
    ] {
        let got = server.send("POST", "/mcp", &[], &body);
        assert_eq!(got.status, 400, "{body} {got:?}");
        assert!(got.json()["error"]["code"].as_i64().unwrap() <= -32600);
    }
    let large = format!("Content-Length: {}", 17 << 20);
    assert_eq!(server.send("POST", "/mcp", &[&large], "{").status, 413);
    assert_eq!(world.read("Home.md"), before);
}

#[cfg(target_os = "linux")]
#[test]
fn i19_over_http_no_dialog_is_asked_and_none_is_believed() {
    let world = world();
    let server = Server::of(&world);
    let before = world.read("Home.md");
    let arguments = json!({ "path": "Home.md", "permanent": true });
    let call =
        json!({ "name": "obsidianCli", "arguments": { "command": "delete", "params": arguments } });
    let message = current("tools/call", Some("obsidianCli"), call.clone());
    let wanted = send_current(&server, &message).json();
    let result = &wanted["result"];
    assert_eq!(code(result), "APPROVAL_REQUIRED", "{wanted}");
    assert!(result.get("inputRequests").is_none() && result.get("requestState").is_none());
    let shown = &result["structuredContent"]["error"]["message"];
    let shown = shown.as_str().unwrap();
    assert!(shown.contains("owner of the vault"), "{shown}");
    assert!(!shown.contains("`vault-gw"), "{shown}");
    // Whatever is sent as the answer of a dialog, and the approval's id with it.
    let id = result["structuredContent"]["error"]["details"]["approval"].clone();
    for state in ["x", id.as_str().unwrap()] {
        let mut answered = call.clone();
        answered["requestState"] = json!(state);
        answered["inputResponses"] =
            json!({ "approve": { "action": "accept", "content": { "approve": true } } });
        answered["arguments"]["approval"] = id.clone();
        let message = current("tools/call", Some("obsidianCli"), answered);
        let again = send_current(&server, &message).json();
        assert_eq!(code(&again["result"]), "APPROVAL_REQUIRED", "{again}");
        let error = &again["result"]["structuredContent"]["error"];
        assert_eq!(error["details"]["reason"], "door-closed");
    }
    assert_eq!(world.read("Home.md"), before);
}

#[test]
fn j03_without_descriptors_it_waits_and_goes_on_afterwards() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let world = world();
    let server = Server::of(&world);
    assert_eq!(code_of_read(&server, "Home.md"), "OK");
    let pid = Pid::from_raw(server.child.id().cast_signed()).unwrap();
    // The connection of the call before may not be gone yet.
    let count = || descriptors_of(server.child.id());
    let open = (0..50).map(|_| count()).min().unwrap();
    let limit = |soft: usize| {
        let limits = Rlimit {
            current: Some(soft as u64),
            maximum: Some(4096),
        };
        prlimit(Some(pid), Resource::Nofile, limits).unwrap();
    };
    // Not one more: whoever connects waits outside.
    limit(open);
    let idle: Vec<TcpStream> = (0..40).map(|_| server.connect()).collect();
    let mut waiting = server.call_and_go_on("Connection: close\r\n", &read().to_string());
    // It neither ends nor runs in circles.
    let busy = processor_ticks(pid);
    drop(idle);
    let wait = |stream: &TcpStream, time| stream.set_read_timeout(Some(time)).unwrap();
    wait(&waiting, Duration::from_millis(300));
    // There is no descriptor for it.
    assert!(waiting.read(&mut [0]).is_err());
    assert!(processor_ticks(pid) - busy < 20, "{busy}");
    limit(1024);
    wait(&waiting, Duration::from_secs(30));
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(code_of_read(&server, "Home.md"), "OK");
}

#[test]
fn an_address_that_is_taken_is_reported_with_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = finish(world().mcp(&["--http", &address]), b"");
    ran.ended(74);
    let message = format!(
        "error[IO_ERROR]: Cannot listen on {address}: address in use.\nhint: Use another port.\n"
    );
    assert_eq!(ran.stderr, message);
    assert_eq!(ran.text(), "");
}

/// What a process has had of the processors, in hundredths of a second.
#[cfg(target_os = "linux")]
fn processor_ticks(pid: rustix::process::Pid) -> u64 {
    let stat = fs_err::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    // The name may hold blanks; after it `state` is the first field, `utime` the twelfth.
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    let ticks = fields.skip(11).take(2);
    ticks.map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}
