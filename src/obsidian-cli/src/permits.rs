//! Limits how many runs talk to the app at the same time: four readers, one writer
//! (`official-cli.md` §3 and §9, point 6; `threats.toml` G13).

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::Error;
use backend::cancel::{Cancel, block_on};
use protocol::{Deadline, Failure};

/// Maximum number of concurrent runs that only read.
pub const READERS: usize = 4;

/// Maximum number of concurrent runs that may write. One, because the app has been seen to mix up
/// the answers of concurrent calls.
pub const WRITERS: usize = 1;

/// Whether a run may change the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAccess {
    /// The call only reads, so it shares the four permits for readers.
    Read,
    /// The call may change something.
    Write,
}

/// The permits of one app to talk to it.
#[derive(Debug)]
pub struct RunPermits {
    readers: Semaphore,
    writers: Semaphore,
}

impl Default for RunPermits {
    fn default() -> Self {
        Self {
            readers: Semaphore::new(READERS),
            writers: Semaphore::new(WRITERS),
        }
    }
}

impl RunPermits {
    /// Waits for a permit until `deadline`. The wait counts towards the time of the call. A free
    /// permit is taken even if the deadline has passed.
    ///
    /// # Errors
    ///
    /// `BUSY` if no permit became free in time, `CANCELLED` if the call was cancelled. Nothing has
    /// run then, so a retry is safe.
    pub fn acquire(
        &self,
        access: RunAccess,
        deadline: Deadline,
        cancel: &Cancel,
    ) -> Result<SemaphorePermit<'_>, Failure> {
        let permits = match access {
            RunAccess::Read => &self.readers,
            RunAccess::Write => &self.writers,
        };
        if let Ok(permit) = permits.try_acquire() {
            return Ok(permit);
        }
        let permit = async {
            tokio::select! {
                biased;
                permit = permits.acquire() => permit.ok(),
                () = cancel.cancelled() => None,
            }
        };
        // A permit that comes when the time has passed would only start a run without time, and so on for
        // everyone in the queue.
        let permit = block_on(permit, deadline.left()).flatten();
        if let Some(permit) = permit.filter(|_| !deadline.has_passed()) {
            return Ok(permit);
        }
        cancel.check()?;
        Err(Error::Busy.into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use protocol::Code;

    use super::*;

    #[test]
    fn g13_a_burst_of_fifty_is_bounded_and_none_is_lost() {
        let permits = RunPermits::default();
        for (access, most) in [(RunAccess::Read, READERS), (RunAccess::Write, WRITERS)] {
            let (now, peak, done) = (
                AtomicUsize::new(0),
                AtomicUsize::new(0),
                AtomicUsize::new(0),
            );
            std::thread::scope(|scope| {
                for _ in 0..50 {
                    scope.spawn(|| {
                        let _permit = permits
                            .acquire(access, Deadline::after_ms(20_000), &Cancel::new())
                            .unwrap();
                        let here = now.fetch_add(1, Ordering::SeqCst) + 1;
                        peak.fetch_max(here, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    });
                }
            });
            assert_eq!(done.load(Ordering::SeqCst), 50);
            assert!(peak.load(Ordering::SeqCst) <= most, "{access:?}");
        }
    }

    #[test]
    fn g13_waiting_counts_in_the_deadline_and_ends_in_busy() {
        let permits = RunPermits::default();
        let present = permits
            .acquire(RunAccess::Write, Deadline::after_ms(0), &Cancel::new())
            .unwrap();
        let failure = permits
            .acquire(RunAccess::Write, Deadline::after_ms(5), &Cancel::new())
            .unwrap_err();
        assert_eq!(failure.code, Code::Busy);
        let read = permits.acquire(RunAccess::Read, Deadline::after_ms(0), &Cancel::new());
        assert!(read.is_ok(), "a reader does not wait for the writer");
        drop(present);
        let write = permits.acquire(RunAccess::Write, Deadline::after_ms(0), &Cancel::new());
        assert!(write.is_ok());
    }

    #[test]
    fn e10_a_call_that_waits_for_a_place_gives_way() {
        let permits = RunPermits::default();
        let present = permits.acquire(RunAccess::Write, Deadline::after_ms(0), &Cancel::new());
        let cancel = Cancel::new();
        let failure = std::thread::scope(|scope| {
            let waiting = scope
                .spawn(|| permits.acquire(RunAccess::Write, Deadline::after_ms(60_000), &cancel));
            cancel.cancel();
            waiting.join().unwrap().unwrap_err()
        });
        assert_eq!(failure.code, Code::Cancelled);
        drop(present);
    }
}
