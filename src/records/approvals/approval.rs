//! An approval: the request for it, and its stored form.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::allowlist::EffectSet;
use crate::caller::Caller;
use crate::tiers::ApprovalChannel;

/// The request for an approval.
#[derive(Clone, Debug, PartialEq)]
pub struct NewApproval {
    /// SHA-256 of the whole plan. It must cover everything that matters: command, parameters,
    /// vault, caller, agent, and the content of every file before and after.
    pub plan_hash: String,
    /// The command's id, such as `note:edit`.
    pub command: String,
    /// All parameters in full: a person must see what they approve.
    pub params: Map<String, Value>,
    /// Effects of the call.
    pub effects: EffectSet,
    /// The name of the vault, as the settings call it.
    pub vault: String,
    /// Whether a person or an agent asks.
    pub caller: Caller,
    /// The agent whose policy applies; `None` for a person under their own.
    pub agent: Option<String>,
    /// Name and version of the calling program, as it says itself. Not verified.
    pub client: Option<String>,
    /// The plan as JSON, for programs.
    pub plan: Value,
    /// The complete plan as text, for people.
    pub plan_text: String,
    /// Further changes in notes closed to the caller; shown only to the owner of the vault.
    pub closed: ClosedNotes,
}

/// Notes closed to the caller whose links a requested move would update.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClosedNotes {
    /// Number of notes, including notes that are not in `paths`.
    pub total: usize,
    /// Vault paths of the first notes, at most `ClosedNotes::NAMED`.
    pub paths: Vec<String>,
}

impl ClosedNotes {
    /// Maximum number of paths that an approval names.
    const NAMED: usize = 100;

    /// Counts `paths` and keeps the first `NAMED` of them.
    pub fn new<'a>(paths: impl ExactSizeIterator<Item = &'a str>) -> Self {
        Self { total: paths.len(), paths: paths.take(Self::NAMED).map(str::to_owned).collect() }
    }

    /// Returns the bytes that these notes take in the approval's file. They do not count against the caller's quota;
    /// otherwise the remaining quota would reveal that there are such notes.
    pub(super) fn bytes(&self) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let value = serde_json::to_vec(self).unwrap_or_default();
        (r#","closed":"#.len() + value.len()) as u64
    }

    /// Whether there are no notes of this kind.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

/// A stored approval: the content of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approval {
    /// The id that people type and calls send, see `ApprovalId`. Also the beginning of the file's
    /// name.
    pub id: String,
    /// Whether it was answered, and how.
    pub state: ApprovalState,
    /// The channel through which it was granted: a terminal, a dialog, or `--yes` (`faults.md`
    /// I19). `None` until then. Approvals are stored and printed with the key `door`.
    #[serde(rename = "door", default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<ApprovalChannel>,
    /// The time of the request.
    #[serde(rename = "asked")]
    pub requested_at: Timestamp,
    /// The expiry. Granting the approval does not extend it.
    pub expires: Timestamp,
    /// The hash of the plan that is approved.
    pub plan_hash: String,
    /// The command's id, such as `note:edit`.
    pub command: String,
    /// All parameters in full. Empty once the approval is used, denied or expired.
    pub params: Map<String, Value>,
    /// Effects of the call.
    pub effects: EffectSet,
    /// The name of the vault, as the settings call it.
    pub vault: String,
    /// `person` or `agent`, from [`Caller::name`].
    pub caller: String,
    /// The agent whose policy applies; `None` for a person under their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Name and version of the calling program, as it says itself. Not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The plan as JSON, for programs.
    pub plan: Value,
    /// The complete plan as text, for people.
    pub plan_text: String,
    /// Further changes in notes closed to the caller. The caller never sees them, and they do not
    /// count against its quota (`faults.md` D13).
    #[serde(default, skip_serializing_if = "ClosedNotes::is_empty")]
    pub closed: ClosedNotes,
}

/// Whether an approval was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalState {
    /// No person has answered it yet.
    Pending,
    /// Granted, and not used yet.
    Granted,
    /// A person denied it.
    Denied,
}

/// The result of requesting an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingApproval {
    /// The approval's name, to be sent with the call once it is granted.
    pub id: String,
    /// Returns the time at which the approval expires: [`super::LIFETIME`] after the request.
    pub expires_at: Timestamp,
    /// Whether a person has granted it already.
    pub granted: bool,
}

impl Approval {
    /// Whether the approval has expired. An approval from the future counts as expired too, so that
    /// setting the clock back does not extend it.
    pub fn is_over(&self, now: Timestamp) -> bool {
        now < self.requested_at || now >= self.expires
    }

    /// Returns the plan's hash as the requester knows it. The approval's own hash also covers the caller.
    pub fn shown_hash(&self) -> &str {
        let shown = self.plan.get("planHash").and_then(Value::as_str);
        shown.unwrap_or(&self.plan_hash)
    }

    /// Whether it is for the same plan of the same caller.
    pub(super) fn is_for(&self, new: &NewApproval, caller: &str) -> bool {
        self.plan_hash == new.plan_hash
            && self.vault == new.vault
            && self.caller == caller
            && self.agent == new.agent
    }

    /// Whether it still contains the plan and the parameters.
    pub(super) fn has_content(&self) -> bool {
        !(self.params.is_empty() && self.plan.is_null() && self.plan_text.is_empty())
    }

    /// Returns the approval without plan and parameters: enough to report later how it ended.
    pub(super) fn without_content(&self) -> Self {
        Self {
            params: Map::new(),
            plan: Value::Null,
            plan_text: String::new(),
            closed: ClosedNotes::default(),
            ..self.clone()
        }
    }

    pub(super) fn as_pending(&self) -> PendingApproval {
        PendingApproval {
            id: self.id.clone(),
            expires_at: self.expires,
            granted: self.state == ApprovalState::Granted,
        }
    }
}
