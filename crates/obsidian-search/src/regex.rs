//! Regular expressions of queries: JavaScript's, with bounded work and a prefilter.

use std::ops::Range;

pub use bounded_regex::RegexError;
use bounded_regex::RegexOptions;
pub(super) use bounded_regex::{Exhausted, Fuel};
use obsidian_note::CancellationToken;

use super::certainty::Certainty;
use super::literal::Literal;
use super::trigram_filter::FilterBlock;

/// A compiled regular expression. The app gives no flags but `i` (`vault-semantics.md` §4.2).
#[derive(Clone, Debug)]
pub(super) struct Regex {
    regex: bounded_regex::Regex,
    /// A literal that every match contains, for prefiltering.
    required: Option<Literal>,
}

impl Regex {
    /// Compiles a pattern; `ignore_case` is JavaScript's flag `i`. Fails with
    /// [`RegexError::Stopped`] soon after a cancellation.
    pub(super) fn new(
        pattern: &str,
        ignore_case: bool,
        cancellation: &CancellationToken,
    ) -> Result<Self, RegexError> {
        let options = RegexOptions {
            ignore_case,
            ..RegexOptions::default()
        };
        let is_cancelled = || cancellation.is_cancelled();
        let regex = bounded_regex::Regex::new(pattern, options, &is_cancelled)?;
        let required = regex.required_text();
        let required = (!required.is_empty()).then(|| Literal::new(required, ignore_case));
        Ok(Self { regex, required })
    }

    /// Whether it matches somewhere in `text`.
    pub(super) fn is_in(&self, text: &str, fuel: &Fuel) -> Result<bool, Exhausted> {
        self.regex.is_in(text, fuel)
    }

    /// Passes every match to `take`, from left to right. Empty matches are left out.
    pub(super) fn each_hit(
        &self,
        text: &str,
        fuel: &Fuel,
        take: impl FnMut(Range<usize>),
    ) -> Result<(), Exhausted> {
        self.regex.each_hit(text, fuel, take)
    }

    /// Returns the notes of a block in which it may match: a bit for each.
    pub(super) fn in_block(&self, block: &FilterBlock) -> u64 {
        self.required
            .as_ref()
            .map_or(u64::MAX, |required| required.in_block(block))
    }

    /// Whether it can match in these bytes; never a certain yes.
    pub(super) fn prefilter(&self, bytes: &[u8]) -> Certainty {
        self.required.as_ref().map_or(Certainty::Maybe, |required| {
            required.prefilter(bytes).at_most_maybe()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lacks_the_text_of_every_match_is_passed_over() {
        let regex = Regex::new("dail(y|ies)", true, &CancellationToken::default()).unwrap();
        assert_eq!(regex.prefilter(b"the DAILIES"), Certainty::Maybe);
        assert_eq!(regex.prefilter(b"the weeklies"), Certainty::No);
        assert_eq!(regex.is_in("the DAILIES", &Fuel::new(1_000)), Ok(true));
    }
}
