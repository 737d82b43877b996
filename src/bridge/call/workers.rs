//! The threads that answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::CallEvent;
use super::thread::spawn;
use crate::bridge::host::Host;
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::{Control, Envelope, Request};

/// A request to be answered.
pub(super) struct CallJob {
    pub(super) number: u64,
    pub(super) request: Box<Request>,
    pub(super) control: Control,
}

/// The threads that answer; more are started when there is work for them.
pub(super) struct Workers {
    host: Arc<Host>,
    events: Sender<CallEvent>,
    jobs: Sender<CallJob>,
    taken: Arc<Mutex<Receiver<CallJob>>>,
    count: usize,
    most: usize,
}

impl Workers {
    /// One thread to begin with.
    pub(super) fn start(
        host: Arc<Host>,
        events: Sender<CallEvent>,
        most: usize,
    ) -> Result<Self, Failure> {
        let (jobs, taken) = channel();
        let mut workers = Self {
            host,
            events,
            jobs,
            taken: Arc::new(Mutex::new(taken)),
            count: 0,
            most,
        };
        workers.add()?;
        Ok(workers)
    }

    fn add(&mut self) -> Result<(), Failure> {
        let (host, events) = (Arc::clone(&self.host), self.events.clone());
        let taken = Arc::clone(&self.taken);
        spawn("worker", move || {
            loop {
                let job = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(job) = job else { return };
                let line = answer(&host, &job);
                if events.send(CallEvent::Answered(job.number, line)).is_err() {
                    return;
                }
            }
        })?;
        self.count += 1;
        Ok(())
    }

    /// Has a request answered. Where no more threads can be had, it waits for one of those that
    /// are there.
    pub(super) fn give(&mut self, job: CallJob, running: usize) {
        if running > self.count && self.count < self.most {
            // The next request tries again.
            drop(self.add());
        }
        // The threads that are there hold the other end.
        drop(self.jobs.send(job));
    }
}

/// The answer as a line. A defect in one call must not take the service down (`faults.md` E13).
fn answer(host: &Host, job: &CallJob) -> Vec<u8> {
    let answered = catch_unwind(AssertUnwindSafe(|| {
        as_line(host.answer(&job.request, &job.control).envelope)
    }));
    answered.unwrap_or_else(|_| {
        let failure = Failure::new(
            Code::InternalError,
            "The gateway made a mistake and stopped this call. Please report it.",
        );
        let mut envelope = Envelope::of_failure(&job.request.command, failure);
        envelope.id.clone_from(&job.request.id);
        as_line(envelope)
    })
}

/// An answer as it is printed.
pub(super) fn as_line(mut envelope: Envelope) -> Vec<u8> {
    envelope.for_model();
    let mut line = envelope.to_json().into_bytes();
    line.push(b'\n');
    line
}
