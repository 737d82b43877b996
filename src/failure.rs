//! The error type of the gateway: a code, a message and details for programs.

use serde_json::{Map, Value};

use crate::code::Code;

/// Why a request failed. Created where the failure happens and formatted at the edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The stable code.
    pub code: Code,
    /// What happened, and what to do next.
    pub message: String,
    /// Details for programs. Never a path outside the vault or a sensitive value.
    pub details: Map<String, Value>,
}

impl Failure {
    /// Creates a failure without details.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Map::new(),
        }
    }

    /// Adds a detail.
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
