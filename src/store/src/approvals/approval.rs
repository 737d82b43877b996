//! An approval: its request, and its stored form.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::permits::ApprovalRequester;
use allowlist::EffectSet;
use tiers::ApprovalChannel;

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
        Self {
            total: paths.len(),
            paths: paths.take(Self::NAMED).map(str::to_owned).collect(),
        }
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

/// An approval, or the request for one: the content of its file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approval {
    /// The id that people type and calls send, see `ApprovalId`. Also the beginning of the file's
    /// name. [`super::Approvals::ask`] makes the id, the state and the times of a new approval.
    pub id: String,
    /// Whether it was answered, and how.
    pub state: ApprovalState,
    /// The channel through which it was granted: a terminal, a dialog, or `--yes` (`threats.toml`
    /// I19). `None` until then. Approvals are stored and printed with the key `door`.
    #[serde(rename = "door", default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<ApprovalChannel>,
    /// The time of the request.
    #[serde(rename = "asked")]
    pub requested_at: Timestamp,
    /// The expiry. Granting the approval does not extend it; denying it does.
    pub expires: Timestamp,
    /// SHA-256 of the whole plan. It must cover everything that matters: command, parameters,
    /// vault, caller, agent, and the content of every file before and after.
    pub plan_hash: String,
    /// The command's id, such as `note:edit`.
    pub command: String,
    /// All parameters in full: a person must see what they approve. Empty once the approval is used,
    /// denied or expired.
    pub params: Map<String, Value>,
    /// Effects of the call.
    pub effects: EffectSet,
    /// The name of the vault, as the settings call it.
    pub vault: String,
    /// `person` or `agent`, from [`protocol::Caller::name`].
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
    /// count against its quota (`threats.toml` D13).
    #[serde(default, skip_serializing_if = "ClosedNotes::is_empty")]
    pub closed: ClosedNotes,
}

/// Whether an approval was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalState {
    /// No person has answered it yet.
    #[default]
    Pending,
    /// Granted, and not used yet.
    Granted,
    /// A person denied it.
    Denied,
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

    /// Returns the caller whose quota it uses.
    pub(super) fn requester(&self) -> ApprovalRequester<'_> {
        ApprovalRequester::new(&self.caller, self.agent.as_deref())
    }

    /// Whether it is for the same plan of the same caller.
    pub(super) fn is_for(&self, new: &Self) -> bool {
        self.plan_hash == new.plan_hash
            && self.vault == new.vault
            && self.requester() == new.requester()
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
}
