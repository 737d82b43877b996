//! A model on the loopback address that answers by a script.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

use super::protocol::Protocol;
use crate::Fault;

/// A call of a tool that the model asks for, with its input.
pub(super) type Call = (String, Value);

/// The model. It answers until the chore ends.
pub(super) struct Model {
    /// Its address, without a path.
    pub(super) address: String,
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
    pub(super) fn start() -> Result<Self, Fault> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = format!("http://{}", listener.local_addr()?);
        let script = Arc::<Mutex<Script>>::default();
        let shared = Arc::clone(&script);
        let accepting = async move {
            // A client that goes away harms only itself.
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&shared);
                let service = service_fn(move |request| answer(request, Arc::clone(&shared)));
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connection);
            }
        };
        std::thread::spawn(move || runtime.block_on(accepting));
        Ok(Self { address, script })
    }

    /// Has it ask for these calls, one after the other, in the next conversation.
    pub(super) fn expect(&self, calls: Vec<Call>) {
        *lock(&self.script) = Script { calls, ..Script::default() };
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
async fn answer(
    request: Request<Incoming>,
    script: Arc<Mutex<Script>>,
) -> Result<Response<Full<Bytes>>, Fault> {
    let protocol = Protocol::of(request.uri().path());
    let body = request.into_body().collect().await?.to_bytes();
    let body = String::from_utf8_lossy(&body);
    let (kind, text) = match protocol {
        Some(protocol) => ("text/event-stream", turn(protocol, &body, &script)),
        None => ("application/json", r#"{"data":[],"models":[]}"#.to_owned()),
    };
    Ok(Response::builder().header("content-type", kind).body(text.into())?)
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
