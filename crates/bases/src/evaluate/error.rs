//! Why an expression has no value.

use crate::limits::MAX_VALUE_WEIGHT;
use crate::value::{Value, ValueType};

/// Why an expression has no value, in the app's words where they are known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// What is wrong.
    pub message: String,
    /// Whether the work, rather than the expression, was at an end ([`QueryBudget`](super::QueryBudget)).
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

/// The value of an expression, or why it has none.
pub(crate) type Outcome = Result<Value, ExpressionError>;

/// Fails before so many bytes are made. Their cost counts when they are.
pub(super) fn may_make(bytes: usize) -> Result<(), ExpressionError> {
    if bytes > MAX_VALUE_WEIGHT {
        return Err(too_large());
    }
    Ok(())
}

pub(super) fn too_large() -> ExpressionError {
    ExpressionError::new(format!("A value is larger than {MAX_VALUE_WEIGHT} bytes"))
}

/// A field that values of this type do not have, in the app's words.
pub(super) fn no_field(name: &str, kind: ValueType) -> ExpressionError {
    ExpressionError::new(format!("Cannot find \"{name}\" on type {kind}"))
}

/// A function that values of this type do not have, in the app's words.
pub(super) fn no_function(name: &str, kind: ValueType) -> ExpressionError {
    ExpressionError::new(format!("Cannot find function \"{name}\" on type {kind}"))
}

/// A text that is no number, in the app's words.
pub(super) fn no_number(text: &str) -> ExpressionError {
    ExpressionError::new(format!("Unable to parse \"{text}\" as a number."))
}
