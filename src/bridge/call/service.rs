//! What is under way, and how it ends.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::gate::InputGate;
use super::line::RequestLine;
use super::queue::{Needs, RequestQueue};
use super::streams::{listen, print, read};
use super::thread::spawn;
use super::workers::{CallJob, Workers, as_line};
use super::{CallArguments, CallEvent, Order};
use crate::allowlist::{Call, Catalogue, Effect};
use crate::bridge::host::Host;
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::{Cancel, Control, Envelope, Request};
use crate::signals::Signal;

/// How many requests may be inside for each that may run: as many again wait, so that whoever
/// answers never waits for the reader.
const INSIDE_FOR_EACH: usize = 2;

/// And how many lines are read in any case: a wish to take a request back must not wait behind
/// those that wait for that very request.
const LEAST_INSIDE: usize = 64;

/// While more bytes of answers than this wait to be printed, nothing new is started
/// (`faults.md` J04).
const MOST_UNPRINTED: usize = 8 * 1024 * 1024;

/// How long a process that has to end at once waits for children to go and for the log to be
/// written. A child that was cancelled is gone within a second, and a change to files takes less.
const AT_ONCE: Duration = Duration::from_secs(5);

/// The service while it runs.
pub(super) struct CallService {
    host: Arc<Host>,
    order: Order,
    dry_run: bool,
    gate: Arc<InputGate>,
    events: Receiver<CallEvent>,
    /// Printing happens on its own thread: a client that does not read must not keep a signal from
    /// being seen.
    printer: Sender<Vec<u8>>,
    workers: Workers,
    queue: RequestQueue,
    inside: HashMap<u64, UnansweredRequest>,
    /// Answers that are done before an earlier one is.
    done: BTreeMap<u64, Vec<u8>>,
    next_number: u64,
    next_printed: u64,
    /// Answers given to the printer and not printed yet.
    printing: usize,
    /// Bytes of answers that are done and not printed yet.
    unprinted: usize,
    ending: ServiceEnding,
}

/// A request under way.
struct UnansweredRequest {
    id: Option<String>,
    cancel: Cancel,
    bytes: usize,
    /// Until it starts.
    request: Option<Box<Request>>,
}

/// How the service comes to its end.
#[derive(Default)]
struct ServiceEnding {
    /// Whether no more lines are taken.
    is_closed: bool,
    /// The first signal that asked for it.
    signal: Option<Signal>,
    /// Standard input or output broke.
    failure: Option<Failure>,
    /// Whether there is nobody to print for.
    is_deaf: bool,
    /// By when it has to be over, whatever is under way.
    limit: Option<Instant>,
}

impl CallService {
    /// Starts the threads.
    pub(super) fn start(
        host: Host,
        arguments: &CallArguments,
        dry_run: bool,
    ) -> Result<Self, Failure> {
        let most = usize::from(arguments.parallel.get());
        let (sender, events) = channel();
        let gate = Arc::new(InputGate::new((most * INSIDE_FOR_EACH).max(LEAST_INSIDE)));
        let host = Arc::new(host);
        let workers = Workers::start(Arc::clone(&host), sender.clone(), most)?;
        let (printer, lines) = channel();
        listen(sender.clone())?;
        let to = sender.clone();
        spawn("printer", move || print(&lines, &to))?;
        let through = Arc::clone(&gate);
        spawn("reader", move || read(&through, &sender))?;
        Ok(Self {
            host,
            order: arguments.order,
            dry_run,
            gate,
            events,
            printer,
            workers,
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

    /// Serves until the input has ended and everything is answered, or a signal says so.
    pub(super) fn serve(mut self) -> Result<ExitCode, Failure> {
        while !self.is_over() {
            let event = match self.ending.limit {
                None => self
                    .events
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
                Some(limit) => self
                    .events
                    .recv_timeout(limit.saturating_duration_since(Instant::now())),
            };
            // Nobody can be gone while this is here; and when the time is up it is over.
            let Ok(event) = event else { break };
            self.take(event);
        }
        if let Some(signal) = self.ending.signal {
            return Ok(ExitCode::from(signal.exit_status()));
        }
        if let Some(failure) = self.ending.failure {
            return Err(failure);
        }
        if self.host.gateway().is_bridge_on() {
            return Ok(ExitCode::SUCCESS);
        }
        // Each line got its envelope; the status says it once more for scripts.
        Ok(ExitCode::from(Code::BridgeDisabled.exit()))
    }

    fn is_over(&self) -> bool {
        self.ending.is_closed
            && self.inside.is_empty()
            && (self.ending.is_deaf || (self.done.is_empty() && self.printing == 0))
    }

    fn take(&mut self, event: CallEvent) {
        match event {
            // What comes after a signal was not taken in; its sender sees that from the end.
            CallEvent::Line(_, bytes) if self.ending.is_closed => self.gate.leave(bytes),
            CallEvent::Line(line, bytes) => self.line(line, bytes),
            CallEvent::InputEnded => self.ending.is_closed = true,
            CallEvent::InputFailed(error) => {
                self.ending.is_closed = true;
                self.ending.failure = Some(Failure::new(
                    Code::IoError,
                    format!("Cannot read standard input: {error}."),
                ));
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
            CallEvent::OutputFailed(error) => self.deaf(&error),
            CallEvent::Signal(signal) => self.signal(signal),
        }
        self.start_what_may();
    }

    fn line(&mut self, line: RequestLine, bytes: usize) {
        match line {
            RequestLine::Blank => self.gate.leave(bytes),
            RequestLine::Cancel(id) => {
                let named = |inside: &&UnansweredRequest| inside.id.as_deref() == Some(id.as_str());
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
                    // Without the id: that is the other request's answer's.
                    let failure = Failure::new(
                        Code::UsageError,
                        "A request with this `id` is in progress. Use another `id`.",
                    )
                    .with("id", id.as_str());
                    let envelope = Envelope::of_failure(&request.command, failure);
                    return self.answer_at_once(&envelope, bytes);
                }
                // The option can only tighten what a line asks for.
                request.dry_run |= self.dry_run;
                let number = self.number();
                self.queue.push(number, needs(&request));
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

    /// Prints an answer, and those that waited for it.
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
        // What is started first is printed first, so whatever is waited for here runs or is done.
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
            let job = CallJob {
                number,
                request,
                control: Control::cancelled_by(&inside.cancel),
            };
            self.workers.give(job, self.queue.running());
        }
    }

    fn has_room(&self) -> bool {
        self.unprinted < MOST_UNPRINTED || self.ending.is_deaf || self.ending.limit.is_some()
    }

    /// Nobody reads the answers any more, so nobody wants them (`faults.md` E10).
    fn deaf(&mut self, error: &io::Error) {
        self.ending.is_closed = true;
        self.ending.is_deaf = true;
        if error.kind() != io::ErrorKind::BrokenPipe && self.ending.failure.is_none() {
            self.ending.failure = Some(Failure::new(
                Code::IoError,
                format!("Cannot write to standard output: {error}."),
            ));
        }
        self.cancel_all();
    }

    /// The first lets everything end that was begun, the second ends it.
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

/// Whatever may change something runs alone: in the vault, and in the app, where the active file
/// may be what the next request is about.
fn needs(request: &Request) -> Needs {
    let Ok(command) = Catalogue::find_builtin(&request.command) else {
        return Needs::Company;
    };
    let Ok(arguments) = command.admit(&request.params.0) else {
        return Needs::Company;
    };
    let effects = Call { command, arguments }.effects();
    let only_reads = effects.iter().all(|effect| effect == Effect::Read);
    if only_reads || request.dry_run {
        Needs::Company
    } else {
        Needs::Solitude
    }
}
