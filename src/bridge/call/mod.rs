//! `vault-gw call`: one JSON request a line in, one envelope a line out.
//!
//! One thread reads lines, some answer, one writes, and the thread here knows what is under way.
//! No more lines are read than there is room for, so memory is bounded whatever is sent.

mod gate;
mod line;
mod queue;
mod service;
mod streams;
mod thread;
mod workers;

use std::io;
use std::num::NonZeroU8;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use self::service::CallService;
use super::host::Host;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::signals::Signal;

/// The options of `call`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CallArguments {
    /// Answer up to this many reading requests at once (1 to 64); a write runs alone, in its turn
    #[arg(long, value_name = "N", default_value = "4", value_parser = parallel)]
    parallel: NonZeroU8,

    /// Print the answers as the requests came, or each as soon as it is there
    #[arg(long, value_name = "ORDER", default_value = "input")]
    order: Order,
}

/// In which order answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// As the requests came.
    Input,
    /// As they are done; tell them apart by `id`.
    Completion,
}

/// The most requests at once.
const MOST_PARALLEL: u8 = 64;

fn parallel(text: &str) -> Result<NonZeroU8, String> {
    text.parse()
        .ok()
        .and_then(NonZeroU8::new)
        .filter(|number| number.get() <= MOST_PARALLEL)
        .ok_or_else(|| format!("it must be from 1 to {MOST_PARALLEL}"))
}

/// What happened, for the thread that knows what is under way.
enum CallEvent {
    /// A line was read, and how long it was.
    Line(line::RequestLine, usize),
    /// There are no more.
    InputEnded,
    /// Standard input broke.
    InputFailed(io::Error),
    /// A request was answered: its number, and the envelope as a line.
    Answered(u64, Vec<u8>),
    /// An answer was printed; how long it was.
    Printed(usize),
    /// Standard output broke, or its reader went away.
    OutputFailed(io::Error),
    /// A signal asks to end.
    Signal(Signal),
}

/// Serves stdin until it ends. An unusable line gets an error envelope and does not end the
/// service.
pub(crate) fn run(
    options: &CommandLineOptions,
    arguments: &CallArguments,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    if options.if_hash.is_some() {
        return Err(Failure::new(
            Code::UsageError,
            "`--if-hash` is about one note. Send `ifHash` in the request that it is for.",
        ));
    }
    let host = Host::start(options, environment)?;
    tracing::info!("service of request lines started");
    CallService::start(host, arguments, options.dry_run)?.serve()
}
