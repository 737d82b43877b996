//! The stdio transport: frames JSON-RPC messages as lines. Parsing and serialising run on their own
//! threads, so that a large message does not stall other requests (`threats.toml` J05).

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::flight::InFlight;
use crate::error::Error;
use crate::lines::{InputLine, next_line};
use crate::mcp::message;
use crate::mcp::message::{MAX_BYTES, Refusal};
use protocol::Failure;

/// The time without work for the service at the end of the input after which it stops. Any work drops the future that
/// waits, so that the time begins again.
const QUIET: Duration = Duration::from_millis(10);

/// Maximum number of messages that wait for a slow reader.
const CAPACITY: usize = 16;

/// A valid message and its length in bytes, or the error to answer.
type ReadMessage = Result<(Box<ClientJsonRpcMessage>, usize), Refusal>;

/// The transport on two streams. A single thread writes the messages, one per line. Nothing else in this process may
/// write there, or lines would interleave and break the framing (`threats.toml` I01).
pub(super) struct Stdio {
    input: mpsc::Receiver<ReadMessage>,
    output: Option<mpsc::Sender<ServerJsonRpcMessage>>,
    /// Signals when everything is written; wait for it after the transport was closed.
    pub(super) written: Arc<Notify>,
    flight: Arc<InFlight>,
    /// Error answers to invalid lines, not sent yet.
    refusals: VecDeque<ServerJsonRpcMessage>,
    /// Whether a request has arrived; notifications before the first one are ignored.
    begun: bool,
    /// Cancelled when no message will come any more.
    pub(super) input_end: CancellationToken,
}

impl Stdio {
    /// Returns the transport on standard input and output.
    ///
    /// # Errors
    ///
    /// If a thread cannot be started.
    pub(super) fn from_process() -> Result<Self, Failure> {
        Self::start(io::stdin(), io::stdout()).map_err(|error| Error::NoThread(error).into())
    }

    /// Returns the transport on other streams.
    ///
    /// # Errors
    ///
    /// If a thread cannot be started.
    pub(super) fn start(
        input: impl io::Read + Send + 'static,
        mut output: impl io::Write + Send + 'static,
    ) -> io::Result<Self> {
        let (writer, mut messages) = mpsc::channel(CAPACITY);
        let written = Arc::new(Notify::new());
        let end = Arc::clone(&written);
        std::thread::Builder::new()
            .name("mcp-output".to_owned())
            .spawn(move || {
                while let Some(message) = messages.blocking_recv() {
                    if write(&mut output, &message).is_err() {
                        // A closed pipe is not an error: senders notice the closed channel.
                        break;
                    }
                }
                drop(messages);
                end.notify_one();
            })?;
        // Back-pressure: one parsed line waits here, the rest stays in the pipe.
        let (lines, received) = mpsc::channel(1);
        std::thread::Builder::new()
            .name("mcp-input".to_owned())
            .spawn(move || {
                let mut input = io::BufReader::with_capacity(64 * 1024, input);
                // An incomplete last line is dropped: its sender may have died while writing it.
                while let Ok(Some(InputLine {
                    bytes,
                    is_ended: true,
                })) = next_line(&mut input, MAX_BYTES)
                {
                    if bytes.iter().all(u8::is_ascii_whitespace) {
                        continue;
                    }
                    let read = message::read(&bytes);
                    let read = read.map(|message| (Box::new(message), bytes.len()));
                    if lines.blocking_send(read).is_err() {
                        break;
                    }
                }
            })?;
        Ok(Self {
            input: received,
            output: Some(writer),
            written,
            flight: Arc::new(InFlight::default()),
            refusals: VecDeque::new(),
            begun: false,
            input_end: CancellationToken::new(),
        })
    }

    /// Returns the next valid message; `None` at the end. Cancel safe.
    async fn next_message(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let output = self.output.clone()?;
            while !self.refusals.is_empty() {
                let room = output.reserve().await.ok()?;
                if let Some(refusal) = self.refusals.pop_front() {
                    room.send(refusal);
                }
            }
            self.flight.room().await;
            let read = tokio::select! {
                read = self.input.recv() => read?,
                () = output.closed() => return None,
            };
            if let Some(message) = self.admit(read) {
                return Some(message);
            }
        }
    }

    /// Checks a parsed line; returns the message if it is admitted.
    fn admit(&mut self, read: ReadMessage) -> Option<ClientJsonRpcMessage> {
        let (message, bytes) = match read {
            Ok((message, bytes)) => (*message, bytes),
            Err(refusal) => {
                self.refusals.push_back(JsonRpcMessage::Error(*refusal));
                return None;
            }
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.flight.enter(&request.id, bytes) {
                    // No id in this error: the other request's answer will use it.
                    let text = "a request with this id is still in progress; nothing was run";
                    let error = ErrorData::invalid_request(text, None);
                    self.refusals
                        .push_back(ServerJsonRpcMessage::error(error, None));
                    return None;
                }
                self.begun = true;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.flight.cancelled(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.begun.then_some(message)
    }
}

/// Writes one line with a single call, so that it arrives in one piece if possible.
fn write(output: &mut impl io::Write, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let output = self.output.clone();
        let flight = Arc::clone(&self.flight);
        async move {
            let answers = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let output = output.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
            let handed_in = output.send(item).await;
            if let Some(id) = answers {
                flight.answered(&id);
            }
            handed_in.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    /// Returns the next message. Cancel safe, because the caller drops this future in `select!`: no message that is
    /// removed from a queue may be kept across an `await`.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.next_message().await;
        if message.is_none() {
            // The service stops when this returns, and forgets then which messages it has just sent. A request
            // that waits for such a confirmation, as a stream does after its first message, would never be answered.
            tokio::time::sleep(QUIET).await;
            self.input_end.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output = None;
        self.input.close();
        Ok(())
    }
}
