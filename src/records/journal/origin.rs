//! The owner of a run, and whether the run destroyed content. Decides which entries may be pruned
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
    /// Whether it destroyed content, by its effect `destroy`. Its entry is kept until its age limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses_content: bool,
    /// The door by which it was approved, if it needed an approval (`faults.md` I19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<ApprovalDoor>,
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
