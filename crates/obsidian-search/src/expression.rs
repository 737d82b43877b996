//! The syntax tree of a query.

use super::literal::Literal;
use super::regex::Regex;

/// A query or a part of it.
#[derive(Clone, Debug)]
pub(super) enum QueryExpression {
    /// All of these must match.
    All(Vec<QueryExpression>),
    /// At least one of these must match.
    Any(Vec<QueryExpression>),
    Not(Box<QueryExpression>),
    Term(Term),
    /// `content:`, `file:` or `path:`, which restrict the search to that field.
    In(QueryField, Box<QueryExpression>),
    /// `tag:`, which searches the tags.
    Tag(Box<QueryExpression>),
    /// `line:`, `block:`, `section:` or an operator for tasks: one such part must match.
    Part(NotePart, Box<QueryExpression>),
    /// `[name]` or `[name:value]`, which searches the properties.
    Property {
        name: Box<QueryExpression>,
        value: Option<Box<QueryExpression>>,
    },
    /// `null` as a property's value.
    Null,
    /// `<n`, `>n` as a property's value.
    Compare {
        greater: bool,
        with: Bound,
    },
}

/// A term that is searched for.
#[derive(Clone, Debug)]
pub(super) enum Term {
    /// A word or phrase.
    Literal(Literal),
    Regex(Box<Regex>),
}

/// The part of a file that an operator restricts the search to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryField {
    Content,
    /// The name with its extension.
    Name,
    Path,
}

/// A part of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotePart {
    Line,
    Block,
    Section,
    Task(TaskState),
}

/// The state of the tasks that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskState {
    Any,
    Todo,
    Done,
}

/// The other side of a comparison with a property.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bound {
    Number(f64),
    /// A date with a time, as `2024-01-01T00:00:00`. If the text is a year alone, which may also be
    /// a number, `year` is that number.
    Date {
        date: String,
        year: Option<f64>,
    },
}

impl QueryExpression {
    /// Returns an estimate of the evaluation cost; cheap parts are evaluated first.
    pub(super) fn cost(&self) -> usize {
        match self {
            Self::Null | Self::Compare { .. } => 0,
            Self::In(QueryField::Name | QueryField::Path, _) => 1,
            Self::Term(Term::Literal(_)) => 2,
            Self::Term(Term::Regex(_)) => 4,
            Self::Not(inner) | Self::In(QueryField::Content, inner) => inner.cost(),
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::cost).max().unwrap_or(0),
            Self::Part(NotePart::Line, inner) => inner.cost() + 4,
            Self::Property { .. } => 20,
            Self::Tag(_) | Self::Part(..) => 30,
        }
    }
}
