//! The interfaces for agents and programs: `call` and `mcp`, and what the page of `review --web` shares with them: [`http`] and
//! [`ending`].
//!
//! [`call`] answers one JSON request per line. [`mcp`] is the MCP server: `server.rs` is common to stdio and HTTP, which
//! have a folder each. Both keep a [`host::Host`] between requests, in a process that `confine` has confined first.

pub mod call;
mod confine;
pub mod ending;
mod error;
pub mod host;
pub mod http;
mod lines;
pub mod mcp;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, even if a panic has poisoned it: nothing here leaves what is below a lock half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
