//! Many clients of one HTTP server, each of which reads the same note again and again.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use chores::{Fault, ensure};
use serde_json::json;

use super::measure::real;
use super::programs::User;
use super::table::{line, mark, milliseconds};
use crate::world::Running;

const CLIENTS: usize = 50;
const LENGTH: Duration = Duration::from_secs(5);
/// The fewest answers a second, on two processors.
const FEWEST: f64 = 5000.0;

/// The table with the answers a second, and the time that one of a hundred is over.
pub(super) fn table(user: &User<'_>, note: &str) -> Result<String, Fault> {
    let token = user.folder.join("token");
    let file = token.display().to_string();
    let words = ["mcp", "--http", "127.0.0.1:0", "--token-file", &file];
    let (_server, said) = Running::start(user.ours(&words))?;
    let address = said
        .split_once("http://")
        .and_then(|(_, rest)| rest.split('/').next());
    let address = address.ok_or_else(|| format!("the server says: {said}"))?;
    let token = fs_err::read_to_string(token)?;
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "read", "arguments": {"path": note}},
    });
    let body = body.to_string();
    let request = |client: usize| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nUser-Agent: client-{client}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{body}",
            token.trim(),
            body.len()
        )
    };
    let times: Result<Vec<Vec<Duration>>, String> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let request = request(client);
                scope.spawn(move || ask(address, &request).map_err(|error| error.to_string()))
            })
            .collect();
        let ended = clients.into_iter().map(ScopedJoinHandle::join);
        ended
            .map(|times| times.unwrap_or_else(|_| Err("a client panicked".to_owned())))
            .collect()
    });
    let mut times: Vec<Duration> = times?.into_iter().flatten().collect();
    times.sort_unstable();
    let a_second = real(times.len()) / LENGTH.as_secs_f64();
    let slow = times
        .get(times.len() * 99 / 100)
        .copied()
        .unwrap_or_default();
    let cells = [
        format!("{a_second:.0}"),
        format!("{:.1}", milliseconds(slow)),
        format!("{FEWEST:.0}{}", mark(a_second < FEWEST)),
    ];
    let title = format!("\n{CLIENTS} clients of `mcp --http`\n");
    Ok(title + &line("question", &["a second", "p99 ms", "allowed"]) + &line("read path=", &cells))
}

/// Sends one request again and again on one connection.
fn ask(address: &str, request: &str) -> Result<Vec<Duration>, Fault> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut answers = BufReader::new(stream.try_clone()?);
    let (started, mut times) = (Instant::now(), Vec::new());
    while started.elapsed() < LENGTH {
        let wanted = Instant::now();
        stream.write_all(request.as_bytes())?;
        let mut length = 0;
        let mut head = String::new();
        loop {
            let mut field = String::new();
            answers.read_line(&mut field)?;
            if field.trim().is_empty() {
                break;
            }
            if let Some(value) = field.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            head += &field;
        }
        let mut body = vec![0; length];
        answers.read_exact(&mut body)?;
        let body = String::from_utf8_lossy(&body);
        let is_read = head.starts_with("HTTP/1.1 200") && body.contains("\"isError\":false");
        ensure(is_read, &format!("mcp --http: {head}{body}"))?;
        times.push(wanted.elapsed());
    }
    Ok(times)
}
