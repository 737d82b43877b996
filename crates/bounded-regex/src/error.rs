//! The faults of a text that is not a regular expression.

/// The reason why a text is not a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegexError {
    /// `)` without `(`, or the reverse.
    #[error("a `(` has no `)`, or a `)` has no `(`")]
    Parenthesis,
    /// A `[` without its `]`.
    #[error("a `[` has no `]`")]
    Class,
    /// A range such as `[z-a]`, whose end is before its start.
    #[error("a range ends before it begins, as in `[z-a]`")]
    Range,
    /// `*`, `+`, `?` or `{1}` without anything before it that can be repeated.
    #[error("a sign for repetition, such as `*`, has nothing to repeat")]
    NothingToRepeat,
    /// A quantifier such as `{2,1}`, whose maximum is below its minimum.
    #[error("the highest number of repetitions is below the lowest")]
    Quantifier,
    /// `(?` before an unknown character.
    #[error("the character after `(?` is unknown")]
    Group,
    /// A group's name that is not an identifier, that two groups have, or that no group has.
    #[error("the name of a group is invalid, unknown or used twice")]
    Name,
    /// A backslash at the end.
    #[error("it ends with a single backslash")]
    Backslash,
    /// More levels of nested groups than the parser allows: about 100.
    #[error("its groups are nested too deeply")]
    TooDeep,
    /// The pattern, or the program that it compiles to, exceeds a limit. The usual reason is a
    /// repetition within a repetition.
    #[error("the expression is too large")]
    TooLarge,
    /// The compilation was cancelled.
    #[error("the request was cancelled")]
    Stopped,
}
