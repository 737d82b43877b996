//! `vault-gw call`: one JSON request per input line, one JSON envelope per output line.
//!
//! One thread reads lines, each running request has a thread, one thread prints, and the calling
//! thread owns all state and receives their events. Lines are read only while there is room, so memory is
//! bounded for all input. A client that does not read its answers is not read from either, and its `cancel` waits too.
//!
//! A call is cancelled through its `Control`. Reads of many notes check for that between two notes. A change is never
//! left half done: it does not begin, or it is completed.

mod gate;
mod line;
mod queue;
mod service;
mod streams;

use std::io;
use std::num::NonZeroU8;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use clap::{Args, ValueEnum};

use self::service::CallService;
use super::host::Host;
use crate::error::Error;
use crate::lock;
use frontend::CommandLineOptions;
use protocol::Failure;
use sandbox::{Environment, Signal};

/// The options of `call`.
#[derive(Args, Clone, Debug)]
pub struct CallArguments {
    /// Answer up to this many reading requests at once (1 to 64); a write runs alone, in its turn
    #[arg(long, value_name = "N", default_value = "4", value_parser = parallel)]
    parallel: NonZeroU8,

    /// Print the answers as the requests came, or each as soon as it is there
    #[arg(long, value_name = "ORDER", default_value = "input")]
    order: Order,
}

/// The order in which answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// In the order of the requests
    Input,
    /// As soon as each is ready; match them to requests by `id`
    Completion,
}

/// The upper bound of `--parallel`.
const MOST_PARALLEL: u8 = 64;

fn parallel(text: &str) -> Result<NonZeroU8, String> {
    text.parse()
        .ok()
        .and_then(NonZeroU8::new)
        .filter(|number| number.get() <= MOST_PARALLEL)
        .ok_or_else(|| format!("it must be from 1 to {MOST_PARALLEL}"))
}

/// An event from another thread, for the thread that owns the state.
enum CallEvent {
    /// A line was read; its length in bytes.
    Line(line::RequestLine, usize),
    /// Standard input ended, so no more requests arrive.
    InputEnded,
    /// Reading standard input failed.
    InputFailed(io::Error),
    /// A request was answered: its number and the serialised envelope.
    Answered(u64, Vec<u8>),
    /// An answer was printed; its length in bytes.
    Printed(usize),
    /// Writing to standard output failed, or its reader closed it.
    OutputFailed(io::Error),
    /// A termination signal arrived.
    Signal(Signal),
}

/// The reason for which the service ended.
pub enum CallEnding {
    /// Every request was answered; the exit status.
    Served(ExitCode),
    /// There was no request, so nothing was printed.
    NoRequest,
}

/// Serves standard input until it ends. An invalid line gets an error envelope and does not end the
/// service.
///
/// # Errors
///
/// If an option does not fit, the settings or the vault are unusable, or a thread cannot be
/// started.
pub fn run(
    options: &CommandLineOptions,
    arguments: &CallArguments,
    environment: &Environment,
) -> Result<CallEnding, Failure> {
    if options.if_hash.is_some() {
        return Err(Error::NoHashOfCalls.into());
    }
    let host = Host::start_confined(options, environment)?;
    tracing::info!("service of request lines started");
    CallService::start(host, arguments, options.dry_run)?.serve()
}

type Work = Box<dyn FnOnce() + Send>;

/// The threads of running requests. A thread waits for the next request when it has answered one, because starting a
/// thread costs a sixth of a read.
struct Workers {
    work: Sender<Work>,
    waiting: Arc<Mutex<Receiver<Work>>>,
    count: usize,
}

impl Workers {
    fn new() -> Self {
        let (work, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        Self {
            work,
            waiting,
            count: 0,
        }
    }

    /// Runs the work on a thread of its own. `running` counts it with all work that has not ended.
    fn run(&mut self, running: usize, work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
        if self.count < running {
            let waiting = Arc::clone(&self.waiting);
            spawn("request", move || {
                loop {
                    let next = lock(&waiting).recv();
                    let Ok(work) = next else { return };
                    work();
                }
            })?;
            self.count += 1;
        }
        // Cannot fail, because the receiver is a field.
        drop(self.work.send(Box::new(work)));
        Ok(())
    }
}

/// Spawns a detached thread with this name.
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    let spawned = thread.spawn(work).map(drop);
    spawned.map_err(|error| Error::NoThread(error).into())
}
