//! Writes messages to standard output, one per line, from a single thread. Nothing else in this
//! process may write there, or lines would interleave and break the framing (`threats.toml` I01).

use std::io::{self, Write};
use std::sync::Arc;

use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::{Notify, mpsc};

/// Maximum number of messages that wait for a slow reader.
const CAPACITY: usize = 16;

/// The sending end of the writer thread.
#[derive(Clone, Debug)]
pub(super) struct MessageWriter {
    messages: mpsc::Sender<ServerJsonRpcMessage>,
}

impl MessageWriter {
    /// Starts a writer thread on `output`. It signals its end: when every message is written or the reader is gone.
    ///
    /// # Errors
    ///
    /// If the thread cannot be started.
    pub(super) fn start(
        mut output: impl Write + Send + 'static,
    ) -> io::Result<(Self, Arc<Notify>)> {
        let (messages, mut handed_in) = mpsc::channel::<ServerJsonRpcMessage>(CAPACITY);
        let written = Arc::new(Notify::new());
        let end = Arc::clone(&written);
        std::thread::Builder::new()
            .name("mcp-output".to_owned())
            .spawn(move || {
                while let Some(message) = handed_in.blocking_recv() {
                    if write(&mut output, &message).is_err() {
                        // A closed pipe is not an error: senders notice the closed channel.
                        break;
                    }
                }
                drop(handed_in);
                end.notify_one();
            })?;
        Ok((Self { messages }, written))
    }

    /// Adds a message to the queue as soon as there is room in it.
    ///
    /// # Errors
    ///
    /// If the reader is gone.
    pub(super) async fn message(&self, message: ServerJsonRpcMessage) -> io::Result<()> {
        self.messages.send(message).await.map_err(|_| broken_pipe())
    }

    /// Waits for room in the queue. Cancel safe.
    ///
    /// # Errors
    ///
    /// If the reader is gone.
    pub(super) async fn room(&self) -> io::Result<mpsc::Permit<'_, ServerJsonRpcMessage>> {
        self.messages.reserve().await.map_err(|_| broken_pipe())
    }

    /// Waits until the reader is gone.
    pub(super) async fn closed(&self) {
        self.messages.closed().await;
    }
}

/// Writes one line with a single call, so that it arrives in one piece if possible.
fn write(output: &mut impl Write, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

fn broken_pipe() -> io::Error {
    io::Error::from(io::ErrorKind::BrokenPipe)
}
