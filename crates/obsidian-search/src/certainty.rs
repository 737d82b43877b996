//! A three-valued answer, for prefilters.

use std::ops::Not;

/// Whether something matches, as far as is known. Ordered from no to yes, so the minimum of several
/// is their "and" and the maximum their "or".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The note certainly does not match.
    No,
    /// The result is not known yet; the note must be evaluated.
    Maybe,
    /// The note certainly matches, so it need not be evaluated.
    Yes,
}

impl Certainty {
    /// Returns the same answer, with "yes" weakened to "maybe".
    #[must_use]
    pub(super) fn at_most_maybe(self) -> Self {
        self.min(Self::Maybe)
    }
}

impl From<bool> for Certainty {
    fn from(matches: bool) -> Self {
        if matches { Self::Yes } else { Self::No }
    }
}

impl Not for Certainty {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }
}
