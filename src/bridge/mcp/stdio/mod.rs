//! MCP on standard input and output: one message a line.

mod flight;
mod transport;
mod writer;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio_util::sync::CancellationToken;

use self::transport::Stdio;
use super::server::Server;
use crate::code::Code;
use crate::failure::Failure;

/// Serves this process's streams until input ends, the reader goes away, or `stop` is cancelled;
/// answers that are under way are still given.
pub(super) async fn serve(server: Server, stop: CancellationToken) -> Result<(), Failure> {
    let transport = Stdio::of_this_process()?;
    let finished = transport.written();
    let shared = server.shared();
    let running = match server.serve_with_ct(transport, stop).await {
        Ok(running) => running,
        // Whoever only looked in, or left before it said what it wanted, is no failure.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            finished.wait().await;
            return Ok(());
        }
        Err(error) => {
            return Err(Failure::new(
                Code::UsageError,
                format!(
                    "The client did not begin as the protocol says: {}.",
                    begin(&error)
                ),
            ));
        }
    };
    Server::tell_of_changes(&shared, running.peer().clone());
    let ended = running.waiting().await;
    finished.wait().await;
    ended.map(drop).map_err(|_| {
        Failure::new(
            Code::InternalError,
            "The server stopped by a mistake of its own.",
        )
    })
}

/// What went wrong, without the message that was sent.
fn begin(error: &ServerInitializeError) -> &'static str {
    match error {
        ServerInitializeError::ExpectedInitializeRequest(_) => "its first message was no request",
        ServerInitializeError::InitializeFailed(_) => "there is no protocol version in common",
        ServerInitializeError::TransportError { .. } => "it went away",
        _ => "it could not be understood",
    }
}
