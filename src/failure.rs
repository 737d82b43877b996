//! The error type of the gateway: a code, a message and details for programs.

use schemars::JsonSchema;
use serde::Serialize;
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
/// `details.reason` if a person has to look at a draft again before they answer, or to confirm what they saw.
pub(crate) const REVIEW_AGAIN: &str = "review-again";
/// The reasons whose message needs no further remedy.
const COMPLETE: [&str; 7] =
    [NOTHING_LEFT, NO_DAILY_NOTE, DENIED, NOT_UTF8, NO_SUCH_AGENT, NOTES_HERE, REVIEW_AGAIN];

// Created where the failure happens and formatted at the edge. The details hold no path outside the vault and
// no sensitive value. The published schema has the other name, and these words.
/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ErrorBody")]
pub struct Failure {
    /// The stable name; `vault-gw explain CODE` tells cause and remedy.
    pub code: Code,
    /// What happened and what to do next.
    pub message: String,
    /// Facts for programs.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
}

impl Code {
    /// Creates a failure with this code and no details.
    pub fn failure(self, message: impl Into<String>) -> Failure {
        Failure { code: self, message: message.into(), details: Map::new() }
    }
}

impl Failure {
    /// The request is valid, but there is nothing left to do, so no remedy can correct it.
    pub(crate) fn nothing_left(message: impl Into<String>) -> Self {
        Code::UsageError.failure(message).with("reason", NOTHING_LEFT)
    }

    /// Whether the message needs no remedy: nothing can be corrected, or it names the step itself.
    pub(crate) fn is_complete(&self) -> bool {
        self.reason().is_some_and(|reason| COMPLETE.contains(&reason))
    }

    /// The next step at the command line after a refused answer to a draft. The picker and the page show the draft
    /// again instead.
    pub(crate) fn next_in_review(&self) -> Option<&'static str> {
        match (self.reason()?, self.code) {
            (REVIEW_AGAIN, Code::PreconditionFailed) => {
                Some("`vault-gw review` shows the draft as it is now.")
            }
            (REVIEW_AGAIN, Code::ApprovalRequired) => {
                Some("To accept what has a warning, add `--confirm-warnings`.")
            }
            _ => None,
        }
    }

    /// Which of the causes of its code it has.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.details.get("reason")?.as_str()
    }

    /// The names like the one that is not there.
    pub(crate) fn nearest(&self) -> &[Value] {
        let nearest = self.details.get("nearest").and_then(Value::as_array);
        nearest.map_or(&[], Vec::as_slice)
    }

    /// The settings that would open what is closed.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &str> {
        let needs = self.details.get("needs").and_then(Value::as_array);
        needs.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The id of the approval that the call needs; `None` for any other failure.
    pub(crate) fn approval(&self) -> Option<&str> {
        let approval = self.details.get("approval").filter(|_| self.code == Code::ApprovalRequired);
        approval?.as_str()
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
