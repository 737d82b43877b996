//! Regular expressions as JavaScript has them, with a bound on the work.
//!
//! The `regress` crate has the right syntax, but backtracks without any limit and cannot be
//! interrupted: `(a+)+$` on one long line of a note would hold a thread for ever, and no limit on
//! the length of lines cures that, as forty letters suffice. So the matcher here is our own. It
//! tries the same ways in the same order, but never the same step at the same place twice, which
//! makes expressions without lookaround and backreferences take time linear in the text, and it
//! counts its steps, which bounds the others. Tests hold it against `regress`.
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
    /// A text that stands in every match.
    required: Option<Literal>,
}

impl Regex {
    /// Compiles; `ignore_case` is JavaScript's flag `i`. Ends soon after `stop` is wished for, with
    /// [`RegexError::Stopped`].
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

    /// Gives every match to `take`, from left to right; matches of nothing are left out.
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

    /// Whether it can match in the text with this signature: never more than a maybe.
    pub(super) fn prefilter_trigrams(&self, trigram_filter: &TrigramFilter) -> Certainty {
        self.required.as_ref().map_or(Certainty::Maybe, |required| {
            required.prefilter_trigrams(trigram_filter).at_most_maybe()
        })
    }

    /// Whether it can match in these bytes: never more than a maybe.
    pub(super) fn prefilter(&self, bytes: &[u8]) -> Certainty {
        self.required.as_ref().map_or(Certainty::Maybe, |required| {
            required.prefilter(bytes).at_most_maybe()
        })
    }
}

#[cfg(test)]
mod tests;
