//! Threads of the service.

use std::io;
use std::thread;

use crate::code::Code;
use crate::failure::Failure;

/// Starts a thread of this name.
pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
        .map_err(|error| cannot_start(&error))
}

/// `BUSY`: the system has no thread to give now.
pub(super) fn cannot_start(error: &io::Error) -> Failure {
    Failure::new(
        Code::Busy,
        format!(
            "The system cannot start another thread now: {}. Try again.",
            error.kind()
        ),
    )
}
