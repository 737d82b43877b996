//! The status of a call and the backend that answered it, as in the envelope and the audit log.

use schemars::JsonSchema;
use serde::Serialize;

/// The outcome of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Done.
    #[default]
    Ok,
    /// Done, and there is nothing to list.
    NoMatches,
    /// Done, but the result is cut.
    Partial,
    /// A change that is in the draft of its agent and not in the vault: a person reviews it.
    Drafted,
    /// A write that may have happened.
    Unknown,
    /// The gateway said no; nothing ran.
    Refused,
    /// It failed.
    Error,
}

/// The backend that answered a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Answerer {
    /// The official binary and the running app.
    Obsidian,
    /// The engine in this program.
    Embedded,
    /// Nobody: nothing ran.
    #[default]
    None,
}
