//! Connection permits. An idle connection gives up its permit when another one needs it, so that a
//! thousand idle connections cannot lock anyone out (`threats.toml` I03, J02).

use std::collections::BTreeMap;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::lock;

/// All permits, and the idle connections among their holders.
#[derive(Debug)]
pub(super) struct ConnectionPermits {
    free: Arc<Semaphore>,
    /// One more reference for each connection that waits for a permit.
    waiting: Arc<()>,
    idle: Mutex<IdleConnections>,
}

/// Idle connections in the order in which they became idle.
#[derive(Debug, Default)]
struct IdleConnections {
    next: u64,
    connections: BTreeMap<u64, CancellationToken>,
}

/// The permit of one connection, idle except during [`ConnectionPermit::busy`].
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    permits: Arc<ConnectionPermits>,
    /// Cancelled when another connection needs the permit.
    leave: CancellationToken,
    /// The key of the connection in [`IdleConnections`]; `None` while the connection is busy.
    idle: Mutex<Option<u64>>,
    has_served: AtomicBool,
    _place: OwnedSemaphorePermit,
}

/// Marks a connection as busy until it is dropped.
pub(super) struct BusyGuard<'permits>(&'permits ConnectionPermit);

impl ConnectionPermits {
    /// Creates permits for this many connections at the same time.
    pub(super) fn new(places: usize) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(places)),
            waiting: Arc::default(),
            idle: Mutex::default(),
        })
    }

    /// Takes a permit; waits if all connections are busy.
    pub(super) async fn take(self: &Arc<Self>) -> Option<Arc<ConnectionPermit>> {
        let place = if let Ok(place) = Arc::clone(&self.free).try_acquire_owned() {
            place
        } else {
            let _waiting = Arc::clone(&self.waiting);
            self.make_room();
            Arc::clone(&self.free).acquire_owned().await.ok()?
        };
        let leave = CancellationToken::new();
        let idle = lock(&self.idle).enter(&leave);
        Some(Arc::new(ConnectionPermit {
            permits: Arc::clone(self),
            leave,
            idle: Mutex::new(Some(idle)),
            has_served: AtomicBool::new(false),
            _place: place,
        }))
    }

    /// Whether a connection waits for a permit.
    fn is_awaited(&self) -> bool {
        Arc::strong_count(&self.waiting) > 1
    }

    /// Closes the connection that has been idle for longest, if there is one.
    pub(super) fn make_room(&self) {
        let oldest = lock(&self.idle).connections.pop_first();
        if let Some((_, leave)) = oldest {
            leave.cancel();
        }
    }
}

impl IdleConnections {
    fn enter(&mut self, leave: &CancellationToken) -> u64 {
        let number = self.next;
        self.next += 1;
        self.connections.insert(number, leave.clone());
        number
    }
}

impl ConnectionPermit {
    /// Waits until another connection needs the permit.
    pub(super) async fn wanted(&self) {
        self.leave.cancelled().await;
    }

    /// Whether a request has arrived on this connection. Its answer may still be in progress.
    pub(super) fn has_served(&self) -> bool {
        self.has_served.load(Ordering::Acquire)
    }

    /// Marks the connection as busy until the guard is dropped.
    pub(super) fn busy(&self) -> BusyGuard<'_> {
        self.has_served.store(true, Ordering::Release);
        self.leave_the_idle();
        BusyGuard(self)
    }

    fn leave_the_idle(&self) {
        if let Some(number) = lock(&self.idle).take() {
            lock(&self.permits.idle).connections.remove(&number);
        }
    }
}

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        let number = lock(&self.0.permits.idle).enter(&self.0.leave);
        *lock(&self.0.idle) = Some(number);
        if self.0.permits.is_awaited() {
            self.0.permits.make_room();
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.leave_the_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn i03_the_longest_idle_one_makes_room_and_a_busy_one_never_does() {
        let permits = ConnectionPermits::new(2);
        let first = permits.take().await.unwrap();
        let second = permits.take().await.unwrap();
        let busy = first.busy();
        // The first connection came earlier, but is busy.
        let waiting = tokio::spawn({
            let permits = Arc::clone(&permits);
            async move { permits.take().await }
        });
        second.wanted().await;
        assert!(!first.leave.is_cancelled());
        drop(second);
        let third = waiting.await.unwrap().unwrap();
        drop(busy);
        // Idle again, but for a shorter time than the third.
        permits.make_room();
        third.wanted().await;
        assert!(!first.leave.is_cancelled());
        permits.make_room();
        first.wanted().await;
        permits.make_room();
        drop((first, third));
        assert!(lock(&permits.idle).connections.is_empty());
        assert_eq!(permits.free.available_permits(), 2);

        // If all are busy, the first one that becomes idle makes room for the waiting one.
        let only = ConnectionPermits::new(1);
        let permit = only.take().await.unwrap();
        let busy = permit.busy();
        let waiting = tokio::spawn({
            let only = Arc::clone(&only);
            async move { only.take().await.is_some() }
        });
        while !only.is_awaited() {
            tokio::task::yield_now().await;
        }
        assert!(!permit.leave.is_cancelled() && permit.has_served());
        drop(busy);
        permit.wanted().await;
        drop(permit);
        assert!(waiting.await.unwrap());
    }
}
