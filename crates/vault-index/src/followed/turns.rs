//! A kept value that one request at a time brings up to date, while the others wait.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use obsidian_note::CancellationToken;
use vault_files::EngineError;

use crate::lock;

/// The pause between two checks of a waiting request for its cancellation.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A value that requests take in turns.
pub(super) struct Turns<T>(Arc<SharedTurns<T>>);

struct SharedTurns<T> {
    turn: Mutex<Turn<T>>,
    freed: Condvar,
}

struct Turn<T> {
    /// Whether a request has taken the value, which is then in its lease.
    is_taken: bool,
    value: Option<T>,
    failure: Option<EngineError>,
    /// Whether the last request left a value, even if another one has taken it now.
    is_kept: bool,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self(Arc::new(SharedTurns {
            turn: Mutex::new(Turn {
                is_taken: false,
                value: None,
                failure: None,
                is_kept: false,
            }),
            freed: Condvar::new(),
        }))
    }
}

impl<T> Turns<T> {
    /// Waits for exclusive use of the value.
    ///
    /// # Errors
    ///
    /// If the waiting request is cancelled.
    pub(super) fn take(&self, cancellation: &CancellationToken) -> Result<Lease<T>, EngineError> {
        let mut turn = lock(&self.0.turn);
        while turn.is_taken {
            cancellation.check()?;
            let waited = self.0.freed.wait_timeout(turn, LOOK_AGAIN);
            turn = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(self.lease(&mut turn))
    }

    /// Exclusive use of the value; `None` if another request has it.
    pub(super) fn try_take(&self) -> Option<Lease<T>> {
        let mut turn = lock(&self.0.turn);
        (!turn.is_taken).then(|| self.lease(&mut turn))
    }

    fn lease(&self, turn: &mut Turn<T>) -> Lease<T> {
        turn.is_taken = true;
        let (value, failure) = (turn.value.take(), turn.failure.take());
        Lease {
            value,
            failure,
            turns: Arc::clone(&self.0),
        }
    }

    /// Whether there is a value, also while a request has taken it.
    pub(super) fn is_kept(&self) -> bool {
        lock(&self.0.turn).is_kept
    }
}

/// Exclusive use of the value by one request. Dropping it gives the value back, also in a panic.
pub(super) struct Lease<T> {
    /// `None` at first, and after a request that failed or panicked before it left a value.
    pub(super) value: Option<T>,
    /// The reason why the request before, which had the value, left none.
    pub(super) failure: Option<EngineError>,
    turns: Arc<SharedTurns<T>>,
}

impl<T> Lease<T> {
    /// Gives the value back, or the reason why there is none.
    pub(super) fn end(mut self, outcome: Result<T, EngineError>) {
        match outcome {
            Ok(value) => self.value = Some(value),
            Err(failure) => self.failure = Some(failure),
        }
    }
}

impl<T> Drop for Lease<T> {
    fn drop(&mut self) {
        let mut turn = lock(&self.turns.turn);
        turn.value = self.value.take();
        turn.failure = self.failure.take();
        turn.is_kept = turn.value.is_some();
        turn.is_taken = false;
        drop(turn);
        self.turns.freed.notify_one();
    }
}
