//! Cancellation of a call from another thread: the client disconnected or cancelled, or the server
//! shuts down (`threats.toml` E10).

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use tokio_util::sync::WaitForCancellationFuture;
use vault_engine::CancellationToken;

use protocol::{Code, Failure};

/// A cancellation token. Cheap to clone; cancelling one clone cancels all.
///
/// Cancellation ends runs of the official program and reads of many notes. It is checked before a
/// change begins; a change in progress always completes.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    /// The engine's view of the token.
    stop: CancellationToken,
    /// Wakes everything that waits for the cancellation.
    waiters: tokio_util::sync::CancellationToken,
}

impl Cancel {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the call, wakes all waiting threads and stops the engine at its next check.
    pub fn cancel(&self) {
        self.stop.cancel();
        self.waiters.cancel();
    }

    /// Whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.stop.is_cancelled()
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
        block_on(self.cancelled(), time).is_some()
    }

    /// Blocks until this call or `other` is cancelled.
    #[cfg(target_os = "linux")]
    pub fn wait_for_either(&self, other: &Self) {
        let either = async {
            tokio::select! {
                biased;
                () = self.cancelled() => {}
                () = other.cancelled() => {}
            }
        };
        block_on(either, Duration::MAX);
    }

    /// Returns the token in the form that the engine uses.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Returns a future that completes when the call is cancelled.
    pub fn cancelled(&self) -> WaitForCancellationFuture<'_> {
        self.waiters.cancelled()
    }
}

/// Waits on this thread for `work`, at most for `time`. Needs no runtime: the thread sleeps until
/// the work wakes it. `None` if the time has passed; work that is ready at once counts even without
/// any time.
pub fn block_on<T>(work: impl Future<Output = T>, time: Duration) -> Option<T> {
    let start = Instant::now();
    let waker = Waker::from(Arc::new(ParkedThread(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    // Ready work must not wait because a task of a runtime has used up its budget.
    let mut work = std::pin::pin!(tokio::task::unconstrained(work));
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
            return Some(done);
        }
        let left = time.saturating_sub(start.elapsed());
        if left.is_zero() {
            return None;
        }
        std::thread::park_timeout(left);
    }
}

/// Unparks a waiting thread.
struct ParkedThread(Thread);

impl Wake for ParkedThread {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
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
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
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
