//! The error type of the gateway: a code, a message and details for programs.

use serde_json::{Map, Value};

use crate::code::Code;

/// `details.reason` of the failures that [`Failure::nothing_left`] makes.
const NOTHING_LEFT: &str = "nothing-left";
/// `details.reason` if today's note is read and does not exist.
pub(crate) const NO_DAILY_NOTE: &str = "no-daily-note";
/// `details.reason` if a person has denied the call.
pub(crate) const DENIED: &str = "denied";
/// `details.reason` if the note to change is not UTF-8 text.
pub(crate) const NOT_UTF8: &str = "not-utf-8";
/// `details.reason` if the settings have no such agent.
pub(crate) const NO_SUCH_AGENT: &str = "no-such-agent";
/// `details.reason` if no vault is set and a person's working folder has notes.
pub(crate) const NOTES_HERE: &str = "notes-here";
/// The reasons whose message needs no further remedy.
const COMPLETE: [&str; 6] = [
    NOTHING_LEFT,
    NO_DAILY_NOTE,
    DENIED,
    NOT_UTF8,
    NO_SUCH_AGENT,
    NOTES_HERE,
];

/// Why a request failed. Created where the failure happens and formatted at the edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The stable code, which also decides the exit status.
    pub code: Code,
    /// What happened, and what to do next.
    pub message: String,
    /// Details for programs. Never a path outside the vault or a sensitive value.
    pub details: Map<String, Value>,
}

impl Code {
    /// Creates a failure with this code and no details.
    pub fn failure(self, message: impl Into<String>) -> Failure {
        Failure {
            code: self,
            message: message.into(),
            details: Map::new(),
        }
    }
}

impl Failure {
    /// The request is valid, but there is nothing left to do, so no remedy can correct it.
    pub(crate) fn nothing_left(message: impl Into<String>) -> Self {
        Code::UsageError
            .failure(message)
            .with("reason", NOTHING_LEFT)
    }

    /// Whether the message needs no remedy: nothing can be corrected, or it names the step itself.
    pub(crate) fn is_complete(details: &Map<String, Value>) -> bool {
        details
            .get("reason")
            .is_some_and(|reason| COMPLETE.iter().any(|complete| reason == complete))
    }

    /// Adds a detail, which replaces one with the same key.
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
