//! Streamable HTTP with sessions on one side, a server process on pipes for each session on the other.
//!
//! What the server sends besides answers goes to the request that was begun last, as in the protocol's
//! own servers.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::http::{self, HttpRequest};
use crate::Fault;
use crate::world::World;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The field with the session.
const SESSION: &str = "mcp-session-id";

/// The bridge; its sessions end with it.
pub(super) struct Bridge {
    sessions: Arc<Sessions>,
    /// Where the suites find it.
    pub(super) url: String,
}

#[derive(Default)]
struct Sessions {
    last: AtomicU64,
    open: Mutex<HashMap<String, Arc<Session>>>,
}

/// One server process, which belongs to one session.
struct Session {
    child: Mutex<Child>,
    input: Mutex<ChildStdin>,
    waiting: Arc<Mutex<Waiting>>,
}

/// The requests without an answer, in the order in which they began.
type Waiting = Vec<(Value, Sender<Value>)>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bridge {
    /// Starts it; servers are started as sessions begin.
    pub(super) fn start(world: World) -> Result<Self, Fault> {
        let sessions = Arc::new(Sessions::default());
        let shared = Arc::clone(&sessions);
        let (listener, port) = http::bind()?;
        http::serve(listener, move |client| shared.answer(&client, &world));
        Ok(Self {
            sessions,
            url: format!("http://localhost:{port}/mcp"),
        })
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        lock(&self.sessions.open).clear();
    }
}

impl Sessions {
    fn answer(&self, client: &TcpStream, world: &World) -> io::Result<()> {
        let Some(request) = HttpRequest::read(client)? else {
            return Ok(());
        };
        let id = request.field(SESSION).map(str::to_owned);
        let known = id.as_ref().and_then(|id| lock(&self.open).get(id).cloned());
        match (request.method(), known) {
            ("DELETE", Some(_)) => {
                lock(&self.open).remove(&id.unwrap_or_default());
                http::reply(client, "200 OK")
            }
            ("POST", session) => {
                let Ok(message) = serde_json::from_slice(&request.body) else {
                    return http::reply(client, "400 Bad Request");
                };
                let (id, session) = match (id, session) {
                    (Some(id), Some(session)) => (id, session),
                    (Some(_), None) => return http::reply(client, "404 Not Found"),
                    (None, _) => self.begin(world)?,
                };
                session.pass(client, &id, &message)
            }
            _ => http::reply(client, "405 Method Not Allowed"),
        }
    }

    fn begin(&self, world: &World) -> io::Result<(String, Arc<Session>)> {
        let id = self.last.fetch_add(1, Ordering::Relaxed).to_string();
        let session = Arc::new(Session::start(world)?);
        lock(&self.open).insert(id.clone(), Arc::clone(&session));
        Ok((id, session))
    }
}

impl Session {
    fn start(world: &World) -> io::Result<Self> {
        let mut child = world
            .command()
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let no_pipe = || io::Error::other("the server has no pipes");
        let input = child.stdin.take().ok_or_else(no_pipe)?;
        let output = child.stdout.take().ok_or_else(no_pipe)?;
        let waiting: Arc<Mutex<Waiting>> = Arc::default();
        let told = Arc::clone(&waiting);
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Ok(message) = serde_json::from_str(&line) {
                    hand_over(&mut lock(&told), message);
                }
            }
        });
        Ok(Self {
            child: Mutex::new(child),
            input: Mutex::new(input),
            waiting,
        })
    }

    /// Passes a message on; for a request also everything up to its answer.
    fn pass(&self, client: &TcpStream, id: &str, message: &Value) -> io::Result<()> {
        let is_request = message.get("method").is_some() && message.get("id").is_some();
        let received = is_request.then(|| {
            let (sender, received) = channel();
            let id = message.get("id").cloned().unwrap_or_default();
            lock(&self.waiting).push((id, sender));
            received
        });
        writeln!(lock(&self.input), "{message}")?;
        match received {
            None => http::reply(client, "202 Accepted"),
            Some(received) => stream(client, id, &received),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let mut child = lock(&self.child);
        drop(child.kill());
        drop(child.wait());
    }
}

/// Gives an answer to its request, and anything else to the request that began last.
fn hand_over(waiting: &mut Waiting, message: Value) {
    let is_answer = message.get("method").is_none();
    let place = if is_answer {
        let id = message.get("id");
        waiting.iter().position(|(known, _)| Some(known) == id)
    } else {
        waiting.len().checked_sub(1)
    };
    let Some(place) = place else { return };
    let sender = if is_answer {
        waiting.remove(place).1
    } else if let Some((_, sender)) = waiting.get(place) {
        sender.clone()
    } else {
        return;
    };
    // A client that went away misses it.
    drop(sender.send(message));
}

/// Sends the messages as events until the answer is among them.
fn stream(mut client: &TcpStream, id: &str, received: &Receiver<Value>) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: {id}\r\nConnection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes())?;
    while let Ok(message) = received.recv_timeout(PATIENCE) {
        write!(client, "event: message\ndata: {message}\n\n")?;
        client.flush()?;
        if message.get("method").is_none() {
            break;
        }
    }
    Ok(())
}
