//! The error of an expression without a value.

use crate::limits::MAX_VALUE_WEIGHT;
use crate::value::Value;

/// The reason why an expression has no value, with the app's message if it is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// The message, as part of a cell or warning.
    pub message: String,
    /// Whether a limit was reached, rather than a fault in the expression
    /// ([`QueryBudget`](super::QueryBudget)).
    pub is_spent: bool,
}

impl ExpressionError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_spent: false,
        }
    }
}

/// The value of an expression, or the error.
pub(crate) type Outcome = Result<Value, ExpressionError>;

/// Fails before so many bytes are created. They are charged only once they exist.
pub(super) fn may_make(bytes: usize) -> Result<(), ExpressionError> {
    if bytes > MAX_VALUE_WEIGHT {
        return Err(too_large());
    }
    Ok(())
}

pub(super) fn too_large() -> ExpressionError {
    ExpressionError::new(format!("A value is larger than {MAX_VALUE_WEIGHT} bytes"))
}

/// The app's error for a field that values of this type do not have.
pub(super) fn no_field(name: &str, kind: &str) -> ExpressionError {
    ExpressionError::new(format!("Cannot find \"{name}\" on type {kind}"))
}

/// The app's error for a method that values of this type do not have.
pub(super) fn no_function(name: &str, kind: &str) -> ExpressionError {
    ExpressionError::new(format!("Cannot find function \"{name}\" on type {kind}"))
}

/// The app's error for a text that is not a number.
pub(super) fn no_number(text: &str) -> ExpressionError {
    ExpressionError::new(format!("Unable to parse \"{text}\" as a number."))
}
