//! Places for connections. Whoever sits there without a word gives up the place to whoever comes,
//! so that a thousand idle connections keep nobody out (`faults.md` I03, J02).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// All places, and who of those that have one is idle.
#[derive(Debug)]
pub(super) struct ConnectionPermits {
    free: Arc<Semaphore>,
    /// How many connections wait for a place.
    waiting: AtomicUsize,
    idle: Mutex<Idle>,
}

/// Idle connections, the one that has been so for longest first.
#[derive(Debug, Default)]
struct Idle {
    next: u64,
    connections: BTreeMap<u64, CancellationToken>,
}

/// The place of one connection. It counts as idle but while it is [`Seat::busy`].
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<ConnectionPermits>,
    /// Cancelled when the place is needed for another.
    leave: CancellationToken,
    /// Its number among the idle ones; none while it is busy.
    idle: Mutex<Option<u64>>,
    has_served: AtomicBool,
    _place: OwnedSemaphorePermit,
}

/// A request is being answered on a connection.
pub(super) struct Busy<'seat>(&'seat Seat);

impl ConnectionPermits {
    /// So many places.
    pub(super) fn new(places: usize) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(places)),
            waiting: AtomicUsize::new(0),
            idle: Mutex::default(),
        })
    }

    /// A place for one more connection; waits where all are busy.
    pub(super) async fn take(self: &Arc<Self>) -> Option<Arc<Seat>> {
        let place = if let Ok(place) = Arc::clone(&self.free).try_acquire_owned() {
            place
        } else {
            let _waiting = WaitingConnections::enter(&self.waiting);
            self.make_room();
            Arc::clone(&self.free).acquire_owned().await.ok()?
        };
        let leave = CancellationToken::new();
        let idle = lock(&self.idle).enter(&leave);
        Some(Arc::new(Seat {
            seats: Arc::clone(self),
            leave,
            idle: Mutex::new(Some(idle)),
            has_served: AtomicBool::new(false),
            _place: place,
        }))
    }

    /// Sends the connection away that has been idle for longest, where there is one.
    pub(super) fn make_room(&self) {
        let oldest = lock(&self.idle).connections.pop_first();
        if let Some((_, leave)) = oldest {
            leave.cancel();
        }
    }
}

/// A connection that waits for a place.
struct WaitingConnections<'seats>(&'seats AtomicUsize);

impl<'seats> WaitingConnections<'seats> {
    fn enter(waiting: &'seats AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::AcqRel);
        Self(waiting)
    }
}

impl Drop for WaitingConnections<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Idle {
    fn enter(&mut self, leave: &CancellationToken) -> u64 {
        let number = self.next;
        self.next += 1;
        self.connections.insert(number, leave.clone());
        number
    }
}

impl Seat {
    /// Waits until the place is needed for another connection.
    pub(super) async fn wanted(&self) {
        self.leave.cancelled().await;
    }

    /// Whether a request came on the connection. Its answer may still be under way.
    pub(super) fn has_served(&self) -> bool {
        self.has_served.load(Ordering::Acquire)
    }

    /// From here on until this is dropped the place is nobody else's.
    pub(super) fn busy(&self) -> Busy<'_> {
        self.has_served.store(true, Ordering::Release);
        self.leave_the_idle();
        Busy(self)
    }

    fn leave_the_idle(&self) {
        if let Some(number) = lock(&self.idle).take() {
            lock(&self.seats.idle).connections.remove(&number);
        }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let number = lock(&self.0.seats.idle).enter(&self.0.leave);
        *lock(&self.0.idle) = Some(number);
        if self.0.seats.waiting.load(Ordering::Acquire) > 0 {
            self.0.seats.make_room();
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave_the_idle();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that runs under the locks can leave them half changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i03_the_longest_idle_one_makes_room_and_a_busy_one_never_does() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let seats = ConnectionPermits::new(2);
            let first = seats.take().await.unwrap();
            let second = seats.take().await.unwrap();
            let busy = first.busy();
            // The first one came earlier, and is busy.
            let waiting = tokio::spawn({
                let seats = Arc::clone(&seats);
                async move { seats.take().await }
            });
            second.wanted().await;
            assert!(!first.leave.is_cancelled());
            drop(second);
            let third = waiting.await.unwrap().unwrap();
            drop(busy);
            // Idle again, and now for less long than the third.
            seats.make_room();
            third.wanted().await;
            assert!(!first.leave.is_cancelled());
            seats.make_room();
            first.wanted().await;
            seats.make_room();
            drop((first, third));
            assert!(lock(&seats.idle).connections.is_empty());
            assert_eq!(seats.free.available_permits(), 2);

            // Where all are busy, the first that is not makes room for whoever waits.
            let only = ConnectionPermits::new(1);
            let seat = only.take().await.unwrap();
            let busy = seat.busy();
            let waiting = tokio::spawn({
                let only = Arc::clone(&only);
                async move { only.take().await.is_some() }
            });
            while only.waiting.load(Ordering::Acquire) == 0 {
                tokio::task::yield_now().await;
            }
            assert!(!seat.leave.is_cancelled() && seat.has_served());
            drop(busy);
            seat.wanted().await;
            drop(seat);
            assert!(waiting.await.unwrap());
        });
    }
}
