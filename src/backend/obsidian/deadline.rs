//! When a call must have ended, on the monotonic clock: a change of the wall clock moves nothing
//! (`faults.md` E16).

use std::time::{Duration, Instant};

/// The longest time a call may be given: one day.
pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A point in time. Waiting for a place, the probe and the run all count against the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// `milliseconds` from now, at most [`LONGEST`]. Zero has passed at once.
    pub fn after_ms(milliseconds: u64) -> Self {
        Self::after(Duration::from_millis(milliseconds))
    }

    /// `time` from now, at most [`LONGEST`].
    pub fn after(time: Duration) -> Self {
        let now = Instant::now();
        Self(now.checked_add(time.min(LONGEST)).unwrap_or(now))
    }

    /// The earlier of this and `time` from now.
    #[must_use]
    pub fn at_most(self, time: Duration) -> Self {
        self.min(Self::after(time))
    }

    /// The time that is left; zero when it has passed.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether it has passed. Exactly at the deadline counts as passed.
    pub fn has_passed(self) -> bool {
        self.left().is_zero()
    }

    /// The point itself.
    pub(in crate::backend) fn instant(self) -> Instant {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e16_zero_and_huge_times_are_clamped() {
        assert!(Deadline::after_ms(0).has_passed());
        let huge = Deadline::after_ms(u64::MAX);
        assert!(huge.left() <= LONGEST);
        assert!(huge.left() > LONGEST / 2);
        assert!(Deadline::after(Duration::MAX).left() <= LONGEST);
        assert!(huge.at_most(Duration::ZERO).has_passed());
        assert_eq!(Deadline::after_ms(0).left(), Duration::ZERO);
    }
}
