//! What can be said of a query before a note is decoded.

use std::ops::Not;

/// Whether something matches, as far as it is known yet; ordered from no to yes, so that the
/// least of several is their "and", and the greatest their "or".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It does not.
    No,
    /// Only a closer look tells.
    Maybe,
    /// It does.
    Yes,
}

impl Certainty {
    /// The same, where a match is no proof yet.
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
