//! A client that counts what goes over the wire.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::Cost;
use crate::Fault;
use crate::files::write;
use crate::targets::command;

/// A server on pipes, and what the calls so far have cost.
pub(super) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
    pub(super) cost: Cost,
}

/// The size of `tools/list`.
pub(super) struct ListedTools {
    pub(super) tools: usize,
    pub(super) bytes: usize,
}

/// What a tool answered.
pub(super) struct Answer {
    /// The data of the structured result.
    pub(super) data: Value,
    /// The text blocks, joined.
    pub(super) text: String,
}

impl Client {
    /// Starts the server for the vault, with changes allowed and its own home folder, and
    /// initialises the session.
    pub(super) fn start(program: &Path, scratch: &Path, vault: &Path) -> Result<Self, Fault> {
        let home = scratch.join("home");
        let settings = "enabled = true\nallow_mutations = true\nbackend = \"embedded\"\n";
        write(&home.join(".config/vault-gw/settings.toml"), settings)?;
        let mut child = command(program)
            .env_clear()
            .env("HOME", &home)
            .arg("--vault")
            .arg(vault)
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the server has no pipes".into());
        };
        let mut client = Self {
            child,
            input,
            output: BufReader::new(output),
            last_id: 0,
            cost: Cost::default(),
        };
        let info = json!({ "name": "everyday", "version": "1" });
        let version = "2025-11-25";
        let hello = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": info });
        client.ask("initialize", &hello)?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// How long the list of tools is.
    pub(super) fn list_tools(&mut self) -> Result<ListedTools, Fault> {
        let result = self.ask("tools/list", &json!({}))?;
        Ok(ListedTools {
            tools: result["tools"].as_array().map_or(0, Vec::len),
            bytes: result["tools"].to_string().len(),
        })
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// If the tool answers with an error, such as that an approval is required.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Answer, Fault> {
        self.cost.calls += 1;
        let asked = json!({ "name": tool, "arguments": arguments });
        let mut result = self.ask("tools/call", &asked)?;
        let blocks = result["content"].as_array().into_iter().flatten();
        let texts = blocks.filter_map(|block| block["text"].as_str());
        let text = texts.collect::<Vec<&str>>().join("\n");
        self.cost.text += text.len();
        if result["isError"] == true {
            return Err(format!("{tool} {arguments}: {text}").into());
        }
        Ok(Answer {
            data: result["structuredContent"]["data"].take(),
            text,
        })
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Fault> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line);
            if read? == 0 {
                return Err("the server has ended".into());
            }
            self.cost.wire += line.len();
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(format!("{method}: {error}").into()),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Fault> {
        let line = format!("{message}\n");
        self.cost.wire += line.len();
        let sent = self.input.write_all(line.as_bytes());
        Ok(sent.and_then(|()| self.input.flush())?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The server is this bench's own and keeps nothing.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
