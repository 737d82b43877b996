#![doc = include_str!("../README.md")]
//!
//! # Why not `regress`
//!
//! The `regress` crate has the right syntax, but backtracks without any limit and cannot be
//! interrupted: `(a+)+$` on one long line of a note would block a thread for ever. Forty letters
//! are enough for that, so a limit on the length of lines would not help. Tests compare this
//! matcher with `regress`. The app's search reads patterns in the same way
//! (`vault-semantics.md` §4.2).

mod compile;
mod error;
mod letters;
mod parse;
mod run;
mod set;
mod syntax;

use std::collections::HashMap;
use std::ops::Range;

use self::compile::Program;
pub use self::error::RegexError;
pub use self::run::{Exhausted, Fuel};

/// Options for parsing an expression, and for the result of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegexOptions {
    /// JavaScript's flag `i`: case is ignored.
    pub ignore_case: bool,
    /// JavaScript's flag `m`: `^` and `$` also match at the start and end of each line.
    pub multiline: bool,
    /// JavaScript's flag `s`: `.` matches any character, line ends included.
    pub dot_is_any: bool,
    /// Whether [`Regex::find`] returns the ranges of the groups.
    pub keeps_groups: bool,
}

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Regex {
    program: Program,
    required: String,
    names: HashMap<String, usize>,
}

/// A match with the ranges of its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexMatch {
    /// The whole match, in bytes.
    pub whole: Range<usize>,
    /// The ranges of group 1 and the following; `None` for a group that took no part. Empty unless
    /// [`RegexOptions::keeps_groups`].
    pub groups: Vec<Option<Range<usize>>>,
}

impl Regex {
    /// Compiles a pattern. `is_interrupted` is checked regularly.
    ///
    /// # Errors
    ///
    /// Fails if the pattern is invalid or too large, or with [`RegexError::Stopped`] soon after an
    /// interruption.
    ///
    /// ```
    /// use bounded_regex::{Fuel, Regex, RegexOptions};
    ///
    /// let regex = Regex::new(r"(a+)+$", RegexOptions::default(), &|| false)?;
    /// assert_eq!(regex.is_in(&"a".repeat(1_000), &Fuel::new(100_000)), Ok(true));
    /// # Ok::<(), bounded_regex::RegexError>(())
    /// ```
    pub fn new(
        pattern: &str,
        options: RegexOptions,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Self, RegexError> {
        let expression = parse::parse(pattern, options)?;
        Ok(Self {
            required: expression.node.required(options.ignore_case),
            program: compile::compile(&expression, options, is_interrupted)?,
            names: expression.names,
        })
    }

    /// The longest literal text in the pattern that every match contains. May be empty:
    /// alternatives and sets are not searched for one. If case is ignored, it is in small
    /// ASCII letters, because for others a caller's rule for case may differ from JavaScript's.
    pub fn required_text(&self) -> &str {
        &self.required
    }

    /// The numbers of the named groups, from 1.
    pub fn names(&self) -> &HashMap<String, usize> {
        &self.names
    }

    /// Whether it matches somewhere in `text`.
    ///
    /// # Errors
    ///
    /// Fails if the fuel runs out, or the work is interrupted.
    pub fn is_in(&self, text: &str, fuel: &Fuel) -> Result<bool, Exhausted> {
        Ok(run::Matcher::new(&self.program, text, fuel)
            .find(0)?
            .is_some())
    }

    /// Passes every match to `take`, from left to right. Empty matches are left out.
    ///
    /// # Errors
    ///
    /// As [`Self::is_in`].
    pub fn each_hit(
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
                // After an empty match the search continues past the next character, or it would
                // never end.
                let Some(next) = matcher.after(from) else {
                    break;
                };
                from = next;
            } else {
                take(hit);
            }
        }
        Ok(())
    }

    /// The first match that begins at or after the byte `from`.
    ///
    /// # Errors
    ///
    /// As [`Self::is_in`].
    pub fn find(
        &self,
        text: &str,
        from: usize,
        fuel: &Fuel,
    ) -> Result<Option<RegexMatch>, Exhausted> {
        let mut matcher = run::Matcher::new(&self.program, text, fuel);
        let found = matcher.find(from)?;
        Ok(found.map(|whole| RegexMatch {
            whole,
            groups: matcher.groups(),
        }))
    }
}

#[cfg(test)]
mod tests;
