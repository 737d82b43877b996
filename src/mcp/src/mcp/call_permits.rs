//! Admission control for calls: bounds how many run and how many wait, so that a flood costs
//! neither memory nor threads (`threats.toml` J01), and reserves some of both so that one client
//! cannot starve the others (`threats.toml` J02).

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

use crate::error::Error;
use crate::host::TokenHolder;
use crate::lock;
use protocol::Failure;

/// The least number of parallel calls on any machine: most of them wait for the disk or the app.
const FEWEST: usize = 8;
/// Waiting calls per running one.
const QUEUE_PER_SLOT: usize = 8;

/// Number of permits, and of places in the queue, that a single client cannot use.
const LEFT_TO_OTHERS: usize = 4;

/// Identifies an HTTP client. Clients may have the same token, so the address and the `User-Agent`
/// distinguish them too. The `User-Agent` can be forged, but a forged one only gets the
/// share that one more client would get.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClientAddress {
    /// The holder of the client's token.
    pub(super) holder: TokenHolder,
    /// The IP address of the connection's other end.
    pub(super) address: IpAddr,
    /// The beginning of its `User-Agent`.
    pub(super) program: Vec<u8>,
}

/// The permits for all calls of this server.
pub(super) struct CallPermits {
    all: Permits,
    /// The share of each client that has calls in progress.
    of_clients: Mutex<HashMap<ClientAddress, Arc<Permits>>>,
    places: usize,
}

/// The permits of all clients, or of one.
struct Permits {
    running: Arc<Semaphore>,
    /// The free places in the queue.
    queue: Semaphore,
}

impl Permits {
    fn new(running: usize, queue: usize) -> Self {
        Self {
            running: Arc::new(Semaphore::new(running)),
            queue: Semaphore::new(queue),
        }
    }
}

impl CallPermits {
    /// Permits in proportion to the number of processors.
    pub(super) fn for_this_machine() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(FEWEST.max(2 * processors))
    }

    /// Creates `places` permits; a single client can use only a part of them.
    pub(super) fn new(places: usize) -> Self {
        Self {
            all: Permits::new(places, places * QUEUE_PER_SLOT),
            of_clients: Mutex::default(),
            places,
        }
    }

    /// Runs blocking work as soon as a permit is free. The permit is kept until the work ends, even
    /// if its caller has given up: the thread is busy until then.
    ///
    /// # Errors
    ///
    /// `BUSY` at once if the queue is full, or after `patience`; `INTERNAL_ERROR` if the work
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
        done.await.map_err(|_| Error::Panicked.into())
    }

    /// Waits for a permit of the client's share and one of all. The client's own comes first, so that a client over
    /// its share waits without holding a global permit.
    async fn place(
        &self,
        client: Option<&ClientAddress>,
        patience: Duration,
    ) -> Result<Vec<OwnedSemaphorePermit>, Failure> {
        let share = client.map(|client| self.share(client));
        let needed = || share.as_deref().into_iter().chain([&self.all]);
        let at_once = needed().map(|permits| Arc::clone(&permits.running).try_acquire_owned());
        if let Ok(place) = at_once.collect::<Result<_, _>>() {
            return Ok(place);
        }
        let waiting = needed().map(|permits| permits.queue.try_acquire());
        let waiting = waiting.collect::<Result<Vec<_>, _>>();
        let _waiting = waiting.map_err(|_full| Error::TooManyCalls)?;
        let both = async {
            let mut place = Vec::new();
            for permits in needed() {
                place.push(Arc::clone(&permits.running).acquire_owned().await.ok()?);
            }
            Some(place)
        };
        let place = tokio::time::timeout(patience, both).await;
        Ok(place.ok().flatten().ok_or(Error::TooManyCalls)?)
    }

    /// Returns the share of this client. Drops the shares of clients without calls, which bounds the map.
    fn share(&self, client: &ClientAddress) -> Arc<Permits> {
        let mut shares = lock(&self.of_clients);
        let most = share_of(self.places);
        shares.retain(|_, share| {
            Arc::strong_count(share) > 1 || share.running.available_permits() < most
        });
        let waiting = share_of(self.places * QUEUE_PER_SLOT);
        let share = shares.entry(client.clone());
        Arc::clone(share.or_insert_with(|| Arc::new(Permits::new(most, waiting))))
    }
}

/// Returns the part of `many` that a single client may use.
fn share_of(many: usize) -> usize {
    (many - many / LEFT_TO_OTHERS).max(1)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;
    use protocol::Code;

    #[tokio::test]
    async fn j01_more_calls_than_places_wait_and_more_than_the_queue_learn_it() {
        let permits = Arc::new(CallPermits::new(2));
        let (release, present) = mpsc::channel::<()>();
        let present = Arc::new(std::sync::Mutex::new(present));
        let wanted = Arc::new(AtomicUsize::new(0));
        let calls: Vec<_> = (0..200)
            .map(|_| {
                let permits = Arc::clone(&permits);
                let present = Arc::clone(&present);
                let wanted = Arc::clone(&wanted);
                tokio::spawn(async move {
                    wanted.fetch_add(1, Ordering::AcqRel);
                    let wait = move || present.lock().unwrap().recv().unwrap();
                    permits.run(None, Duration::from_secs(60), wait).await
                })
            })
            .collect();
        // A call that was polled once has a permit, waits or was refused. A call that comes
        // after the first permits were released would take one that nobody releases.
        while wanted.load(Ordering::Acquire) < 200 {
            tokio::task::yield_now().await;
        }
        assert_eq!(permits.all.queue.available_permits(), 0);
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
        assert_eq!(permits.all.queue.available_permits(), 16);
    }

    #[tokio::test]
    async fn j01_waiting_ends_with_the_patience_and_a_panic_frees_the_place() {
        let permits = CallPermits::new(1);
        let place = permits.place(None, Duration::ZERO).await.unwrap();
        let failure = permits
            .run(None, Duration::from_millis(5), || ())
            .await
            .unwrap_err();
        assert_eq!(failure.code, Code::Busy);
        drop(place);
        let failure = permits
            .run(None, Duration::from_secs(5), || panic!("on purpose"))
            .await
            .unwrap_err();
        assert_eq!(failure.code, Code::InternalError);
        permits
            .run(None, Duration::from_secs(5), || ())
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn j02_a_greedy_client_leaves_places_and_seats_to_the_others() {
        let client = |program: &str| ClientAddress {
            holder: TokenHolder::Shared,
            address: IpAddr::from([127, 0, 0, 1]),
            program: program.into(),
        };
        let permits = Arc::new(CallPermits::new(8));
        let greedy = client("greedy");
        let mut present = Vec::new();
        for _ in 0..6 {
            present.push(permits.place(Some(&greedy), Duration::ZERO).await.unwrap());
        }
        // It gets no more than its share of permits, and of the queue, although others are
        // free.
        assert!(permits.place(Some(&greedy), Duration::ZERO).await.is_err());
        assert_eq!(permits.all.running.available_permits(), 2);
        let waiting: Vec<_> = (0..200)
            .map(|_| {
                let (permits, greedy) = (Arc::clone(&permits), greedy.clone());
                tokio::spawn(async move {
                    let place = permits.place(Some(&greedy), Duration::from_secs(60)).await;
                    place.is_ok()
                })
            })
            .collect();
        while permits.all.queue.available_permits() > 64 - 48 {
            tokio::task::yield_now().await;
        }
        for other in ["one", "two", "three"] {
            let other = client(other);
            let run = permits.run(Some(&other), Duration::ZERO, || ());
            assert!(run.await.is_ok(), "{other:?}");
        }
        assert_eq!(permits.all.queue.available_permits(), 64 - 48);
        // Waiting calls get their turn, and the share of a client without calls is removed.
        drop(present);
        let mut served = 0;
        for call in waiting {
            served += usize::from(call.await.unwrap());
        }
        assert_eq!(served, 48);
        permits.share(&client("last"));
        permits.share(&client("last"));
        assert_eq!(permits.of_clients.lock().unwrap().len(), 1);
    }
}
