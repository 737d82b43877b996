//! The faults of a text that is not a search query.

pub use super::regex::RegexError;

/// The reason why a text is not a search query. The app only says `Invalid search query.` (`vault-semantics.md` §4.1).
///
/// The messages give positions and never repeat the text, because no log may contain queries
/// (`threats.toml` F12). The number of an error is the number of characters before its place, or the limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Parsing the query was cancelled.
    #[error("the parsing of the query was cancelled")]
    Stopped,
    /// A term is missing: an empty query or group, or `OR` at an end.
    #[error("a search term is missing at character {}", .0 + 1)]
    TermMissing(usize),
    /// A `"` that is not closed.
    #[error("the quotation mark at character {} is not closed", .0 + 1)]
    QuoteOpen(usize),
    /// A `(` that is not closed.
    #[error("the parenthesis at character {} is not closed", .0 + 1)]
    ParenthesisOpen(usize),
    /// A `)` that closes nothing.
    #[error("the closing parenthesis at character {} has no opening parenthesis", .0 + 1)]
    ParenthesisClosesNothing(usize),
    /// A `[` that is not closed.
    #[error("the bracket at character {} is not closed", .0 + 1)]
    BracketOpen(usize),
    /// A `/` that is not closed.
    #[error("the regular expression at character {} is not closed", .0 + 1)]
    RegexOpen(usize),
    /// A word with a colon that is not an operator.
    #[error("the word before the colon at character {} must be an operator or be in quotes", .0 + 1)]
    UnknownOperator(usize),
    /// An invalid regular expression.
    #[error("the regular expression at character {} cannot be used, because {reason}", .at + 1)]
    Regex {
        /// The number of characters before its first slash.
        at: usize,
        /// The fault of the expression.
        reason: RegexError,
    },
    /// More terms than a query may have.
    #[error("the query has more than {0} terms")]
    TooManyTerms(usize),
    /// Groups and operators are nested too deeply.
    #[error("the query is nested more than {0} levels deep")]
    TooDeep(usize),
}

impl QueryError {
    /// The operators of a query, which come before a colon.
    pub const OPERATORS: [&str; 12] = [
        "file",
        "path",
        "content",
        "tag",
        "line",
        "block",
        "section",
        "task",
        "task-todo",
        "task-done",
        "match-case",
        "ignore-case",
    ];
}

/// A regular expression exceeded its step limit for a note; see `Query::matches`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a regular expression of the query takes too long")]
pub struct GaveUp;
