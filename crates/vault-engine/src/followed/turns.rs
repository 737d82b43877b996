//! A kept value that one request at a time brings up to date, while the others wait.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cancellation::CancellationToken;
use crate::error::EngineError;

/// How often a waiting request checks for its cancellation.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A value that requests take in turns.
pub(super) struct Turns<T> {
    turn: Mutex<Turn<T>>,
    freed: Condvar,
}

struct Turn<T> {
    /// Whether a request has taken the value; it then holds it.
    is_taken: bool,
    value: Option<T>,
    /// Whether the last request left a value, even if another one has taken it now.
    is_kept: bool,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self {
            turn: Mutex::new(Turn { is_taken: false, value: None, is_kept: false }),
            freed: Condvar::new(),
        }
    }
}

impl<T> Turns<T> {
    /// Waits for exclusive use of the value.
    ///
    /// # Errors
    ///
    /// If the waiting request is cancelled.
    pub(super) fn take(
        &self,
        cancellation: &CancellationToken,
    ) -> Result<Lease<'_, T>, EngineError> {
        let mut turn = self.lock();
        while turn.is_taken {
            cancellation.check()?;
            turn =
                self.freed.wait_timeout(turn, LOOK_AGAIN).unwrap_or_else(PoisonError::into_inner).0;
        }
        turn.is_taken = true;
        Ok(Lease { value: turn.value.take(), turns: self })
    }

    /// Whether there is a value, also while a request has taken it.
    pub(super) fn is_kept(&self) -> bool {
        self.lock().is_kept
    }

    fn lock(&self) -> MutexGuard<'_, Turn<T>> {
        // Poisoning is harmless: only plain fields are assigned under the lock.
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Exclusive use of the value by one request. Dropping it gives the value back, also in a panic.
pub(super) struct Lease<'turns, T> {
    /// `None` at first, and after a request that failed or panicked before it left a value.
    pub(super) value: Option<T>,
    turns: &'turns Turns<T>,
}

impl<T> Drop for Lease<'_, T> {
    fn drop(&mut self) {
        let mut turn = self.turns.lock();
        turn.value = self.value.take();
        turn.is_kept = turn.value.is_some();
        turn.is_taken = false;
        drop(turn);
        self.turns.freed.notify_one();
    }
}
