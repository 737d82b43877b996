//! The error type of the gateway: a code, a message and details for programs.

use serde_json::{Map, Value};

use crate::code::Code;

/// `details.reason` of [`Failure::nothing_left`].
const NOTHING_LEFT: &str = "nothing-left";
/// `details.reason` where today's note was to be read and is not there.
pub(crate) const NO_DAILY_NOTE: &str = "no-daily-note";
/// `details.reason` where a person has said no.
pub(crate) const DENIED: &str = "denied";
/// `details.reason` where the note that is to be changed is not UTF-8 text.
pub(crate) const NOT_UTF8: &str = "not-utf-8";
/// `details.reason` where the settings have no such agent.
pub(crate) const NO_SUCH_AGENT: &str = "no-such-agent";
/// `details.reason` where no vault is set and a person stands in a folder with notes.
pub(crate) const NOTES_HERE: &str = "notes-here";
/// The reasons whose message says all there is to say.
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

    /// The request is right and there is nothing to do it to, so that no remedy corrects it.
    pub(crate) fn nothing_left(message: impl Into<String>) -> Self {
        Self::new(Code::UsageError, message).with("reason", NOTHING_LEFT)
    }

    /// Whether the message says all there is to say: nothing can be corrected, or it names the step itself.
    pub(crate) fn is_complete(details: &Map<String, Value>) -> bool {
        details
            .get("reason")
            .is_some_and(|reason| COMPLETE.iter().any(|complete| reason == complete))
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
