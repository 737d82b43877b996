//! MCP over standard input and output, one message per line.
//!
//! The transport of the SDK drops lines that are not JSON and runs requests without an id. Ours answers the former with
//! `-32700`, refuses the latter, batches, repeated keys and ids in flight, and stops reading while too much is in flight.

mod flight;
mod transport;

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio_util::sync::CancellationToken;

use self::transport::Stdio;
use super::server::{McpServer, ServerShared};
use crate::error::Error;
use protocol::Failure;

/// Serves until the input ends, the reader of the output is gone, or `stop` is cancelled. Running
/// calls are still answered.
///
/// # Errors
///
/// If the client's handshake is invalid, or a stream fails.
pub(super) async fn serve(
    shared: Arc<ServerShared>,
    stop: CancellationToken,
) -> Result<(), Failure> {
    serve_on(Stdio::from_process()?, shared, stop).await
}

async fn serve_on(
    transport: Stdio,
    shared: Arc<ServerShared>,
    stop: CancellationToken,
) -> Result<(), Failure> {
    let finished = Arc::clone(&transport.written);
    let server = McpServer {
        shared: Arc::clone(&shared),
        asks_back: true,
    };
    shared.subscriptions.end_with(transport.input_end.clone());
    // On the heap: the handler and the transport together are large.
    let handshake = Box::pin(server.into_handler().serve_with_ct(transport, stop));
    let running = match handshake.await {
        Ok(running) => running,
        // A client that disconnects before or during the handshake is not an error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            finished.notified().await;
            return Ok(());
        }
        Err(error) => return Err(Error::Handshake(begin(&error)).into()),
    };
    McpServer::tell_of_changes(&shared, running.peer().clone());
    let ended = running.waiting().await;
    finished.notified().await;
    ended.map(drop).map_err(|_| Error::Stopped.into())
}

/// Returns the reason why the handshake failed, without the client's message, which may contain secrets.
fn begin(error: &ServerInitializeError) -> &'static str {
    match error {
        ServerInitializeError::ExpectedInitializeRequest(_) => {
            "the first message is not an `initialize` request"
        }
        ServerInitializeError::InitializeFailed(_) => "client and server share no protocol version",
        ServerInitializeError::TransportError { .. } => "the client disconnected",
        _ => "the message is not valid",
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Write};
    use std::path::Path;
    use std::sync::Mutex;

    use serde_json::{Value, json};

    use super::*;
    use crate::host::Host;
    use frontend::CommandLineOptions;
    use sandbox::{Clock, Environment};

    /// Collects what is written to standard output.
    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Output {
        /// Returns the answer with this id. Output that is not a message fails the test.
        fn answer(&self, id: u64) -> Value {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            let messages = text.lines().map(|line| {
                let message: Value = serde_json::from_str(line).expect(line);
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                message
            });
            let mut answers: Vec<Value> = messages.filter(|message| message["id"] == id).collect();
            assert_eq!(answers.len(), 1, "{id} in {text}");
            answers.remove(0)
        }
    }

    fn server(folder: &Path, clock: Option<Clock>) -> Arc<ServerShared> {
        let vault = folder.join("Notes");
        fs_err::create_dir_all(&vault).unwrap();
        let settings = folder.join("settings.toml");
        let lines = format!(
            "enabled = true\nallow_mutations = true\nbackend = \"embedded\"\nvault = {:?}\n",
            vault.to_str().unwrap()
        );
        fs_err::write(&settings, lines).unwrap();
        let home = ("HOME".into(), folder.as_os_str().to_owned());
        let environment = Environment::new([home], None);
        let mut options = CommandLineOptions::default();
        options.settings = Some(settings);
        let mut host = Host::start(&options, &environment).unwrap();
        if let Some(clock) = clock {
            host = host.with_clock(clock);
        }
        Arc::new(ServerShared::new(host, 50_000, false).unwrap())
    }

    /// Returns a conversation: the handshake, then these calls with ids from 1 on.
    fn said(calls: &[Value]) -> Vec<u8> {
        let hello = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            },
        });
        let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let mut text = format!("{hello}\n{begun}\n");
        for (index, call) in calls.iter().enumerate() {
            let call = json!({
                "jsonrpc": "2.0", "id": index + 1, "method": "tools/call", "params": call,
            });
            text += &format!("{call}\n");
        }
        text.into_bytes()
    }

    /// Serves a conversation to its end, while `beside` runs.
    fn serve_beside(
        input: Vec<u8>,
        server: Arc<ServerShared>,
        beside: impl Future<Output = ()>,
    ) -> Output {
        let output = Output::default();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let transport = Stdio::start(Cursor::new(input), output.clone()).unwrap();
            let conversation = serve_on(transport, server, CancellationToken::new());
            tokio::select! {
                ended = conversation => ended.unwrap(),
                () = beside => {}
            }
        });
        output
    }

    #[test]
    fn i01_a_tool_that_panics_is_an_error_and_no_word_of_it_is_on_stdout() {
        let folder = tempfile::tempdir().unwrap();
        let broken: Clock = Arc::new(|| panic!("on purpose"));
        let server = server(folder.path(), Some(broken));
        let read = json!({ "name": "read", "arguments": { "path": "a.md" } });
        let input = said(&[read.clone(), json!({ "name": "none" }), read]);
        let output = serve_beside(input, server, std::future::pending());
        for id in [1, 3] {
            let result = &output.answer(id)["result"];
            assert_eq!(result["isError"], true, "{result}");
            assert_eq!(
                result["structuredContent"]["error"]["code"],
                "INTERNAL_ERROR"
            );
        }
        assert_eq!(output.answer(2)["error"]["code"], -32602);
    }

    #[test]
    fn a_call_that_makes_no_request_still_reports_its_command() {
        let folder = tempfile::tempdir().unwrap();
        let server = server(folder.path(), None);
        let calls = [
            json!({ "name": "read", "arguments": { "path": "a.md", "offset": "x" } }),
            json!({ "name": "daily_read", "arguments": { "offset": -1 } }),
            json!({ "name": "obsidianCli", "arguments": { "command": "tags", "bogus": 1 } }),
            json!({ "name": "obsidianCli", "arguments": { "command": 7 } }),
        ];
        let output = serve_beside(said(&calls), server, std::future::pending());
        let expected = [
            json!("read"),
            json!("daily:read"),
            json!("tags"),
            Value::Null,
        ];
        for (id, command) in (1..).zip(expected) {
            let structured = &output.answer(id)["result"]["structuredContent"];
            assert_eq!(structured["error"]["code"], "USAGE_ERROR", "{structured}");
            assert_eq!(structured["command"], command, "{structured}");
        }
    }
}
