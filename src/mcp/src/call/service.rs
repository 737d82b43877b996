//! The state of `vault-gw call`: requests in progress, answers to print, and shutdown.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::json;

use super::gate::InputGate;
use super::line::RequestLine;
use super::queue::RequestQueue;
use super::streams::{listen, print, read};
use super::{CallArguments, CallEnding, CallEvent, Order, Workers, spawn};
use crate::error::Error;
use crate::host::Host;
use backend::cancel::Cancel;
use gateway::{Control, Envelope, Request, RequestId};
use protocol::Failure;
use sandbox::Signal;

/// Admitted requests per parallel slot: one that runs and one that waits, so that a free slot
/// never has to wait for the reader.
const INSIDE_FOR_EACH: usize = 2;

/// The least number of lines to admit, with any `--parallel`: a `{"cancel": …}` line must not be
/// stuck behind the very requests that it wants to cancel.
const LEAST_INSIDE: usize = 64;

/// No request starts while more than this many bytes of answers wait to be printed (`threats.toml`
/// J04).
const MOST_UNPRINTED: usize = 8 * 1024 * 1024;

/// The time limit of a forced shutdown, for children to exit and the audit log to be written. A
/// cancelled child is gone within a second, and a change to files takes less.
const AT_ONCE: Duration = Duration::from_secs(5);

/// The running service, owned by one thread.
pub(super) struct CallService {
    host: Arc<Host>,
    order: Order,
    dry_run: bool,
    gate: Arc<InputGate>,
    events: (Sender<CallEvent>, Receiver<CallEvent>),
    /// The printer has its own thread: a client that stops reading would otherwise block this one,
    /// and with it the handling of signals.
    printer: Sender<Vec<u8>>,
    workers: Workers,
    queue: RequestQueue,
    inside: HashMap<u64, UnansweredRequest>,
    /// Finished answers that wait for an earlier one (`--order input`).
    done: BTreeMap<u64, Vec<u8>>,
    next_number: u64,
    next_printed: u64,
    /// The number of answers that the printer has not printed yet.
    printing: usize,
    /// Bytes of finished answers that are not printed yet.
    unprinted: usize,
    ending: ServiceEnding,
}

/// A request that has no answer yet.
struct UnansweredRequest {
    id: Option<RequestId>,
    cancel: Cancel,
    bytes: usize,
    /// Taken when the request starts.
    request: Option<Box<Request>>,
}

/// The progress of the shutdown.
#[derive(Default)]
struct ServiceEnding {
    /// Whether new lines are dropped.
    is_closed: bool,
    /// The signal that started the shutdown.
    signal: Option<Signal>,
    /// The failure of standard input or output.
    failure: Option<Failure>,
    /// Whether the reader of standard output is gone, so that the answers are no longer printed.
    is_deaf: bool,
    /// The deadline of a forced shutdown.
    limit: Option<Instant>,
}

impl CallService {
    /// Spawns the threads.
    ///
    /// # Errors
    ///
    /// If the host cannot start, or the system gives no thread.
    pub(super) fn start(
        host: Host,
        arguments: &CallArguments,
        dry_run: bool,
    ) -> Result<Self, Failure> {
        let most = usize::from(arguments.parallel.get());
        let events = channel();
        let gate = Arc::new(InputGate::new((most * INSIDE_FOR_EACH).max(LEAST_INSIDE)));
        let (printer, lines) = channel();
        listen(events.0.clone())?;
        let to = events.0.clone();
        spawn("printer", move || print(&lines, &to))?;
        let (through, to) = (Arc::clone(&gate), events.0.clone());
        spawn("reader", move || read(&through, &to))?;
        Ok(Self {
            host: Arc::new(host),
            order: arguments.order,
            dry_run,
            gate,
            events,
            printer,
            workers: Workers::new(),
            queue: RequestQueue::new(most),
            inside: HashMap::new(),
            done: BTreeMap::new(),
            next_number: 0,
            next_printed: 0,
            printing: 0,
            unprinted: 0,
            ending: ServiceEnding::default(),
        })
    }

    /// Handles events until the input has ended and every request is answered, or a signal ends the
    /// service.
    ///
    /// # Errors
    ///
    /// If standard input or output failed, or calls are turned off and no request got that error.
    pub(super) fn serve(mut self) -> Result<CallEnding, Failure> {
        while !self.is_over() {
            let (_, events) = &self.events;
            let event = match self.ending.limit {
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(limit) => events.recv_timeout(limit.saturating_duration_since(Instant::now())),
            };
            // The senders live as long as `self`, so an error can only be the deadline of the
            // shutdown.
            let Ok(event) = event else { break };
            self.take(event);
        }
        if let Some(signal) = self.ending.signal {
            return Ok(CallEnding::Served(ExitCode::from(signal.exit_status())));
        }
        if let Some(failure) = self.ending.failure {
            return Err(failure);
        }
        match self.host.gateway().admit_caller() {
            Ok(()) if self.next_number == 0 => Ok(CallEnding::NoRequest),
            Ok(()) => Ok(CallEnding::Served(ExitCode::SUCCESS)),
            Err(failure) if self.next_number == 0 => Err(failure),
            // Every request got an envelope. The exit status repeats the refusal for scripts.
            Err(failure) => Ok(CallEnding::Served(ExitCode::from(failure.code.exit()))),
        }
    }

    fn is_over(&self) -> bool {
        self.ending.is_closed
            && self.inside.is_empty()
            && (self.ending.is_deaf || (self.done.is_empty() && self.printing == 0))
    }

    fn take(&mut self, event: CallEvent) {
        match event {
            // A line that arrives after the signal is dropped; the caller sees the end of the
            // output instead.
            CallEvent::Line(_, bytes) if self.ending.is_closed => self.gate.leave(bytes),
            CallEvent::Line(line, bytes) => self.line(line, bytes),
            CallEvent::InputEnded => self.ending.is_closed = true,
            CallEvent::InputFailed(error) => {
                self.ending.is_closed = true;
                self.ending.failure = Some(Error::Input(error).into());
            }
            CallEvent::Answered(number, line) => {
                self.queue.ended();
                self.answered(number, line);
            }
            CallEvent::Printed(bytes) => {
                self.printing -= 1;
                self.unprinted -= bytes;
                self.gate.leave(bytes);
            }
            CallEvent::OutputFailed(error) => self.deaf(error),
            CallEvent::Signal(signal) => self.signal(signal),
        }
        self.start_what_may();
    }

    fn line(&mut self, line: RequestLine, bytes: usize) {
        match line {
            RequestLine::Blank => self.gate.leave(bytes),
            RequestLine::Cancel(id) => {
                let named = |inside: &&UnansweredRequest| inside.id.as_ref() == Some(&id);
                if let Some(inside) = self.inside.values().find(named) {
                    inside.cancel.cancel();
                }
                self.gate.leave(bytes);
            }
            RequestLine::Unusable(envelope) => self.answer_at_once(&envelope, bytes),
            RequestLine::Request(mut request) => {
                if let Some(id) = &request.id
                    && self
                        .inside
                        .values()
                        .any(|inside| inside.id.as_ref() == Some(id))
                {
                    // No `id`: the caller would take this for the answer to the other request.
                    let error = Error::SameId(json!(id));
                    let envelope = Envelope::from_failure(&request.command, error.into());
                    return self.answer_at_once(&envelope, bytes);
                }
                // `--dry-run` can only add to what the request asks for.
                request.dry_run |= self.dry_run;
                let number = self.number();
                let runs_alone = self.host.gateway().runs_alone(&request);
                self.queue.push(number, runs_alone);
                self.inside.insert(
                    number,
                    UnansweredRequest {
                        id: request.id.clone(),
                        cancel: Cancel::new(),
                        bytes,
                        request: Some(request),
                    },
                );
            }
        }
    }

    fn number(&mut self) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }

    fn answer_at_once(&mut self, envelope: &Envelope, bytes: usize) {
        let line = as_line(envelope.clone());
        self.gate.become_so_long(bytes, line.len());
        let number = self.number();
        self.print(number, line);
    }

    fn answered(&mut self, number: u64, line: Vec<u8>) {
        if let Some(inside) = self.inside.remove(&number) {
            self.gate.become_so_long(inside.bytes, line.len());
        }
        self.print(number, line);
    }

    /// Prints an answer, and then every later one that waited for it.
    fn print(&mut self, number: u64, line: Vec<u8>) {
        self.unprinted += line.len();
        match self.order {
            Order::Completion => self.hand_over(line),
            Order::Input => {
                self.done.insert(number, line);
                while let Some(line) = self.done.remove(&self.next_printed) {
                    self.next_printed += 1;
                    self.hand_over(line);
                }
            }
        }
    }

    fn hand_over(&mut self, line: Vec<u8>) {
        let bytes = line.len();
        if self.ending.is_deaf || self.printer.send(line).is_err() {
            self.unprinted -= bytes;
            self.gate.leave(bytes);
        } else {
            self.printing += 1;
        }
    }

    fn start_what_may(&mut self) {
        // Requests start in the order of arrival, so every answer that a later one waits for is
        // running or done: no deadlock.
        while self.has_room() {
            let Some(number) = self.queue.start_next() else {
                return;
            };
            let Some(inside) = self.inside.get_mut(&number) else {
                continue;
            };
            let Some(request) = inside.request.take() else {
                continue;
            };
            let control = Control::cancelled_by(&inside.cancel);
            let (host, events) = (Arc::clone(&self.host), self.events.0.clone());
            let (command, id) = (request.command.clone(), inside.id.clone());
            let work = move || {
                let line = answer(&host, &request, &control);
                // Fails only after the service has ended.
                drop(events.send(CallEvent::Answered(number, line)));
            };
            if let Err(failure) = self.workers.run(self.queue.running, work) {
                self.queue.ended();
                self.answered(number, as_line(failed(&command, id, failure)));
            }
        }
    }

    fn has_room(&self) -> bool {
        self.unprinted < MOST_UNPRINTED || self.ending.is_deaf || self.ending.limit.is_some()
    }

    /// Cancels everything, because the reader of the answers is gone (`threats.toml` E10).
    fn deaf(&mut self, error: io::Error) {
        self.ending.is_closed = true;
        self.ending.is_deaf = true;
        if error.kind() != io::ErrorKind::BrokenPipe && self.ending.failure.is_none() {
            self.ending.failure = Some(Error::Output(error).into());
        }
        self.cancel_all();
    }

    /// The first signal lets running requests finish, the second cancels them.
    fn signal(&mut self, signal: Signal) {
        self.ending.is_closed = true;
        if self.ending.signal.is_none() {
            self.ending.signal = Some(signal);
        } else {
            self.cancel_all();
        }
    }

    fn cancel_all(&mut self) {
        for inside in self.inside.values() {
            inside.cancel.cancel();
        }
        self.ending
            .limit
            .get_or_insert_with(|| Instant::now() + AT_ONCE);
    }
}

/// Answers a request and serialises the envelope as one line. A panic in one call must not take the
/// service down (`threats.toml` E13), so it becomes an `INTERNAL_ERROR` envelope.
fn answer(host: &Host, request: &Request, control: &Control) -> Vec<u8> {
    let answered = catch_unwind(AssertUnwindSafe(|| as_line(host.answer(request, control))));
    answered.unwrap_or_else(|_| {
        let failure = Error::Panicked.into();
        as_line(failed(&request.command, request.id.clone(), failure))
    })
}

/// Returns the answer to a request that made none itself.
fn failed(command: &str, id: Option<RequestId>, failure: Failure) -> Envelope {
    let mut envelope = Envelope::from_failure(command, failure);
    envelope.id = id;
    envelope
}

/// Serialises an envelope as one line with its line feed.
fn as_line(mut envelope: Envelope) -> Vec<u8> {
    envelope.keep_for_model();
    let mut line = envelope.to_json().into_bytes();
    line.push(b'\n');
    line
}
