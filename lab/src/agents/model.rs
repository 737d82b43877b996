//! A model on the loopback address that answers by a script.

use std::collections::BTreeMap;
use std::sync::Arc;

use chores::Fault;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Mutex;

use super::protocol;

/// A call of a tool that the model asks for, with its input.
pub(super) type Call = (String, BTreeMap<String, String>);

/// The model. It answers until the chore ends.
pub(super) struct Model {
    /// Its address, without a path.
    pub(super) address: String,
    script: Arc<Mutex<Script>>,
}

/// The scripted calls of the model, and the requests that it received.
#[derive(Default)]
struct Script {
    calls: Vec<Call>,
    /// The number of calls that the program has answered.
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
        *self.script.blocking_lock() = Script {
            calls,
            ..Script::default()
        };
    }

    /// Returns the number of calls without an answer, and all requests of this conversation.
    pub(super) fn end(&self) -> (usize, Vec<String>) {
        let script = std::mem::take(&mut *self.script.blocking_lock());
        (
            script.calls.len().saturating_sub(script.answered),
            script.requests,
        )
    }
}

/// Answers one request; those that are not for a model get an empty list.
async fn answer(
    request: Request<Incoming>,
    script: Arc<Mutex<Script>>,
) -> Result<Response<Full<Bytes>>, Fault> {
    let protocol = protocol::of(request.uri().path());
    let body = request.into_body().collect().await?.to_bytes();
    let body = String::from_utf8_lossy(&body);
    let (kind, text) = match protocol {
        Some(protocol) => (
            "text/event-stream",
            turn(protocol, &body, &mut *script.lock().await),
        ),
        None => ("application/json", r#"{"data":[],"models":[]}"#.to_owned()),
    };
    Ok(Response::builder()
        .header("content-type", kind)
        .body(text.into())?)
}

/// The next turn of the model. It has no memory: a conversation says how far it is.
fn turn(protocol: usize, body: &str, script: &mut Script) -> String {
    let request: Value = serde_json::from_str(body).unwrap_or_default();
    script.requests.push(body.to_owned());
    let answered = protocol::answered(&request);
    script.answered = script.answered.max(answered);
    // Without tools, a program asks for a title or a summary.
    let has_tools = request["tools"].as_array().is_some_and(|it| !it.is_empty());
    let call = script.calls.get(answered).filter(|_| has_tools);
    protocol::stream(protocol, call, script.requests.len())
}
