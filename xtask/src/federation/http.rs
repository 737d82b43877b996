//! Requests and answers in JSON, over HTTP/1.0: an answer ends with its connection.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Fault;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer.
pub(super) struct Reply {
    pub(super) status: u16,
    /// The body; a text where it is not JSON.
    pub(super) body: Value,
}

/// An endpoint for MCP on this machine, and the token for it.
pub(super) struct Endpoint {
    pub(super) port: u16,
    pub(super) path: String,
    pub(super) token: String,
}

/// Sends a request to a port of this machine; an empty `token` and a `body` of null are left out.
pub(super) fn send(
    port: u16,
    (method, path): (&str, &str),
    token: &str,
    body: &Value,
) -> Result<Reply, Fault> {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let authorization = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n{authorization}\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or("no answer")?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Ok(Reply {
        status: status.ok_or("an answer without a status")?,
        body: serde_json::from_str(body).unwrap_or_else(|_| body.into()),
    })
}

impl Endpoint {
    /// Asks a question of the protocol.
    pub(super) fn ask(&self, method: &str, params: &Value) -> Result<Reply, Fault> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        send(self.port, ("POST", &self.path), &self.token, &body)
    }

    /// Calls a tool.
    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Result<Reply, Fault> {
        self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// The names of the tools.
    pub(super) fn tools(&self) -> Result<Vec<String>, Fault> {
        let mut reply = self.ask("tools/list", &json!({}))?;
        let Value::Array(tools) = reply.body["result"]["tools"].take() else {
            return Err(format!("{}: {}", self.path, reply.shown()).into());
        };
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        Ok(names.map(str::to_owned).collect())
    }
}

impl Reply {
    /// Whether a tool has done what it was asked for.
    pub(super) fn is_done(&self) -> bool {
        self.body["result"]["isError"] == false
    }

    /// What a model gets from a tool: its blocks and the structured result.
    pub(super) fn for_model(&self) -> (&Value, &Value) {
        let result = &self.body["result"];
        (&result["content"], &result["structuredContent"])
    }

    /// The first text block, or what failed before there was one.
    pub(super) fn shown(&self) -> String {
        let body = &self.body;
        let texts = [
            &body["result"]["content"][0]["text"],
            &body["error"]["message"],
            &body["detail"],
        ];
        let text = texts.iter().find_map(|text| text.as_str());
        match self.status {
            200 => text.unwrap_or("an answer of another form").to_owned(),
            status => format!("HTTP {status}: {}", text.unwrap_or("no reason")),
        }
    }
}
