//! The transport between the streams and the protocol. Messages are read and written by threads of
//! their own: a large one takes its time, and others must not wait for it (`faults.md` J05).

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use super::flight::InFlight;
use super::writer::{MessageWriter, WriteNotice};
use crate::bridge::lines::{InputLine, next_line};
use crate::bridge::mcp::message::{self, MAX_BYTES, RefusedMessage};
use crate::code::Code;
use crate::failure::Failure;

/// A line as it was read.
enum ReadMessage {
    /// A message of so many bytes.
    Message(Box<ClientJsonRpcMessage>, usize),
    /// No message.
    Refused(RefusedMessage),
}

impl ReadMessage {
    /// None where there is nothing on the line.
    fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > MAX_BYTES {
            let told = format!("a message has at most {MAX_BYTES} bytes");
            return Some(Self::Refused(RefusedMessage {
                id: None,
                error: Box::new(ErrorData::invalid_request(told, None)),
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

/// Reads messages from one stream and writes them to another.
pub(super) struct Stdio {
    input: mpsc::Receiver<ReadMessage>,
    output: Option<MessageWriter>,
    written: WriteNotice,
    flight: Arc<InFlight>,
    /// Answers to lines that make no message, still to be written.
    refusals: VecDeque<ServerJsonRpcMessage>,
    /// Whether a request has come: before the first one there is nobody to notify.
    begun: bool,
}

impl Stdio {
    /// The transport on standard input and output of this process.
    pub(super) fn of_this_process() -> Result<Self, Failure> {
        Self::start(io::stdin(), io::stdout()).map_err(|error| {
            Failure::new(
                Code::InternalError,
                format!("Cannot start a thread: {error}."),
            )
        })
    }

    /// The same on other streams.
    pub(super) fn start(
        input: impl io::Read + Send + 'static,
        output: impl io::Write + Send + 'static,
    ) -> io::Result<Self> {
        let (writer, written) = MessageWriter::start(output)?;
        // One line waits while another is answered; the rest stays in the pipe.
        let (lines, received) = mpsc::channel(1);
        std::thread::Builder::new()
            .name("mcp-input".to_owned())
            .spawn(move || {
                let mut input = io::BufReader::with_capacity(64 * 1024, input);
                // What stands after the last line feed is no message.
                while let Ok(Some(InputLine {
                    bytes,
                    is_ended: true,
                })) = next_line(&mut input, MAX_BYTES)
                {
                    if let Some(read) = ReadMessage::of(&bytes)
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
        })
    }

    /// The end of the writing, to be waited for after the transport was closed.
    pub(super) fn written(&self) -> WriteNotice {
        self.written.clone()
    }

    /// The message on a line, where it is one that may go on.
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
                    // Under that id the answer of the other request is still to come.
                    let told = "the id of this request is taken by another one; nothing was run";
                    self.refuse(None, ErrorData::invalid_request(told, None));
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

    /// Polled beside other work and dropped in the middle: nothing taken out of a queue may be lost
    /// at an `await`.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
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
                () = output.gone() => return None,
            };
            if let Some(message) = self.admit(read) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output = None;
        self.input.close();
        Ok(())
    }
}
