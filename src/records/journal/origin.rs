//! Whose run it was, and whether it lost content. Decides what may be forgotten to make room
//! (`faults.md` H17).

use serde::{Deserialize, Serialize};

use crate::caller::Caller;
use crate::tiers::ApprovalDoor;

/// Where a run came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunOrigin {
    /// Who made it.
    #[serde(default)]
    pub owner: Owner,
    /// Whether it lost content: its effects hold `destroy`. Its entry is kept until its age limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses_content: bool,
    /// By which door it was approved, where it had to be (`faults.md` I19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<ApprovalDoor>,
}

/// Whose quota a run takes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Owner {
    /// A person under nobody else's policy. Entries of older versions count as a person's.
    #[default]
    Person,
    /// An agent without a name of its own.
    Agent,
    /// An agent of the settings, or somebody who acts under its policy.
    Named(String),
}

impl Owner {
    /// The owner of a run by this caller under this agent's policy.
    pub fn of(caller: Caller, agent: Option<&str>) -> Self {
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
