//! A failure as data: a code, what happened and what to do next, and facts for programs.

use serde_json::{Map, Value};

use crate::code::Code;

/// Why a request did not succeed. Made where it happened, shown at the edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The stable name.
    pub code: Code,
    /// One sentence that says what happened, and one that says what to do next.
    pub message: String,
    /// Facts for programs; never a path outside the vault nor a sensitive value.
    pub details: Map<String, Value>,
}

impl Failure {
    /// A failure without details.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Map::new(),
        }
    }

    /// The same failure with one more fact.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
