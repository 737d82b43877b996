//! Limits how many runs talk to the app at the same time: four readers, one writer
//! (`official-cli.md` §3 and §9, point 6; `faults.md` G13).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::backend::cancel::Cancel;
use crate::code::Code;
use crate::deadline::Deadline;
use crate::failure::Failure;

/// Maximum number of concurrent runs that only read.
pub const READERS: usize = 4;

/// Maximum number of concurrent runs that may write. One, because the app has been seen to mix up
/// the answers of concurrent calls.
pub const WRITERS: usize = 1;

/// Interval at which a waiting call checks for cancellation.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Whether a run may change the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAccess {
    /// The call only reads, so it shares the four permits for readers.
    Read,
    /// The call may change something.
    Write,
}

/// The semaphores of one app: one for readers, one for writers.
#[derive(Debug, Default)]
pub struct RunPermits {
    taken: Mutex<PermitsInUse>,
    reader_left: Condvar,
    writer_left: Condvar,
}

#[derive(Debug, Default)]
struct PermitsInUse {
    readers: usize,
    writers: usize,
}

impl PermitsInUse {
    fn count(&mut self, access: RunAccess) -> (&mut usize, usize) {
        match access {
            RunAccess::Read => (&mut self.readers, READERS),
            RunAccess::Write => (&mut self.writers, WRITERS),
        }
    }
}

/// A permit to talk to the app. Released on drop.
#[derive(Debug)]
#[must_use = "the permit is released when this is dropped"]
pub struct RunPermit<'permits> {
    permits: &'permits RunPermits,
    access: RunAccess,
}

impl RunPermits {
    /// Waits for a permit until `deadline`. The wait counts towards the time of the call.
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
    ) -> Result<RunPermit<'_>, Failure> {
        let mut taken = self.taken();
        loop {
            let (count, most) = taken.count(access);
            if *count < most {
                *count += 1;
                return Ok(RunPermit { permits: self, access });
            }
            cancel.check()?;
            let left = deadline.left();
            if left.is_zero() {
                return Err(Code::Busy
                    .failure("Obsidian is busy with earlier calls. Nothing was run. Try again.")
                    .with("retryable", true));
            }
            // Cancellation does not notify the condition variable, so wake up regularly to check
            // for it.
            taken = self
                .gate(access)
                .wait_timeout(taken, left.min(LOOK_AGAIN))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn taken(&self) -> MutexGuard<'_, PermitsInUse> {
        // A poisoned lock is harmless: only two counters change under it, each in a single step.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gate(&self, access: RunAccess) -> &Condvar {
        match access {
            RunAccess::Read => &self.reader_left,
            RunAccess::Write => &self.writer_left,
        }
    }
}

impl Drop for RunPermit<'_> {
    fn drop(&mut self) {
        *self.permits.taken().count(self.access).0 -= 1;
        self.permits.gate(self.access).notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn g13_a_burst_of_fifty_is_bounded_and_none_is_lost() {
        let permits = RunPermits::default();
        for (access, most) in [(RunAccess::Read, READERS), (RunAccess::Write, WRITERS)] {
            let (now, peak, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
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
        let present =
            permits.acquire(RunAccess::Write, Deadline::after_ms(0), &Cancel::new()).unwrap();
        let failure =
            permits.acquire(RunAccess::Write, Deadline::after_ms(5), &Cancel::new()).unwrap_err();
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
