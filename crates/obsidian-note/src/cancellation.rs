//! Cancellation of long reads, by a caller or by a deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A cancellation token. All clones share one flag; a deadline belongs to the clone that has it.
///
/// Code that reads many notes, or compares one note with many terms, checks the token between two steps and fails with
/// `EngineError::Stopped`. Applying an edit does not check it: an edit is never left half done.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

/// The work was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkCancelled;

impl CancellationToken {
    /// Cancels the work of all clones. Cannot be undone.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Returns the same token, which also counts as cancelled from `deadline` on.
    #[must_use]
    pub fn with_deadline(self, deadline: Instant) -> Self {
        let deadline = self
            .deadline
            .map_or(deadline, |before| before.min(deadline));
        Self {
            deadline: Some(deadline),
            ..self
        }
    }

    /// Returns the same token with a deadline after three quarters of the time that is left. For a part of the work
    /// whose result is useful even if it is incomplete.
    #[must_use]
    pub fn leaving_time(self) -> Self {
        let now = Instant::now();
        let deadline = self
            .deadline
            .map(|deadline| now + deadline.duration_since(now) / 4 * 3);
        Self { deadline, ..self }
    }

    /// Whether the work was cancelled or its deadline has passed.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
            || self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// Fails once the work is cancelled.
    ///
    /// # Errors
    ///
    /// Fails once the work is cancelled.
    pub fn check(&self) -> Result<(), WorkCancelled> {
        if self.is_cancelled() {
            Err(WorkCancelled)
        } else {
            Ok(())
        }
    }
}
