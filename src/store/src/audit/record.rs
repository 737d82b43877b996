//! The audit record of one step of a call.

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::bounds::Omitted;
use allowlist::{EffectSet, Tier};
use protocol::{Answerer, Caller, Code, Status};
use tiers::ApprovalChannel;

/// One record: who requested a call, its parameters and the result. Contains no note text and no message. A line of the
/// log leaves out a field that is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// The time at which the call was decided or carried out, to the millisecond.
    #[serde(serialize_with = "to_milliseconds")]
    pub time: Timestamp,
    /// The step of the call.
    pub phase: Phase,
    /// The id of the call, the same in the envelope, the journal and the log.
    pub run_id: Uuid,
    /// The id that the caller sent with the request.
    pub correlation_id: Option<String>,
    /// Whether a person or an agent called.
    #[serde(serialize_with = "caller_name")]
    pub caller: Caller,
    /// The agent whose policy applied; `None` for a person under their own.
    pub agent: Option<String>,
    /// Name and version of the client program, as it says itself (MCP). Not verified.
    pub client: Option<String>,
    /// The command as requested, shortened if it is longer than any existing one.
    pub command: String,
    /// Its parameters, made by [`super::redacted`] or [`super::redacted_unread`].
    pub params: Map<String, Value>,
    /// The vault's name; `None` if the call failed before a vault was chosen.
    pub vault: Option<String>,
    /// The effects of the call; with `dryRun`, the effects that the call would have.
    pub effects: EffectSet,
    /// Whether only the plan was requested, so that nothing ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The tier that contains the command.
    pub tier: Option<Tier>,
    /// The backend that answered; `None` if none was chosen.
    pub backend: Option<Answerer>,
    /// The gateway's decision.
    pub decision: AuditVerdict,
    /// Result of the call; `None` for an intent.
    pub status: Option<Status>,
    /// The error code; `None` if the call succeeded.
    pub code: Option<Code>,
    /// The exit status of the official CLI, if it ran.
    pub exit_code: Option<i32>,
    /// Wall time of the call in milliseconds.
    pub duration_ms: Option<u64>,
    /// The files that are to change (intent) or have changed (result).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<LoggedFile>,
    /// Files that do not fit into the line.
    pub files_omitted: Option<Omitted>,
    /// The number of notes, closed to the caller, whose links to a moved file could not be changed.
    pub closed_notes_left: Option<usize>,
    /// Whether further closed notes may contain links to the moved file: the search ran out of
    /// time, or the move could not be computed for the whole vault.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed_notes_unknown: bool,
    /// The approval that was asked for or used.
    pub approval: Option<String>,
    /// The channel of the approval or denial: `terminal`, `dialog`, `--yes` (`threats.toml` I19).
    pub approved_by: Option<ApprovalChannel>,
    /// The run that this one undoes.
    pub undoes: Option<Uuid>,
    /// The settings that the call was admitted under, by [`super::policy_hash`]
    /// (`threats.toml` H06).
    pub policy: Option<String>,
}

/// The step of a call that a record describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Written and on the disk before anything is changed, so it is synced.
    Intent,
    /// Written after the change, whether it succeeded or not. Not synced: a result lost in a power failure leaves its
    /// intent open, which `audit verify` reports (`threats.toml` H07).
    Result,
    /// The only record of a call that changes nothing, such as a read or a refusal.
    #[default]
    Decision,
}

/// A decision of the gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditVerdict {
    /// The call runs without an approval, or has one.
    #[default]
    Allowed,
    /// The call does not run.
    Refused,
    /// A person has to approve it first.
    ApprovalRequired,
}

impl AuditVerdict {
    /// Returns the decision behind a code. A failure other than a refusal happened after the call was allowed.
    pub const fn from_code(code: Option<Code>) -> Self {
        match code {
            Some(Code::ApprovalRequired) => Self::ApprovalRequired,
            Some(code) if code.is_refusal() => Self::Refused,
            Some(_) | None => Self::Allowed,
        }
    }
}

/// A file before and after a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedFile {
    /// The path of the file, relative to the vault.
    pub path: String,
    /// SHA-256 of the content before, as hexadecimal digits; `None` if there was no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_sha256: Option<String>,
    /// SHA-256 of the content after; `None` if the file no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_sha256: Option<String>,
}

impl AuditRecord {
    /// A record of an allowed call with no further facts.
    pub fn new(
        phase: Phase,
        time: Timestamp,
        run_id: Uuid,
        caller: Caller,
        command: impl Into<String>,
    ) -> Self {
        Self {
            phase,
            time,
            run_id,
            caller,
            command: command.into(),
            ..Self::default()
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the serialiser hands out references"
)]
fn caller_name<S: Serializer>(caller: &Caller, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(caller.name())
}

fn to_milliseconds<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}
