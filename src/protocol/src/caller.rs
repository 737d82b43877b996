//! The caller: a person or an agent.

use obsidian_note::words;

words! {
    /// The caller of a command, which determines its permissions. Its word is in the audit log and in approvals.
    #[derive(Default)]
    pub enum Caller {
        /// A person at a terminal: may always call, and may approve.
        Person = "person",
        /// A program that acts for a model: may call only while the bridge is on, and never approves
        /// its own calls. The default, because it may do less.
        #[default]
        Agent = "agent",
    }
}

impl Caller {
    /// Returns the caller with this name. An unknown name counts as an agent, which may do less.
    pub fn named(name: &str) -> Self {
        if name == Self::Person.name() {
            Self::Person
        } else {
            Self::Agent
        }
    }
}

/// Whether `name` means this agent of the settings, or this program by the name that it reports,
/// with or without its version.
pub fn is_named(name: &str, agent: Option<&str>, client: Option<&str>) -> bool {
    let is_client = |client: &str| {
        let rest = client.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    agent == Some(name) || client.is_some_and(is_client)
}
