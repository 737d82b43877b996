//! Expressions: from text to tree (`vault-semantics.md` §5.3).

mod lexer;
mod parser;

use std::sync::Arc;

use crate::limits::MAX_EXPRESSION_BYTES;
use crate::regexp::Regexp;

/// A parsed expression with its source text.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(crate) root: Node,
    source: Arc<str>,
}

/// The reason why a text is not an expression, and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at character {})", .character + 1)]
pub struct SyntaxError {
    /// The fault, as a sentence for people.
    pub message: String,
    /// The number of characters before the fault.
    pub character: usize,
}

impl Expression {
    /// Parses a text of at most [`MAX_EXPRESSION_BYTES`], nested at most
    /// [`crate::limits::MAX_EXPRESSION_DEPTH`] deep.
    ///
    /// # Errors
    ///
    /// Fails if the text is not an expression. Some forms in the documentation of Bases are refused
    /// because the app refuses them: `1.isTruthy()`, `{"a": 1}`, `+1`.
    ///
    /// ```
    /// use bases::Expression;
    ///
    /// assert!(Expression::parse(r#"status == "open" && due < today() + "7d""#).is_ok());
    /// assert!(Expression::parse("status ==").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        if text.len() > MAX_EXPRESSION_BYTES {
            let message = format!("the expression is longer than {MAX_EXPRESSION_BYTES} bytes");
            return Err(SyntaxError {
                message,
                character: 0,
            });
        }
        parser::parse(text)
            .map(|root| Self {
                root,
                source: text.into(),
            })
            .map_err(|fault| SyntaxError {
                message: fault.message,
                character: text.get(..fault.at).unwrap_or_default().chars().count(),
            })
    }

    /// The text that was parsed.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Null,
    Boolean(bool),
    Number(f64),
    Text(Arc<str>),
    Regexp(Arc<Regexp>),
    Name(Arc<str>),
    List(Vec<Node>),
    Not(Box<Node>),
    Negative(Box<Node>),
    /// Operators of one rank, from left to right. A flat list, so that a long sum is not a deep
    /// tree.
    Chain(Box<Node>, Vec<(Operator, Node)>),
    /// A call of a global function.
    Call(Arc<str>, Vec<Node>),
    /// Fields, indexes and methods of a value, from left to right.
    Access(Box<Node>, Vec<Access>),
}

/// One step into a value.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// A field by its name: `.name`.
    Field(Arc<str>),
    /// An index or key in brackets: `[expression]`.
    Place(Node),
    /// A call of a method: `.name(arguments)`.
    Method(Arc<str>, Vec<Node>),
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Plus,
    Minus,
    Times,
    Divided,
    Modulo,
}

impl Operator {
    /// Operators that bind more tightly have a higher rank.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal
            | Self::NotEqual
            | Self::Greater
            | Self::Less
            | Self::GreaterOrEqual
            | Self::LessOrEqual => 3,
            Self::Plus | Self::Minus => 4,
            Self::Times | Self::Divided | Self::Modulo => 5,
        }
    }
}
