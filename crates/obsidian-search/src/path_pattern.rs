//! A regular expression for "Excluded files", matched against paths with a step limit.

use obsidian_note::CancellationToken;

use super::certainty::Certainty;
use super::regex::{Fuel, Regex, RegexError};

/// The step limit for one path. A reasonable expression needs far fewer for 4,096 bytes.
const STEPS: u64 = 1_000_000;

/// A compiled `/pattern/` of the user's excluded files.
#[derive(Clone, Debug)]
pub struct ExclusionPattern(Regex);

impl ExclusionPattern {
    /// Compiles the expression.
    ///
    /// # Errors
    ///
    /// Fails if the pattern is not a valid JavaScript regular expression.
    pub fn new(pattern: &str) -> Result<Self, RegexError> {
        Regex::new(pattern, false, &CancellationToken::default()).map(Self)
    }

    /// Whether it matches somewhere in the path. Exceeding the step limit counts as a match: what
    /// the user tried to hide stays hidden.
    pub fn matches(&self, path: &str) -> bool {
        // Fast path: most paths lack the literal that every match contains.
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
