//! A model on the loopback address that answers by a script.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::protocol::Protocol;
use crate::conformance::http::{HttpRequest, bind, serve};

/// A call of a tool that the model asks for, with its input.
pub(super) type Call = (&'static str, Value);

/// The model. It answers until the chore ends.
pub(super) struct Model {
    pub(super) port: u16,
    script: Arc<Mutex<Script>>,
}

/// What the model says, and what it was told.
#[derive(Default)]
struct Script {
    calls: Vec<Call>,
    /// How many of the calls were answered by the program.
    answered: usize,
    /// The bodies of the requests.
    requests: Vec<String>,
}

impl Model {
    /// Starts it on a free port.
    pub(super) fn start() -> io::Result<Self> {
        let (listener, port) = bind()?;
        let script = Arc::<Mutex<Script>>::default();
        let shared = Arc::clone(&script);
        serve(listener, move |stream| answer(&stream, &shared));
        Ok(Self { port, script })
    }

    /// Has it ask for these calls, one after the other, in the next conversation.
    pub(super) fn expect(&self, calls: Vec<Call>) {
        *lock(&self.script) = Script {
            calls,
            ..Script::default()
        };
    }

    /// How many of the calls were not answered.
    pub(super) fn unanswered(&self) -> usize {
        let script = lock(&self.script);
        script.calls.len().saturating_sub(script.answered)
    }

    /// All that it was told in this conversation.
    pub(super) fn told(&self) -> Vec<String> {
        lock(&self.script).requests.clone()
    }
}

fn lock(script: &Mutex<Script>) -> MutexGuard<'_, Script> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers one request; those that are not for a model get an empty list.
fn answer(mut stream: &TcpStream, script: &Mutex<Script>) -> io::Result<()> {
    let Some(request) = HttpRequest::read(stream)? else {
        return Ok(());
    };
    let line = request.head.first().map_or("", String::as_str);
    let path = line.split([' ', '?']).nth(1).unwrap_or_default();
    let body = String::from_utf8_lossy(&request.body).into_owned();
    let (kind, text) = match Protocol::of(path) {
        Some(protocol) => ("text/event-stream", turn(protocol, &body, script)),
        None => ("application/json", r#"{"data":[],"models":[]}"#.to_owned()),
    };
    let fields = format!("Content-Type: {kind}\r\nConnection: close");
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{text}").as_bytes())
}

/// The next turn of the model. It has no memory: a conversation says how far it is.
fn turn(protocol: Protocol, body: &str, script: &Mutex<Script>) -> String {
    let request: Value = serde_json::from_str(body).unwrap_or_default();
    let mut script = lock(script);
    script.requests.push(body.to_owned());
    let answered = protocol.answered(&request);
    script.answered = script.answered.max(answered);
    // Without tools, a program asks for a title or a summary.
    let has_tools = request["tools"].as_array().is_some_and(|it| !it.is_empty());
    let call = script.calls.get(answered).filter(|_| has_tools);
    protocol.stream(call, script.requests.len())
}
