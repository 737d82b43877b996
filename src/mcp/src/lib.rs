//! The interfaces for agents and programs: `call` and `mcp`, and what the page of `review --web` shares with them: [`http`] and
//! [`ending`].

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
