//! The audit record of one step of a call.

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::bounds::Omitted;
use crate::allowlist::{EffectSet, Tier};
use crate::caller::Caller;
use crate::code::Code;
use crate::status::{Answerer, Status};
use crate::tiers::ApprovalDoor;

/// One record: who requested what, and the result. Contains no note text and no message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// When it was decided or done.
    #[serde(serialize_with = "to_milliseconds")]
    pub time: Timestamp,
    /// Which step of the call this is.
    pub phase: Phase,
    /// Names the call in envelope, journal and log.
    pub run_id: Uuid,
    /// The caller's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// Who asked.
    #[serde(serialize_with = "caller_name")]
    pub caller: Caller,
    /// Under which agent's policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The program that sent the call, by its own word: name and version of an MCP client. No proof of
    /// anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The command as asked.
    pub command: String,
    /// Its parameters, made by [`super::redacted`] or [`super::redacted_unread`].
    pub params: Map<String, Value>,
    /// The vault's name, where it was known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault: Option<String>,
    /// What the call does, or would do where `dryRun` stands.
    pub effects: EffectSet,
    /// Present and true where only the plan was asked for: nothing was run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The tier that holds the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Who answers, where one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<Answerer>,
    /// What the gateway decided.
    pub decision: AuditVerdict,
    /// How the call ended; an intent has none yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// What the executed command returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Wall time of the call in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// What is to change, or has changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<LoggedFile>,
    /// Files that a line has no room for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_omitted: Option<Omitted>,
    /// The number of notes, closed to the caller, whose links to a moved file could not be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_notes_left: Option<usize>,
    /// Whether further closed notes may hold links to the moved file, because they could not be looked
    /// for: the time of the call was over, or the move could not be worked out for the whole vault.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed_notes_unknown: bool,
    /// The approval that was asked for or used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// By which door the yes, or the no, came: `terminal`, `dialog`, `--yes` (`faults.md` I19).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<ApprovalDoor>,
    /// The run that this one undoes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Uuid>,
    /// The settings that the call was admitted under, by [`super::policy_hash`]
    /// (`faults.md` H06).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

/// Which step of a call a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Written and on the disk before anything is changed.
    Intent,
    /// Written after the change, whatever came of it, and not waited for.
    Result,
    /// The only record of a call that changes nothing: a read, a refusal.
    Decision,
}

impl Phase {
    /// Whether the record must be on the disk before the call continues. Only intents: a result lost
    /// in a power failure leaves its intent open, which `audit verify` reports (`faults.md` H07).
    pub(super) const fn is_durable(self) -> bool {
        match self {
            Self::Intent => true,
            Self::Result | Self::Decision => false,
        }
    }
}

/// What the gateway decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditVerdict {
    /// It may run.
    Allowed,
    /// It may not.
    Refused,
    /// A person has to approve it first.
    ApprovalRequired,
}

impl AuditVerdict {
    /// The decision behind a code. A failure that is no refusal happened after the call was allowed.
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
    /// Relative to the vault.
    pub path: String,
    /// SHA-256 before, as hexadecimal digits; none where there was no such file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_sha256: Option<String>,
    /// SHA-256 after; none where there is no such file any more.
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
            time,
            phase,
            run_id,
            correlation_id: None,
            caller,
            agent: None,
            client: None,
            command: command.into(),
            params: Map::new(),
            vault: None,
            effects: EffectSet::EMPTY,
            dry_run: false,
            tier: None,
            backend: None,
            decision: AuditVerdict::Allowed,
            status: None,
            code: None,
            exit_code: None,
            duration_ms: None,
            files: Vec::new(),
            files_omitted: None,
            closed_notes_left: None,
            closed_notes_unknown: false,
            approval: None,
            approved_by: None,
            undoes: None,
            policy: None,
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
