//! The owner of a run, and whether the run removed content. Decides which entries may be pruned
//! (`faults.md` H17).

use serde::{Deserialize, Serialize};

use crate::caller::Caller;
use crate::tiers::ApprovalDoor;

/// The origin of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunOrigin {
    /// Who made it.
    #[serde(default)]
    pub owner: Owner,
    /// The program that called, by its own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Whether a person made it under an agent's policy. What a person takes back so, the agent does
    /// not do again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
    /// Whether it removed bytes that were there, by whichever command. The journal finds out, by the
    /// plan and by what the app then did. Its entry is kept until its age limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses_content: bool,
    /// The door by which it was approved, if it needed an approval (`faults.md` I19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<ApprovalDoor>,
}

impl RunOrigin {
    /// Whether whoever made this run may do again what `undo` took back: their own, and of theirs
    /// nothing that a person did.
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

    /// Whether it is a person.
    pub fn is_person(&self) -> bool {
        *self == Self::Person
    }
}
