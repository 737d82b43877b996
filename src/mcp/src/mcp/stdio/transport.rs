//! The stdio transport: frames JSON-RPC messages as lines. Parsing and serialising run on their own
//! threads, so that a large message does not stall other requests (`threats.toml` J05).

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::flight::InFlight;
use super::writer::MessageWriter;
use crate::error::Error;
use crate::lines::{InputLine, next_line};
use crate::mcp::message;
use crate::mcp::message::{MAX_BYTES, RefusedMessage};
use protocol::failure::Failure;

/// The time without work for the service at the end of the input after which it stops. Any work drops the future that
/// waits, so that the time begins again.
const QUIET: Duration = Duration::from_millis(10);

/// The result of parsing a line.
enum ReadMessage {
    /// A valid message and its length in bytes.
    Message(Box<ClientJsonRpcMessage>, usize),
    /// An invalid message, with the error to answer.
    Refused(RefusedMessage),
}

impl ReadMessage {
    /// Parses a line; `None` if it is blank.
    fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > MAX_BYTES {
            let text = format!("message too large; the limit is {MAX_BYTES} bytes");
            return Some(Self::Refused(RefusedMessage {
                id: None,
                error: Box::new(ErrorData::invalid_request(text, None)),
            }));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        Some(match message::read(bytes) {
            Ok(message) => Self::Message(Box::new(message), bytes.len()),
            Err(refused) => Self::Refused(refused),
        })
    }
}

/// The transport on two streams.
pub(super) struct Stdio {
    input: mpsc::Receiver<ReadMessage>,
    output: Option<MessageWriter>,
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
        output: impl io::Write + Send + 'static,
    ) -> io::Result<Self> {
        let (writer, written) = MessageWriter::start(output)?;
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
                    if let Some(read) = ReadMessage::parse(&bytes)
                        && lines.blocking_send(read).is_err()
                    {
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
                let room = output.room().await.ok()?;
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
            ReadMessage::Message(message, bytes) => (*message, bytes),
            ReadMessage::Refused(refused) => {
                self.refuse(refused.id, *refused.error);
                return None;
            }
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.flight.enter(&request.id, bytes) {
                    // No id in this error: the other request's answer will use it.
                    let text = "a request with this id is still in progress; nothing was run";
                    self.refuse(None, ErrorData::invalid_request(text, None));
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

    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        self.refusals
            .push_back(ServerJsonRpcMessage::error(error, id));
    }
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
            let handed_in = output.message(item).await;
            if let Some(id) = answers {
                flight.answered(&id);
            }
            handed_in
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
