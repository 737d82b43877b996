//! The faults of a text that is not of its shape.

use thiserror::Error;

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// The output is empty, although the app prints a sentence even for an empty result.
    #[error("the output is empty")]
    EmptyOutput,
    /// A line inside a list is empty.
    #[error("the line is empty")]
    EmptyLine,
    /// A whole number was expected.
    #[error("`{found}` is not a whole number")]
    NotANumber {
        /// The text in place of the number.
        found: String,
    },
    /// A row has another number of cells than the asked-for columns.
    #[error("{expected} cells expected, {found} found")]
    Cells {
        /// The number of cells for these arguments.
        expected: usize,
        /// The number of cells in the row.
        found: usize,
    },
    /// A key and value row is not there.
    #[error("the row `{key}` is missing")]
    MissingRow {
        /// The key of the missing row.
        key: &'static str,
    },
    /// The text does not follow the pattern of its shape, which is given as the documentation writes it.
    #[error("`{0}` expected")]
    Pattern(&'static str),
    /// More lines than the shape has.
    #[error("one line expected")]
    MoreLines,
    /// The text is not the JSON that was asked for.
    #[error("{message}")]
    Json {
        /// The message of the JSON reader.
        message: String,
    },
    /// The YAML cannot be read as properties.
    #[error("{what} in YAML")]
    Yaml {
        /// The fault that was found.
        what: String,
    },
    /// The shape belongs to an own command of the gateway, which no program prints.
    #[error("no program prints it")]
    NotPrinted,
    /// The answer repeats an argument that was not given.
    #[error("the argument `{name}` is not given")]
    MissingArgument {
        /// The name of the missing argument.
        name: &'static str,
    },
}

impl Reason {
    /// One cell in place of two.
    pub(crate) const NO_TAB: Self = Self::Cells {
        expected: 2,
        found: 1,
    };
}

/// A [`crate::ParseError`] before its shape is known.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The fault in that line.
    pub(crate) reason: Reason,
}

impl Fault {
    /// A fault at a line.
    pub(crate) fn at_line(line: usize, reason: Reason) -> Self {
        Self { line, reason }
    }
}
