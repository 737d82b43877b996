//! How many calls run at once and how many wait, so that a flood costs neither memory nor threads
//! (`faults.md` J01), and no client takes all there is from the others (`faults.md` J02).

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use crate::code::Code;
use crate::failure::Failure;

/// Fewest calls at once, on however small a machine: most of them wait for the disk or the app.
const FEWEST: usize = 8;
/// Calls that may wait for each one that runs.
const QUEUE_PER_SLOT: usize = 8;

/// Of every so many places and seats in the queue, one is never had by a client that has all the
/// others.
const LEFT_TO_OTHERS: usize = 4;

/// One of several clients of a server, as far as it can be told from the others: all of them know
/// the same token. Whoever lies about its program takes from the others no more than a place each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClientAddress {
    /// Where it calls from.
    pub(super) address: IpAddr,
    /// What it says it is.
    pub(super) program: Vec<u8>,
}

/// The places for calls.
pub(super) struct CallPermits {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
    /// What each client may have at once, of those that have something.
    shares: Mutex<HashMap<ClientAddress, Arc<Share>>>,
    places: usize,
}

/// What one client has.
struct Share {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A place, and with it one of the client's own.
struct WaitingPlace {
    _running: OwnedSemaphorePermit,
    _of_client: Option<OwnedSemaphorePermit>,
}

impl CallPermits {
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
            shares: Mutex::default(),
            places,
        }
    }

    /// Runs blocking work as soon as there is a place. The place is taken until the work ends, even
    /// if nobody waits for it any more.
    ///
    /// `BUSY` at once where too many wait, or after `patience`; `INTERNAL_ERROR` where the work
    /// panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        client: Option<&ClientAddress>,
        patience: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let place = self.place(client, patience).await?;
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

    /// A place, with the client's own one first: who waits for that stands in nobody's way.
    async fn place(
        &self,
        client: Option<&ClientAddress>,
        patience: Duration,
    ) -> Result<WaitingPlace, Failure> {
        let share = client.map(|client| self.share(client));
        let at_once = |places: &Arc<Semaphore>| Arc::clone(places).try_acquire_owned();
        let of_client = share.as_ref().map(|share| at_once(&share.running));
        if let Ok(of_client) = of_client.transpose()
            && let Ok(running) = at_once(&self.running)
        {
            return Ok(WaitingPlace {
                _running: running,
                _of_client: of_client,
            });
        }
        let _of_client = match &share {
            Some(share) => Some(WaitingCalls::enter(
                &share.waiting,
                less(self.most_waiting),
            )?),
            None => None,
        };
        let _waiting = WaitingCalls::enter(&self.waiting, self.most_waiting)?;
        let both = async {
            let of_client = match &share {
                Some(share) => Some(Arc::clone(&share.running).acquire_owned().await.ok()?),
                None => None,
            };
            Some(WaitingPlace {
                _running: Arc::clone(&self.running).acquire_owned().await.ok()?,
                _of_client: of_client,
            })
        };
        let place = tokio::time::timeout(patience, both).await;
        place.ok().flatten().ok_or_else(busy)
    }

    /// What this client may have. Those that have nothing are forgotten.
    fn share(&self, client: &ClientAddress) -> Arc<Share> {
        // Nothing that runs under the lock can leave it half changed.
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let most = less(self.places);
        shares.retain(|_, share| {
            Arc::strong_count(share) > 1 || share.running.available_permits() < most
        });
        let share = shares.entry(client.clone()).or_insert_with(|| {
            Arc::new(Share {
                running: Arc::new(Semaphore::new(most)),
                waiting: AtomicUsize::new(0),
            })
        });
        Arc::clone(share)
    }
}

/// What one client may have of so many.
fn less(many: usize) -> usize {
    (many - many / LEFT_TO_OTHERS).max(1)
}

/// One that waits; leaves the queue when it is dropped, however that comes.
struct WaitingCalls<'a>(&'a AtomicUsize);

impl<'a> WaitingCalls<'a> {
    fn enter(waiting: &'a AtomicUsize, most: usize) -> Result<Self, Failure> {
        let entered = Self(waiting);
        if waiting.fetch_add(1, Ordering::AcqRel) < most {
            Ok(entered)
        } else {
            Err(busy())
        }
    }
}

impl Drop for WaitingCalls<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn busy() -> Failure {
    Failure::new(
        Code::Busy,
        "Too many calls are in progress. Nothing was run; try again in a moment.",
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
            let slots = Arc::new(CallPermits::new(2));
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
                        slots.run(None, Duration::from_secs(60), wait).await
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
            let slots = CallPermits::new(1);
            let place = slots.place(None, Duration::ZERO).await.unwrap();
            let failure = slots
                .run(None, Duration::from_millis(5), || ())
                .await
                .unwrap_err();
            assert_eq!(failure.code, Code::Busy);
            drop(place);
            let failure = slots
                .run(None, Duration::from_secs(5), || panic!("on purpose"))
                .await
                .unwrap_err();
            assert_eq!(failure.code, Code::InternalError);
            slots
                .run(None, Duration::from_secs(5), || ())
                .await
                .unwrap();
        });
    }

    #[test]
    fn j02_a_greedy_client_leaves_places_and_seats_to_the_others() {
        let client = |program: &str| ClientAddress {
            address: IpAddr::from([127, 0, 0, 1]),
            program: program.into(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let slots = Arc::new(CallPermits::new(8));
            let greedy = client("greedy");
            let mut held = Vec::new();
            for _ in 0..6 {
                held.push(slots.place(Some(&greedy), Duration::ZERO).await.unwrap());
            }
            // It has no more, although there are some, nor is the queue its own.
            assert!(slots.place(Some(&greedy), Duration::ZERO).await.is_err());
            assert_eq!(slots.running.available_permits(), 2);
            let waiting: Vec<_> = (0..200)
                .map(|_| {
                    let (slots, greedy) = (Arc::clone(&slots), greedy.clone());
                    tokio::spawn(async move {
                        let place = slots.place(Some(&greedy), Duration::from_secs(60)).await;
                        place.is_ok()
                    })
                })
                .collect();
            while slots.waiting.load(Ordering::Acquire) < 48 {
                tokio::task::yield_now().await;
            }
            for other in ["one", "two", "three"] {
                let other = client(other);
                let run = slots.run(Some(&other), Duration::ZERO, || ());
                assert!(run.await.is_ok(), "{other:?}");
            }
            assert_eq!(slots.waiting.load(Ordering::Acquire), 48);
            // Whoever waited gets its turn, and whoever has nothing is forgotten.
            drop(held);
            let mut served = 0;
            for call in waiting {
                served += usize::from(call.await.unwrap());
            }
            assert_eq!(served, 48);
            slots.share(&client("last"));
            slots.share(&client("last"));
            assert_eq!(slots.shares.lock().unwrap().len(), 1);
        });
    }
}
