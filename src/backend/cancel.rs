//! Takes a call back from another thread: a client went away or said so, or the server shuts down
//! (`faults.md` E10).

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use vault_engine::Stop;

use crate::code::Code;
use crate::failure::Failure;

/// A wish that is made once and seen by every clone, which are cheap.
///
/// It ends a run of the official program and every reading of many notes, and it is looked at
/// before a change is made; a change under way is carried through.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// What the engine looks at.
    stop: Stop,
    waiting: Mutex<Vec<Waker>>,
    wished: Condvar,
}

impl Cancel {
    /// Nothing is wished for yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the wish.
    pub fn cancel(&self) {
        let waiting = {
            let mut waiting = self.waiting();
            // Under the lock, so that nobody begins to wait in between.
            self.0.stop.wish();
            std::mem::take(&mut *waiting)
        };
        self.0.wished.notify_all();
        for waker in waiting {
            waker.wake();
        }
    }

    /// Whether the wish was made.
    pub fn is_cancelled(&self) -> bool {
        self.0.stop.is_wished()
    }

    /// `CANCELLED` once the wish was made, for places where nothing was run or changed yet.
    pub fn check(&self) -> Result<(), Failure> {
        if self.is_cancelled() {
            return Err(Failure::new(
                Code::Cancelled,
                "The call was cancelled. Nothing was run.",
            ));
        }
        Ok(())
    }

    /// Waits for the wish, at most so long. Whether it was made.
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
                .wished
                .wait_timeout(waiting, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }

    /// The same wish as the engine knows it.
    pub fn stop(&self) -> Stop {
        self.0.stop.clone()
    }

    /// Ends when the wish is made.
    pub(super) fn cancelled(&self) -> Cancelled {
        Cancelled(self.clone())
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waker>> {
        // Nothing that runs under the lock can leave the list half changed.
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Cancel::cancelled`].
#[derive(Debug)]
pub(super) struct Cancelled(Cancel);

impl Future for Cancelled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.0.waiting();
        if self.0.is_cancelled() {
            return Poll::Ready(());
        }
        if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            waiting.push(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(cancel.is_cancelled() && cancel.stop().is_wished());
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
