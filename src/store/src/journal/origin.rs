//! The owner of a run, and whether the run removed content. Decides which entries may be pruned
//! (`threats.toml` H17).

use serde::{Deserialize, Serialize};

use protocol::Caller;
use tiers::ApprovalChannel;

/// The caller of a run: a person or an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunOrigin {
    /// The caller whose quota the run uses.
    #[serde(default)]
    pub owner: Owner,
    /// Name and version of the client program, as it says itself. Not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Whether a person made the run under an agent's policy. The agent may not redo what such a
    /// person undid.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
    /// Whether it removed bytes from the vault, with any command. The journal finds out from the
    /// plan and from the changes that the app made. The entry is kept until its age limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses_content: bool,
    /// The channel of the approval, if it needed one (`threats.toml` I19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<ApprovalChannel>,
}

impl RunOrigin {
    /// Whether the author of this run may redo the change that `undo` undid. Only the same owner may. If a person did
    /// the undo under an agent's policy, that agent may not.
    pub(super) fn may_redo(&self, undo: &Self) -> bool {
        self.owner == undo.owner && (self.by_person || !undo.by_person)
    }
}

/// The owner of a run, whose quota it uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Owner {
    /// A person under their own policy. Entries of older versions count as a person's.
    #[default]
    Person,
    /// An agent without a name of its own.
    Agent,
    /// A named agent of the settings, or a person under its policy.
    Named(String),
}

impl Owner {
    /// The owner of a run by this caller under this agent's policy.
    pub fn new(caller: Caller, agent: Option<&str>) -> Self {
        match (caller, agent) {
            (_, Some(name)) => Self::Named(name.to_owned()),
            (Caller::Person, None) => Self::Person,
            (Caller::Agent, None) => Self::Agent,
        }
    }

    /// Whether the owner is a person, and not an agent or a person under an agent's policy.
    pub fn is_person(&self) -> bool {
        *self == Self::Person
    }
}
