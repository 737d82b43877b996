//! Cancellation of a call from another thread: the client disconnected or cancelled, or the server
//! shuts down (`faults.md` E10).

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use vault_engine::CancellationToken;

use crate::code::Code;
use crate::failure::Failure;

/// A cancellation token. Cheap to clone; cancelling one clone cancels all.
///
/// Cancellation ends runs of the official program and reads of many notes. It is checked before a
/// change begins; a change in progress always completes.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// The engine's view of the token.
    stop: CancellationToken,
    waiting: Mutex<Vec<Waker>>,
    cancelled_signal: Condvar,
}

impl Cancel {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the call, wakes all waiting threads and stops the engine at its next check.
    pub fn cancel(&self) {
        let waiting = {
            let mut waiting = self.waiting();
            // Set the flag while holding the lock. Otherwise a waiter could check the flag, miss
            // the wake-up and then wait forever.
            self.0.stop.cancel();
            std::mem::take(&mut *waiting)
        };
        self.0.cancelled_signal.notify_all();
        for waker in waiting {
            waker.wake();
        }
    }

    /// Whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.stop.is_cancelled()
    }

    /// Checks whether the call was cancelled; for places where nothing has run or changed yet.
    ///
    /// # Errors
    ///
    /// `CANCELLED` if the call was cancelled.
    pub fn check(&self) -> Result<(), Failure> {
        if self.is_cancelled() {
            return Err(Code::Cancelled.failure("The call was cancelled. Nothing was run."));
        }
        Ok(())
    }

    /// Blocks until the call is cancelled, at most for `time`. Returns whether it was cancelled.
    pub fn wait(&self, time: Duration) -> bool {
        let limit = Instant::now() + time;
        let mut waiting = self.waiting();
        while !self.is_cancelled() {
            let left = limit.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            waiting = self
                .0
                .cancelled_signal
                .wait_timeout(waiting, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }

    /// Blocks until this call or `other` is cancelled. A waker ends the wait at once; nothing is
    /// polled.
    #[cfg(target_os = "linux")]
    pub(crate) fn wait_for_either(&self, other: &Self) {
        let waker = Waker::from(Arc::new(ParkedThread(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        let (mut this, mut other) = (self.cancelled(), other.cancelled());
        while Pin::new(&mut this).poll(&mut context).is_pending()
            && Pin::new(&mut other).poll(&mut context).is_pending()
        {
            std::thread::park();
        }
    }

    /// Returns the token in the form that the engine uses.
    pub fn stop(&self) -> CancellationToken {
        self.0.stop.clone()
    }

    /// Returns a future that completes when the call is cancelled.
    pub(super) fn cancelled(&self) -> Cancelled {
        Cancelled(self.clone())
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waker>> {
        // A poisoned lock is harmless: no code under the lock can leave the list half changed.
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Unparks a waiting thread on cancellation.
#[cfg(target_os = "linux")]
struct ParkedThread(std::thread::Thread);

#[cfg(target_os = "linux")]
impl std::task::Wake for ParkedThread {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The future of [`Cancel::cancelled`].
#[derive(Debug)]
pub(super) struct Cancelled(Cancel);

impl Future for Cancelled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.0.waiting();
        if self.0.is_cancelled() {
            return Poll::Ready(());
        }
        // `select!` polls repeatedly with the same waker; do not let the list grow with each poll.
        if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            waiting.push(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn e10_either_of_two_ends_a_wait() {
        for first_ends in [true, false] {
            let (first, second) = (Cancel::new(), Cancel::new());
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| first.wait_for_either(&second));
                if first_ends {
                    first.cancel();
                } else {
                    second.cancel();
                }
                waiting.join().unwrap();
            });
            assert_eq!(first.is_cancelled(), first_ends);
            first.wait_for_either(&second);
        }
    }

    #[test]
    fn e10_the_wish_reaches_a_waiting_thread_and_later_ones() {
        let cancel = Cancel::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert!(!cancel.wait(Duration::ZERO) && cancel.check().is_ok());
        let other = cancel.clone();
        let wisher = std::thread::spawn(move || other.cancel());
        runtime.block_on(cancel.cancelled());
        wisher.join().unwrap();
        assert!(cancel.is_cancelled() && cancel.stop().is_cancelled());
        runtime.block_on(cancel.clone().cancelled());
        assert_eq!(cancel.check().unwrap_err().code, Code::Cancelled);
        assert!(cancel.wait(Duration::from_secs(3600)));
    }

    #[test]
    fn e10_the_wish_ends_a_wait() {
        let cancel = Cancel::new();
        let other = cancel.clone();
        let waiter = std::thread::spawn(move || other.wait(Duration::from_secs(3600)));
        cancel.cancel();
        assert!(waiter.join().unwrap());
    }
}
