//! How many runs may talk to the app at once: four that read, one that writes
//! (`official-cli.md` §3 and §9, point 6; `faults.md` G13).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::deadline::Deadline;
use crate::backend::cancel::Cancel;
use crate::code::Code;
use crate::failure::Failure;

/// The most runs that only read.
pub const READERS: usize = 4;

/// The most runs that may write. One, because the app was seen to mix up answers when calls were
/// not queued.
pub const WRITERS: usize = 1;

/// How often a call that waits looks whether it was cancelled.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What a run does to the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads only.
    Read,
    /// May change something.
    Write,
}

/// The places of one app.
#[derive(Debug, Default)]
pub struct Slots {
    taken: Mutex<Taken>,
    reader_left: Condvar,
    writer_left: Condvar,
}

#[derive(Debug, Default)]
struct Taken {
    readers: usize,
    writers: usize,
}

impl Taken {
    fn count(&mut self, access: Access) -> (&mut usize, usize) {
        match access {
            Access::Read => (&mut self.readers, READERS),
            Access::Write => (&mut self.writers, WRITERS),
        }
    }
}

/// A place; given back when it is dropped.
#[derive(Debug)]
#[must_use = "the place is given back when this is dropped"]
pub struct Slot<'slots> {
    slots: &'slots Slots,
    access: Access,
}

impl Slots {
    /// Waits for a place, at most until `deadline`: the wait counts as time of the call.
    /// `BUSY` when none came free, `CANCELLED` when the call was; nothing has run then, so the
    /// caller may try again.
    pub fn take(
        &self,
        access: Access,
        deadline: Deadline,
        cancel: &Cancel,
    ) -> Result<Slot<'_>, Failure> {
        let mut taken = self.taken();
        loop {
            let (count, most) = taken.count(access);
            if *count < most {
                *count += 1;
                return Ok(Slot {
                    slots: self,
                    access,
                });
            }
            cancel.check()?;
            let left = deadline.left();
            if left.is_zero() {
                return Err(Failure::new(
                    Code::Busy,
                    "Obsidian is busy with earlier calls. Nothing was run; try again.",
                )
                .with("retryable", true));
            }
            taken = self
                .gate(access)
                .wait_timeout(taken, left.min(LOOK_AGAIN))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Only two counters change under the lock, each in one step.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gate(&self, access: Access) -> &Condvar {
        match access {
            Access::Read => &self.reader_left,
            Access::Write => &self.writer_left,
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.slots.taken().count(self.access).0 -= 1;
        self.slots.gate(self.access).notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn g13_a_burst_of_fifty_is_bounded_and_none_is_lost() {
        let slots = Slots::default();
        for (access, most) in [(Access::Read, READERS), (Access::Write, WRITERS)] {
            let (now, peak, done) = (
                AtomicUsize::new(0),
                AtomicUsize::new(0),
                AtomicUsize::new(0),
            );
            std::thread::scope(|scope| {
                for _ in 0..50 {
                    scope.spawn(|| {
                        let _slot = slots
                            .take(access, Deadline::after_ms(20_000), &Cancel::new())
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
        let slots = Slots::default();
        let held = slots
            .take(Access::Write, Deadline::after_ms(0), &Cancel::new())
            .unwrap();
        let failure = slots
            .take(Access::Write, Deadline::after_ms(5), &Cancel::new())
            .unwrap_err();
        assert_eq!(failure.code, Code::Busy);
        let read = slots.take(Access::Read, Deadline::after_ms(0), &Cancel::new());
        assert!(read.is_ok(), "a reader does not wait for the writer");
        drop(held);
        let write = slots.take(Access::Write, Deadline::after_ms(0), &Cancel::new());
        assert!(write.is_ok());
    }

    #[test]
    fn e10_a_call_that_waits_for_a_place_gives_way() {
        let slots = Slots::default();
        let held = slots.take(Access::Write, Deadline::after_ms(0), &Cancel::new());
        let cancel = Cancel::new();
        let failure = std::thread::scope(|scope| {
            let waiting =
                scope.spawn(|| slots.take(Access::Write, Deadline::after_ms(60_000), &cancel));
            cancel.cancel();
            waiting.join().unwrap().unwrap_err()
        });
        assert_eq!(failure.code, Code::Cancelled);
        drop(held);
    }
}
