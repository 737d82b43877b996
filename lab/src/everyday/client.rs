//! A client that counts what goes over the wire.

use chores::{Fault, ensure};
use serde_json::{Value, json};

use super::Cost;
use crate::world::{Pipes, World};

/// A server on pipes, and what the calls so far have cost.
pub(super) struct Client {
    pipes: Pipes,
    last_id: u64,
    pub(super) cost: Cost,
}

impl Client {
    /// Starts the server and initialises the session.
    pub(super) fn start(world: &World) -> Result<Self, Fault> {
        let mut client = Self {
            pipes: Pipes::start(world.command().arg("mcp"))?,
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

    /// Calls a tool; the data of its structured result, and its text blocks, joined.
    ///
    /// # Errors
    ///
    /// If the tool answers with an error, such as that an approval is required.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(Value, String), Fault> {
        self.cost.calls += 1;
        let wanted = json!({ "name": tool, "arguments": arguments });
        let mut result = self.ask("tools/call", &wanted)?;
        let blocks = result["content"].as_array().into_iter().flatten();
        let texts = blocks.filter_map(|block| block["text"].as_str());
        let text = texts.collect::<Vec<&str>>().join("\n");
        self.cost.text += text.len();
        self.cost.data += result["structuredContent"].to_string().len();
        ensure(
            result["isError"] != true,
            &format!("{tool} {arguments}: {text}"),
        )?;
        Ok((result["structuredContent"]["data"].take(), text))
    }

    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Fault> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.pipes.receive()?;
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
        let line = message.to_string();
        self.cost.wire += line.len() + 1;
        self.pipes.send(&line)
    }
}
