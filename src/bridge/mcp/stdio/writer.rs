//! Messages to standard output, one a line, written by a thread of its own: nothing else in this process writes there
//! (`faults.md` I01).

use std::io::{self, Write};
use std::sync::Arc;

use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::{Notify, mpsc};

/// Messages that may wait for a slow reader.
const CAPACITY: usize = 16;

/// Where messages are handed in.
#[derive(Clone, Debug)]
pub(super) struct MessageWriter {
    messages: mpsc::Sender<ServerJsonRpcMessage>,
}

/// The end of the writing.
#[derive(Clone, Debug)]
pub(super) struct WriteNotice(Arc<Notify>);

impl WriteNotice {
    /// Waits until every message was written, or the reader has gone.
    pub(super) async fn wait(&self) {
        self.0.notified().await;
    }
}

impl MessageWriter {
    /// A writer on `output`, with its thread.
    pub(super) fn start(
        mut output: impl Write + Send + 'static,
    ) -> io::Result<(Self, WriteNotice)> {
        let (messages, mut handed_in) = mpsc::channel::<ServerJsonRpcMessage>(CAPACITY);
        let written = WriteNotice(Arc::new(Notify::new()));
        let end = written.clone();
        std::thread::Builder::new()
            .name("mcp-output".to_owned())
            .spawn(move || {
                while let Some(message) = handed_in.blocking_recv() {
                    if write(&mut output, &message).is_err() {
                        // The reader has gone, which is its right; senders see the closed channel.
                        break;
                    }
                }
                drop(handed_in);
                end.0.notify_one();
            })?;
        Ok((Self { messages }, written))
    }

    /// Hands a message in as soon as there is room; an error once the reader has gone.
    pub(super) async fn message(&self, message: ServerJsonRpcMessage) -> io::Result<()> {
        self.messages.send(message).await.map_err(|_| gone())
    }

    /// Waits for room, without anything to be lost where the waiting is given up.
    pub(super) async fn room(&self) -> io::Result<mpsc::Permit<'_, ServerJsonRpcMessage>> {
        self.messages.reserve().await.map_err(|_| gone())
    }

    /// Waits until the reader has gone.
    pub(super) async fn gone(&self) {
        self.messages.closed().await;
    }
}

/// One line, in one piece where the reader takes it so.
fn write(output: &mut impl Write, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

fn gone() -> io::Error {
    io::Error::from(io::ErrorKind::BrokenPipe)
}
