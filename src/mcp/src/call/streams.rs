//! The threads that connect the service with the outside: standard input, standard output, signals.

use std::io::{self, BufReader, Write as _};
use std::sync::mpsc::{Receiver, Sender};

use super::gate::InputGate;
use super::line::RequestLine;
use super::{CallEvent, spawn};
use crate::error::Error;
use crate::lines::next_line;
use gateway::MAX_REQUEST_BYTES;
use protocol::Failure;
use sandbox::signals;

/// Spawns a thread that sends an event for each termination signal.
pub(super) fn listen(events: Sender<CallEvent>) -> Result<(), Failure> {
    let (runtime, mut signals) = signals::listen_on_own_runtime().map_err(Error::NoThread)?;
    spawn("signals", move || {
        loop {
            let signal = runtime.block_on(signals.next());
            if events.send(CallEvent::Signal(signal)).is_err() {
                return;
            }
        }
    })
}

/// Reads lines and sends them as events, at the pace of the gate.
pub(super) fn read(gate: &InputGate, events: &Sender<CallEvent>) {
    let mut input = BufReader::new(io::stdin().lock());
    loop {
        gate.wait_for_room();
        let event = match next_line(&mut input, MAX_REQUEST_BYTES) {
            Ok(Some(line)) => {
                let bytes = line.bytes.len();
                gate.enter(bytes);
                CallEvent::Line(RequestLine::read(&line.bytes), bytes)
            }
            Ok(None) => CallEvent::InputEnded,
            Err(error) => CallEvent::InputFailed(error),
        };
        let goes_on = matches!(event, CallEvent::Line(..));
        if events.send(event).is_err() || !goes_on {
            return;
        }
    }
}

/// Prints answers until the service or the reader of standard output is gone.
pub(super) fn print(lines: &Receiver<Vec<u8>>, events: &Sender<CallEvent>) {
    let mut output = io::stdout().lock();
    for line in lines {
        let written = output.write_all(&line).and_then(|()| output.flush());
        let goes_on = written.is_ok();
        let event =
            written.map_or_else(CallEvent::OutputFailed, |()| CallEvent::Printed(line.len()));
        if events.send(event).is_err() || !goes_on {
            return;
        }
    }
}
