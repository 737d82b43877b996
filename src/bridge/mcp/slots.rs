//! How many calls run at once and how many wait, so that a flood costs neither memory nor threads
//! (`faults.md` J01).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use crate::code::Code;
use crate::failure::Failure;

/// Fewest calls at once, on however small a machine: most of them wait for the disk or the app.
const FEWEST: usize = 8;
/// Calls that may wait for each one that runs.
const QUEUE_PER_SLOT: usize = 8;

/// The places for calls.
pub(super) struct Slots {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

impl Slots {
    /// Places by the number of processors.
    pub(super) fn of_this_machine() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(FEWEST.max(2 * processors))
    }

    /// This many places.
    pub(super) fn new(places: usize) -> Self {
        Self {
            running: Arc::new(Semaphore::new(places)),
            waiting: AtomicUsize::new(0),
            most_waiting: places * QUEUE_PER_SLOT,
        }
    }

    /// Runs blocking work as soon as there is a place. The place is taken until the work ends, even
    /// if nobody waits for it any more.
    ///
    /// `BUSY` at once where too many wait, or after `patience`; `INTERNAL_ERROR` where the work
    /// panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        patience: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let place = self.place(patience).await?;
        let done = spawn_blocking(move || {
            let result = work();
            drop(place);
            result
        });
        done.await.map_err(|_| {
            Failure::new(
                Code::InternalError,
                "The server made a mistake and stopped this call. Please report it.",
            )
        })
    }

    async fn place(&self, patience: Duration) -> Result<OwnedSemaphorePermit, Failure> {
        if let Ok(place) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(place);
        }
        let _waiting = Waiting::enter(&self.waiting, self.most_waiting)?;
        tokio::time::timeout(patience, Arc::clone(&self.running).acquire_owned())
            .await
            .ok()
            .and_then(Result::ok)
            .ok_or_else(busy)
    }
}

/// One that waits; leaves the queue when it is dropped, however that comes.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn enter(waiting: &'a AtomicUsize, most: usize) -> Result<Self, Failure> {
        let entered = Self(waiting);
        if waiting.fetch_add(1, Ordering::AcqRel) < most {
            Ok(entered)
        } else {
            Err(busy())
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn busy() -> Failure {
    Failure::new(
        Code::Busy,
        "Too many calls are under way. Nothing was run; send the call again in a moment.",
    )
    .with("retryAfterMs", 500)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn j01_more_calls_than_places_wait_and_more_than_the_queue_are_told_so() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let slots = Arc::new(Slots::new(2));
            let (release, held) = mpsc::channel::<()>();
            let held = Arc::new(std::sync::Mutex::new(held));
            let asked = Arc::new(AtomicUsize::new(0));
            let calls: Vec<_> = (0..200)
                .map(|_| {
                    let slots = Arc::clone(&slots);
                    let held = Arc::clone(&held);
                    let asked = Arc::clone(&asked);
                    tokio::spawn(async move {
                        asked.fetch_add(1, Ordering::AcqRel);
                        let wait = move || held.lock().unwrap().recv().unwrap();
                        slots.run(Duration::from_secs(60), wait).await
                    })
                })
                .collect();
            // Who has been polled once has a place, waits or is refused; one that came after the
            // first were released would take a place that nobody frees.
            while asked.load(Ordering::Acquire) < 200 {
                tokio::task::yield_now().await;
            }
            assert_eq!(slots.waiting.load(Ordering::Acquire), 16);
            for _ in 0..18 {
                release.send(()).unwrap();
            }
            let mut done = 0;
            let mut refused = 0;
            for call in calls {
                match call.await.unwrap() {
                    Ok(()) => done += 1,
                    Err(failure) => {
                        assert_eq!(failure.code, Code::Busy);
                        refused += 1;
                    }
                }
            }
            assert_eq!((done, refused), (18, 182));
            assert_eq!(slots.waiting.load(Ordering::Acquire), 0);
        });
    }

    #[test]
    fn j01_waiting_ends_with_the_patience_and_a_panic_frees_the_place() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let slots = Slots::new(1);
            let place = slots.place(Duration::ZERO).await.unwrap();
            let failure = slots
                .run(Duration::from_millis(5), || ())
                .await
                .unwrap_err();
            assert_eq!(failure.code, Code::Busy);
            drop(place);
            let failure = slots
                .run(Duration::from_secs(5), || panic!("on purpose"))
                .await
                .unwrap_err();
            assert_eq!(failure.code, Code::InternalError);
            slots.run(Duration::from_secs(5), || ()).await.unwrap();
        });
    }
}
