//! The faults of a text that is not a regular expression.

/// The reason why a text is not a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegexError {
    /// `)` without `(`, or the reverse.
    #[error("a parenthesis is not closed or not opened")]
    Parenthesis,
    /// A `[` without its `]`.
    #[error("a character class is not closed")]
    Class,
    /// A range such as `[z-a]`, whose end is before its start.
    #[error("a range in a character class is in the wrong order")]
    Range,
    /// `*`, `+`, `?` or `{1}` without anything before it that can be repeated.
    #[error("there is nothing to repeat")]
    NothingToRepeat,
    /// A quantifier such as `{2,1}`, whose maximum is below its minimum.
    #[error("the numbers of a quantifier are in the wrong order")]
    Quantifier,
    /// `(?` before an unknown character.
    #[error("a group is of an unknown kind")]
    Group,
    /// A group's name that is not an identifier, that two groups have, or that no group has.
    #[error("the name of a group is invalid")]
    Name,
    /// A backslash at the end.
    #[error("a backslash at the end")]
    Backslash,
    /// More levels of nested groups than the parser allows: about 100.
    #[error("the expression is nested too deeply")]
    TooDeep,
    /// The pattern, or the program that it compiles to, exceeds a limit. The usual reason is a
    /// repetition within a repetition.
    #[error("the expression is too large")]
    TooLarge,
    /// The compilation was cancelled.
    #[error("the compilation of the expression was cancelled")]
    Stopped,
}
