//! Spawning the threads of `vault-gw call`.

use std::thread;

use crate::error::Error;
use protocol::failure::Failure;

/// Spawns a detached thread with this name.
pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
        .map_err(|error| Error::NoThread(error).into())
}
