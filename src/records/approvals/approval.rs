//! What a person is asked to approve.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::allowlist::EffectSet;
use crate::caller::Caller;
use crate::tiers::ApprovalDoor;

/// What somebody wants to have approved.
#[derive(Clone, Debug, PartialEq)]
pub struct NewApproval {
    /// SHA-256 of the whole plan. It must cover everything that matters: command, parameters,
    /// vault, caller, agent, and the content of every file before and after.
    pub plan_hash: String,
    /// The command.
    pub command: String,
    /// All parameters, none of them shortened: the person has to see what is approved.
    pub params: Map<String, Value>,
    /// What the call does.
    pub effects: EffectSet,
    /// The vault's name.
    pub vault: String,
    /// Who asks.
    pub caller: Caller,
    /// Under which agent's policy.
    pub agent: Option<String>,
    /// The plan for programs.
    pub plan: Value,
    /// The plan for people, whole.
    pub plan_text: String,
    /// What else changes, in notes that are closed to the caller: for the owner of the vault alone.
    pub closed: ClosedNotes,
}

/// Notes that are closed to a caller, and whose links follow a move that it asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClosedNotes {
    /// How many there are.
    pub total: usize,
    /// The first of their paths.
    pub paths: Vec<String>,
}

impl ClosedNotes {
    /// How many paths an approval names.
    const NAMED: usize = 100;

    /// Of these paths.
    pub fn new<'a>(paths: impl ExactSizeIterator<Item = &'a str>) -> Self {
        Self {
            total: paths.len(),
            paths: paths.take(Self::NAMED).map(str::to_owned).collect(),
        }
    }

    /// How many bytes of an approval's file they take. These do not count for the caller, who could
    /// else tell by a full seat that there are some.
    pub(super) fn bytes(&self) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let value = serde_json::to_vec(self).unwrap_or_default();
        (r#","closed":"#.len() + value.len()) as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

/// An approval as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approval {
    /// Its name.
    pub id: String,
    /// Whether it was answered, and how.
    pub state: ApprovalState,
    /// By which door the yes came (`faults.md` I19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<ApprovalDoor>,
    /// When it was asked for.
    #[serde(with = "as_text")]
    pub asked: Timestamp,
    /// From when on it counts no more; granting it does not put this off.
    #[serde(with = "as_text")]
    pub expires: Timestamp,
    /// What exactly is approved.
    pub plan_hash: String,
    /// The command.
    pub command: String,
    /// All parameters, whole.
    pub params: Map<String, Value>,
    /// What the call does.
    pub effects: EffectSet,
    /// The vault's name.
    pub vault: String,
    /// Who asks: `person` or `agent`.
    pub caller: String,
    /// Under which agent's policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The plan for programs.
    pub plan: Value,
    /// The plan for people, whole.
    pub plan_text: String,
    /// What else changes, in notes that are closed to the caller. The caller is never shown it, and it
    /// takes no room from it (`faults.md` D13).
    #[serde(default, skip_serializing_if = "ClosedNotes::is_empty")]
    pub closed: ClosedNotes,
}

/// Whether an approval was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalState {
    /// Not answered yet.
    Pending,
    /// Granted, and not used yet.
    Granted,
    /// A person said no.
    Denied,
}

/// What became of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingApproval {
    /// The approval's name, to be sent with the call once it is granted.
    pub id: String,
    /// From when on it counts no more.
    pub expires_at: Timestamp,
    /// Whether a person has granted it already.
    pub granted: bool,
}

impl Approval {
    /// Whether it can no longer be granted or used. A clock that was set back makes nothing live
    /// longer.
    pub fn is_over(&self, now: Timestamp) -> bool {
        now < self.asked || now >= self.expires
    }

    /// The plan's hash as whoever asked was told it; an approval is bound to more than that.
    pub fn hash_told(&self) -> &str {
        let told = self.plan.get("planHash").and_then(Value::as_str);
        told.unwrap_or(&self.plan_hash)
    }

    /// Whether it is of the same plan, asked for by the same caller.
    pub(super) fn is_for(&self, new: &NewApproval, caller: &str) -> bool {
        self.plan_hash == new.plan_hash
            && self.vault == new.vault
            && self.caller == caller
            && self.agent == new.agent
    }

    /// Whether it still holds what was to be done.
    pub(super) fn has_content(&self) -> bool {
        !(self.params.is_empty() && self.plan.is_null() && self.plan_text.is_empty())
    }

    /// The same without what was to be done: enough to say later what became of it.
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

/// A time as RFC 3339 text.
mod as_text {
    use jiff::Timestamp;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        time: &Timestamp,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(time)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
