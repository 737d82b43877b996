//! Asks a run to stop from another thread: a client went away, or the server shuts down
//! (`faults.md` E10).

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A wish that can be made once and is seen by every clone.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    wished: bool,
    waiting: Vec<Waker>,
}

impl Cancel {
    /// Makes the wish. Runs that hold a clone end as if their time were up.
    pub fn cancel(&self) {
        let waiting = {
            let mut state = self.state();
            state.wished = true;
            std::mem::take(&mut state.waiting)
        };
        for waker in waiting {
            waker.wake();
        }
    }

    /// Whether the wish was made.
    pub fn is_cancelled(&self) -> bool {
        self.state().wished
    }

    /// Ends when the wish is made.
    pub(super) fn cancelled(&self) -> Cancelled {
        Cancelled(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that runs under the lock can leave the state half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Cancel::cancelled`].
#[derive(Debug)]
pub(super) struct Cancelled(Cancel);

impl Future for Cancelled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.state();
        if state.wished {
            return Poll::Ready(());
        }
        if !state
            .waiting
            .iter()
            .any(|waker| waker.will_wake(context.waker()))
        {
            state.waiting.push(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e10_the_wish_reaches_a_waiting_thread_and_later_ones() {
        let cancel = Cancel::default();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let other = cancel.clone();
        let wisher = std::thread::spawn(move || other.cancel());
        runtime.block_on(cancel.cancelled());
        wisher.join().unwrap();
        assert!(cancel.is_cancelled());
        runtime.block_on(cancel.clone().cancelled());
    }
}
