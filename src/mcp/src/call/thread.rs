//! Spawning the threads of `vault-gw call`.

use std::io;
use std::thread;

use protocol::code::Code;
use protocol::failure::Failure;

/// Spawns a detached thread with this name.
pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
        .map_err(|error| cannot_start(&error))
}

/// Returns the `BUSY` failure for a thread that the system refused to spawn.
pub(super) fn cannot_start(error: &io::Error) -> Failure {
    Code::Busy
        .failure(format!("Cannot start a thread: {}.", error.kind()))
        .hint("Try again.")
}
