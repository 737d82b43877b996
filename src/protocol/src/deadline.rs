//! Deadlines on the monotonic clock, independent of changes to the wall clock (`threats.toml` E16).

use std::time::{Duration, Instant};

/// The time at which a call must have ended. Waiting for a permit, the probe and the run share one
/// deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// Maximum time limit of a call: one day.
    pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

    /// Returns a deadline `milliseconds` from now, at most [`Self::LONGEST`]. Zero has already passed.
    pub fn after_ms(milliseconds: u64) -> Self {
        Self::after(Duration::from_millis(milliseconds))
    }

    /// Returns a deadline `time` from now, at most [`Self::LONGEST`].
    pub fn after(time: Duration) -> Self {
        let now = Instant::now();
        Self(now.checked_add(time.min(Self::LONGEST)).unwrap_or(now))
    }

    /// Returns the earlier of this deadline and `time` from now.
    #[must_use]
    pub fn at_most(self, time: Duration) -> Self {
        self.min(Self::after(time))
    }

    /// Returns the remaining time; zero if the deadline has passed.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether the deadline has been reached.
    pub fn has_passed(self) -> bool {
        self.left().is_zero()
    }

    /// Returns the point in time.
    pub fn instant(self) -> Instant {
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
        assert!(huge.left() <= Deadline::LONGEST);
        assert!(huge.left() > Deadline::LONGEST / 2);
        assert!(Deadline::after(Duration::MAX).left() <= Deadline::LONGEST);
        assert!(huge.at_most(Duration::ZERO).has_passed());
        assert_eq!(Deadline::after_ms(0).left(), Duration::ZERO);
    }
}
