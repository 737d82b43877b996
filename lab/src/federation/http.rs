//! Requests and answers in JSON, each with a connection of its own.

use std::time::Duration;

use chores::Fault;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

/// The time limit for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer.
pub(super) struct Reply {
    pub(super) status: u16,
    /// The body; a text if it is not JSON.
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
    let mut request = Request::builder()
        .method(method)
        .uri(format!("http://127.0.0.1:{port}{path}"))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2025-11-25");
    if !token.is_empty() {
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    let body = Some(body).filter(|body| !body.is_null());
    let body = body.map_or_else(String::new, Value::to_string);
    let request = request.body(Full::<Bytes>::from(body))?;
    let answered = async {
        let client = Client::builder(TokioExecutor::new()).build_http();
        let answer = client.request(request).await?;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await?.to_bytes();
        let text = String::from_utf8_lossy(&body);
        Ok(Reply {
            status,
            body: serde_json::from_str(&text).unwrap_or_else(|_| text.into()),
        })
    };
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build()?;
    runtime.block_on(async { tokio::time::timeout(PATIENCE, answered).await? })
}

impl Endpoint {
    /// Asks a question of the protocol.
    pub(super) fn ask(&self, method: &str, params: &Value) -> Result<Reply, Fault> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        send(self.port, ("POST", &self.path), &self.token, &body)
    }

    /// Calls a tool.
    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Result<Reply, Fault> {
        let params = json!({ "name": tool, "arguments": arguments });
        self.ask("tools/call", &params)
    }

    /// The names of the tools.
    pub(super) fn tools(&self) -> Result<Vec<String>, Fault> {
        let reply = self.ask("tools/list", &json!({}))?;
        let tools = reply.body["result"]["tools"].as_array();
        let tools = tools.ok_or_else(|| format!("{}: {}", self.path, reply.shown()))?;
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        Ok(names.map(str::to_owned).collect())
    }
}

impl Reply {
    /// Whether a tool has done what it was asked for.
    pub(super) fn is_done(&self) -> bool {
        self.body["result"]["isError"] == false
    }

    /// The parts of a tool's result for the model: its blocks and the structured result.
    pub(super) fn for_model(&self) -> (&Value, &Value) {
        let result = &self.body["result"];
        (&result["content"], &result["structuredContent"])
    }

    /// The first text block, or what failed before there was one.
    pub(super) fn shown(&self) -> String {
        let places = ["/result/content/0/text", "/error/message", "/detail"];
        let mut texts = places
            .iter()
            .filter_map(|place| self.body.pointer(place)?.as_str());
        let text = texts.next();
        match self.status {
            200 => text.unwrap_or("an answer of another form").to_owned(),
            status => format!("HTTP {status}: {}", text.unwrap_or("no reason")),
        }
    }
}
