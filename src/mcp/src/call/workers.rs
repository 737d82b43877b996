//! The worker threads of `vault-gw call`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::CallEvent;
use super::thread::spawn;
use crate::error::Error;
use crate::host::Host;
use crate::lock;
use gateway::{Control, Envelope, Request};
use protocol::failure::Failure;

/// A request on its way to a worker thread.
pub(super) struct CallJob {
    pub(super) number: u64,
    pub(super) request: Box<Request>,
    pub(super) control: Control,
}

/// The pool of worker threads. It grows on demand, because most callers send one request at a time.
pub(super) struct Workers {
    host: Arc<Host>,
    events: Sender<CallEvent>,
    jobs: Sender<CallJob>,
    taken: Arc<Mutex<Receiver<CallJob>>>,
    count: usize,
    most: usize,
}

impl Workers {
    /// Starts the pool with one thread.
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
                let job = lock(&taken).recv();
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

    /// Queues a request for the workers and grows the pool if all of them are busy. If the system
    /// gives no more threads, the request waits for an existing one.
    pub(super) fn give(&mut self, job: CallJob, running: usize) {
        if running > self.count && self.count < self.most {
            // Not fatal: existing workers drain the queue, and the next request tries to grow the
            // pool again.
            drop(self.add());
        }
        // Cannot fail: the workers keep the receiver for as long as `self` lives.
        drop(self.jobs.send(job));
    }
}

/// Answers a request and serialises the envelope as one line. A panic in one call must not take the
/// service down (`threats.toml` E13), so it becomes an `INTERNAL_ERROR` envelope.
fn answer(host: &Host, job: &CallJob) -> Vec<u8> {
    let answered = catch_unwind(AssertUnwindSafe(|| {
        as_line(host.answer(&job.request, &job.control))
    }));
    answered.unwrap_or_else(|_| {
        let mut envelope = Envelope::from_failure(&job.request.command, Error::Panicked.into());
        envelope.id.clone_from(&job.request.id);
        as_line(envelope)
    })
}

/// Serialises an envelope as one line with its line feed.
pub(super) fn as_line(mut envelope: Envelope) -> Vec<u8> {
    envelope.keep_for_model();
    let mut line = envelope.to_json().into_bytes();
    line.push(b'\n');
    line
}
