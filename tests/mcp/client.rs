//! A client that checks every line it gets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

pub(crate) use crate::support::json_code as code;
use crate::support::{World, write_private};

/// How long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(120);

/// The revisions of the protocol with a handshake.
pub(super) const LATEST_WITH_HANDSHAKE: &str = "2025-11-25";
/// The current one, without.
pub(super) const CURRENT: &str = "2026-07-28";

/// A running `vault-gw mcp` on pipes. Ends when dropped.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// What came while something else was waited for.
    set_aside: Vec<Value>,
    next_id: u64,
}

/// How the program ended.
pub(super) struct End {
    pub(super) status: Option<i32>,
    pub(super) stderr: String,
    /// Messages that nobody had waited for.
    pub(super) left: Vec<Value>,
}

impl World {
    /// The program with a settings file for agents whose bridge is on.
    pub(crate) fn mcp(&self, words: &[&str]) -> Command {
        let settings = self.scratch().join("mcp-settings.toml");
        write_private(&settings, format!("enabled = true\n{}", self.settings));
        let mut command = self.program();
        command
            .arg("--settings")
            .arg(settings)
            .arg("mcp")
            .args(words);
        command
    }
}

impl Client {
    /// Starts the program; nothing is said yet.
    pub(super) fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                // Whatever is no message of the protocol fails the test (I01).
                let line = line.unwrap();
                let message: Value = serde_json::from_str(&line).expect(&line);
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            input,
            lines,
            set_aside: Vec::new(),
            next_id: 1,
        }
    }

    /// Starts the program and shakes hands, as a client with these capabilities.
    pub(crate) fn open_with(command: Command, capabilities: &Value) -> Self {
        let mut client = Self::start(command);
        let result = client.ask(
            "initialize",
            &json!({
                "protocolVersion": LATEST_WITH_HANDSHAKE,
                "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(result["result"]["protocolVersion"], LATEST_WITH_HANDSHAKE);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// The same for a client that can do nothing besides.
    pub(crate) fn open(world: &World, words: &[&str]) -> Self {
        Self::open_with(world.mcp(words), &json!({}))
    }

    /// The program's process id.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends a message.
    pub(super) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// The next message, whatever it is.
    pub(super) fn next(&mut self) -> Value {
        if self.set_aside.is_empty() {
            self.lines.recv_timeout(PATIENCE).expect("a message")
        } else {
            self.set_aside.remove(0)
        }
    }

    /// The first message for which this holds; the others are set aside.
    pub(super) fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.set_aside.iter().position(&wanted) {
            return self.set_aside.remove(place);
        }
        loop {
            let message = self.lines.recv_timeout(PATIENCE).expect("a message");
            if wanted(&message) {
                return message;
            }
            self.set_aside.push(message);
        }
    }

    /// Sends a request and gives its id.
    pub(super) fn begin(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and waits for its answer.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.wait_for(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Calls a tool; its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// The answer to a resource request.
    pub(super) fn resource(&mut self, path: &str) -> Value {
        self.ask(
            "resources/read",
            &json!({ "uri": format!("obsidian://note/{path}") }),
        )
    }

    /// Ends the input and waits for the end of the program.
    pub(super) fn finish(mut self) -> End {
        drop(self.input.take());
        self.ended()
    }

    /// Waits for the end of the program.
    pub(super) fn ended(&mut self) -> End {
        let mut stderr = String::new();
        let status = self.child.wait().unwrap().code();
        let mut errors = self.child.stderr.take().unwrap();
        errors.read_to_string(&mut stderr).unwrap();
        let mut left = std::mem::take(&mut self.set_aside);
        left.extend(self.lines.iter());
        End {
            status,
            stderr,
            left,
        }
    }

    /// A number out of the kernel's status of the program, in KiB.
    #[cfg(target_os = "linux")]
    pub(super) fn memory(&self, field: &str) -> u64 {
        memory_of(self.pid(), field)
    }
}

/// A number out of the kernel's status of a process, in KiB.
#[cfg(target_os = "linux")]
pub(super) fn memory_of(pid: u32, field: &str) -> u64 {
    let text = fs_err::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .unwrap();
    line.trim_start_matches(':')
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        // One that hangs must not hang the test.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The text of a result.
pub(super) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// A row of a table: a call, and parts of the text that a model reads of its result.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) tool: String,
    pub(super) arguments: Value,
    /// Parts that are in the text, each.
    pub(super) says: Vec<String>,
    /// Parts that are not.
    pub(super) never: Vec<String>,
}

/// The rows of a table. Each begins on a line of its own with `tool {arguments}`, or with `command id {params}`
/// for a call of the generic tool. ` => ` is followed by its parts, separated by ` | `; `!` precedes those that are not
/// there. Lines that begin with `#` are comments, indented ones continue a row.
pub(super) fn rows(table: &str) -> Vec<Row> {
    let joined = table.replace("\n    ", " ");
    let lines = joined
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (call, parts) = line.split_once(" => ").unwrap_or((line, ""));
            let (name, values) = call.split_at(call.find(" {").expect(line));
            let values: Value = serde_json::from_str(values).expect(line);
            let (tool, arguments) = match name.strip_prefix("command ") {
                Some(id) => ("obsidianCli", json!({ "command": id, "params": values })),
                None => (name, values),
            };
            let parts = parts.split(" | ").filter(|part| !part.is_empty());
            let (never, says): (Vec<_>, Vec<_>) = parts.partition(|part| part.starts_with('!'));
            Row {
                tool: tool.to_owned(),
                arguments,
                says: says.into_iter().map(str::to_owned).collect(),
                never: never.iter().map(|part| part[1..].to_owned()).collect(),
            }
        })
        .collect()
}

impl Row {
    /// Makes the call and checks the parts of its text. Returns the result.
    #[track_caller]
    pub(super) fn check(&self, client: &mut Client) -> Value {
        let result = client.call(&self.tool, &self.arguments);
        let text = all_text(&result);
        for says in &self.says {
            assert!(text.contains(says), "no {says:?}: {self:?}: {text}");
        }
        for never in &self.never {
            assert!(!text.contains(never), "{never:?}: {self:?}: {text}");
        }
        result
    }
}

/// Every text of a result.
pub(super) fn all_text(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap().iter();
    let texts = blocks.filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}
