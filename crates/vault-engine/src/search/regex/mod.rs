//! JavaScript's regular expressions, with bounded work.
//!
//! The `regress` crate has the right syntax, but backtracks without any limit and cannot be
//! interrupted: `(a+)+$` on one long line of a note would block a thread for ever, and forty
//! letters suffice for that, so a limit on the length of lines does not help. This matcher
//! backtracks in the same order, but memoises failures: it never tries the same instruction at the
//! same position twice. So expressions without lookaround and backreferences take time linear in
//! the text; a step limit bounds the others. Tests compare it with `regress`.
//!
//! The app gives no flags but `i` (`vault-semantics.md` §4.2): `^` is the start of the text, `\p`
//! is a plain letter. One difference: a character beyond U+FFFF is one character here, and two
//! units in JavaScript without its `u` flag.

mod compile;
mod error;
mod letters;
mod parse;
mod run;
mod set;
mod syntax;

use std::ops::Range;

use self::compile::Program;
pub use self::error::RegexError;
pub(super) use self::run::{Exhausted, Fuel};
use super::certainty::Certainty;
use super::literal::Literal;
use super::trigram_filter::TrigramFilter;
use crate::cancellation::CancellationToken;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub(super) struct Regex {
    program: Program,
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
        let expression = parse::parse(pattern)?;
        let required = expression.node.required(ignore_case);
        Ok(Self {
            program: compile::compile(&expression, ignore_case, cancellation)?,
            required: (!required.is_empty()).then(|| Literal::new(&required, ignore_case)),
        })
    }

    /// Whether it matches somewhere in `text`.
    pub(super) fn is_in(&self, text: &str, fuel: &Fuel) -> Result<bool, Exhausted> {
        Ok(run::Matcher::new(&self.program, text, fuel)
            .find(0)?
            .is_some())
    }

    /// Passes every match to `take`, from left to right. Empty matches are left out.
    pub(super) fn each_hit(
        &self,
        text: &str,
        fuel: &Fuel,
        mut take: impl FnMut(Range<usize>),
    ) -> Result<(), Exhausted> {
        let mut matcher = run::Matcher::new(&self.program, text, fuel);
        let mut from = 0;
        while let Some(hit) = matcher.find(from)? {
            from = hit.end;
            if hit.is_empty() {
                // An empty match: go on behind the next character, or the search would never end.
                let Some(next) = text.get(from..).and_then(|rest| rest.chars().next()) else {
                    break;
                };
                from += next.len_utf8();
            } else {
                take(hit);
            }
        }
        Ok(())
    }

    /// Whether it can match in a note with this trigram filter: at most a maybe.
    pub(super) fn prefilter_trigrams(&self, trigram_filter: &TrigramFilter) -> Certainty {
        self.required.as_ref().map_or(Certainty::Maybe, |required| {
            required.prefilter_trigrams(trigram_filter).at_most_maybe()
        })
    }

    /// Whether it can match in these bytes: at most a maybe.
    pub(super) fn prefilter(&self, bytes: &[u8]) -> Certainty {
        self.required.as_ref().map_or(Certainty::Maybe, |required| {
            required.prefilter(bytes).at_most_maybe()
        })
    }
}

#[cfg(test)]
mod tests;
