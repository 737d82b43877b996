//! A JavaScript expression on the path of a file, bounded like those of a search.

use super::certainty::Certainty;
use super::regex::{Fuel, Regex, RegexError};
use crate::cancellation::CancellationToken;

/// Steps for one path: far more than an honest expression takes on a path of 4,096 bytes.
const STEPS: u64 = 1_000_000;

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) struct ExclusionPattern(Regex);

impl ExclusionPattern {
    /// Compiles.
    pub(crate) fn new(pattern: &str) -> Result<Self, RegexError> {
        Regex::new(pattern, false, &CancellationToken::default()).map(Self)
    }

    /// Whether it matches somewhere in the path. One that takes too many steps counts as a match:
    /// what somebody tried to hide stays hidden.
    pub(crate) fn matches(&self, path: &str) -> bool {
        // Most paths lack the expression's plain letters.
        self.0.prefilter(path.as_bytes()) != Certainty::No
            && self.0.is_in(path, &Fuel::new(STEPS)).unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_expression_ends_and_hides() {
        let hostile = ExclusionPattern::new("(?=(a+)+$)(a+)+\\2$").unwrap();
        assert!(hostile.matches(&format!("{}!", "a".repeat(4000))));
        assert!(!ExclusionPattern::new("^Old/").unwrap().matches("New/a.md"));
    }
}
