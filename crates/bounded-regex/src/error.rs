//! Why a text is not a regular expression.

/// Why a text is not a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegexError {
    /// `)` without `(`, or the reverse.
    #[error("a parenthesis has no partner")]
    Parenthesis,
    /// A `[` without its `]`.
    #[error("a character class is not closed")]
    Class,
    /// A range such as `[z-a]`, whose end is before its start.
    #[error("a range in a character class is in the wrong order")]
    Range,
    /// `*`, `+`, `?` or `{1}` after nothing that can be repeated.
    #[error("there is nothing to repeat")]
    NothingToRepeat,
    /// A quantifier such as `{2,1}`, whose maximum is below its minimum.
    #[error("the numbers of a quantifier are in the wrong order")]
    Quantifier,
    /// `(?` and something unknown after it.
    #[error("a group is of no known kind")]
    Group,
    /// A name that is no name, stands for two groups, or for none.
    #[error("a group's name is not usable")]
    Name,
    /// A backslash at the end.
    #[error("a backslash at the end")]
    Backslash,
    /// Groups in groups in groups.
    #[error("the expression is nested too deeply")]
    TooDeep,
    /// A repetition of repetitions that would not fit.
    #[error("the expression is too large")]
    TooLarge,
    /// The compilation was cancelled.
    #[error("the compilation of the expression was called off")]
    Stopped,
}
