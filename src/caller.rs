//! Who is calling: a person or an agent.

/// Who is calling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A person at a terminal: may always call, and may approve.
    Person,
    /// A program that acts for a model: may call only while the bridge is on, and never approves
    /// its own calls.
    Agent,
}

impl Caller {
    /// The caller of this name. An unknown one is taken for an agent, which may do less.
    pub fn named(name: &str) -> Self {
        if name == Self::Person.name() {
            Self::Person
        } else {
            Self::Agent
        }
    }

    /// The name of this caller in the audit log and in approvals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
        }
    }
}
