//! Quotas of approvals, in number and bytes, so that one agent cannot starve other agents or people
//! (`threats.toml` H17).

use super::RefusalReason;
use protocol::Failure;

/// Maximum number of pending approvals. A new one beyond it is refused. A pending one is never dropped,
/// because a person may be reading it.
pub const MOST_PENDING: usize = 50;
/// Maximum number of pending approvals of one agent.
pub const MOST_PENDING_OF_AN_AGENT: usize = 8;
/// Maximum number of pending approvals of all agents together. The rest is reserved for people.
pub const MOST_PENDING_OF_AGENTS: usize = 40;

/// Largest file of one approval that a person asked for, in bytes.
pub(super) const MOST_BYTES: u64 = 32 << 20;
/// Largest file of one approval that an agent asked for, in bytes.
pub(super) const MOST_BYTES_FOR_AN_AGENT: u64 = 4 << 20;
/// Bytes of all approvals of one agent.
const BYTES_OF_AN_AGENT: u64 = 16 << 20;
/// Bytes of all approvals of all agents.
const BYTES_OF_AGENTS: u64 = 64 << 20;
/// Maximum bytes of all approvals together.
const BYTES: u64 = 128 << 20;

/// Numbers of the permits in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TakenPermits {
    /// Number of pending approvals.
    pending: usize,
    /// Bytes of the files of these approvals.
    bytes: u64,
}

impl TakenPermits {
    fn add(&mut self, bytes: u64, waits: bool) {
        self.pending += usize::from(waits);
        self.bytes += bytes;
    }

    fn has_room(self, bytes: u64, most_pending: usize, most_bytes: u64) -> Result<(), Failure> {
        if self.pending >= most_pending {
            Err(RefusalReason::TooMany.failure().with("limit", most_pending))
        } else if self.bytes.saturating_add(bytes) > most_bytes {
            Err(RefusalReason::TooLarge.failure())
        } else {
            Ok(())
        }
    }
}

/// The requester of an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ApprovalRequester<'a> {
    /// `person` or `agent`, as in the approval's file.
    pub(super) caller: &'a str,
    /// The agent whose policy applies; `None` for a person under their own.
    pub(super) agent: Option<&'a str>,
}

impl<'a> ApprovalRequester<'a> {
    /// Returns the requester by the names in an approval's file.
    pub(super) fn new(caller: &'a str, agent: Option<&'a str>) -> Self {
        Self { caller, agent }
    }

    /// Whether a person asks. A person under an agent's policy counts as that agent.
    pub(super) fn is_person(self) -> bool {
        self.caller == "person" && self.agent.is_none()
    }

    /// Largest file of one approval.
    pub(super) fn most_bytes(self) -> u64 {
        if self.is_person() {
            MOST_BYTES
        } else {
            MOST_BYTES_FOR_AN_AGENT
        }
    }
}

/// The permits in use, as far as they limit one requester.
#[derive(Debug)]
pub(super) struct ApprovalPermits<'a> {
    requester: ApprovalRequester<'a>,
    own: TakenPermits,
    of_agents: TakenPermits,
    all: TakenPermits,
}

impl<'a> ApprovalPermits<'a> {
    /// Creates the permits for this requester, with none in use.
    pub(super) fn new(requester: ApprovalRequester<'a>) -> Self {
        Self {
            requester,
            own: TakenPermits::default(),
            of_agents: TakenPermits::default(),
            all: TakenPermits::default(),
        }
    }

    /// Adds a stored approval of `of` to the totals; `waits` says whether it is unanswered.
    pub(super) fn count(&mut self, of: ApprovalRequester<'_>, bytes: u64, waits: bool) {
        self.all.add(bytes, waits);
        if !of.is_person() {
            self.of_agents.add(bytes, waits);
        }
        if of == self.requester {
            self.own.add(bytes, waits);
        }
    }

    /// Checks whether one more approval of `bytes` fits. Fails with [`RefusalReason::TooMany`] or
    /// [`RefusalReason::TooLarge`].
    pub(super) fn check(&self, bytes: u64) -> Result<(), Failure> {
        let most = self.requester.most_bytes();
        if bytes > most {
            let failure = RefusalReason::TooLarge.failure();
            return Err(failure.with("bytes", bytes).with("limit", most));
        }
        self.all.has_room(bytes, MOST_PENDING, BYTES)?;
        if self.requester.is_person() {
            return Ok(());
        }
        self.own
            .has_room(bytes, MOST_PENDING_OF_AN_AGENT, BYTES_OF_AN_AGENT)?;
        self.of_agents
            .has_room(bytes, MOST_PENDING_OF_AGENTS, BYTES_OF_AGENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERSON: ApprovalRequester<'static> = ApprovalRequester {
        caller: "person",
        agent: None,
    };

    fn agent(name: &str) -> ApprovalRequester<'_> {
        ApprovalRequester {
            caller: "agent",
            agent: Some(name),
        }
    }

    fn reason(permits: &ApprovalPermits<'_>, bytes: u64) -> String {
        let failure = permits.check(bytes).unwrap_err();
        failure.details["reason"].as_str().unwrap().to_owned()
    }

    #[test]
    fn h17_agents_leave_seats_to_each_other_and_to_people() {
        let names: Vec<String> = (0..5).map(|number| format!("a{number}")).collect();
        let mut taken = Vec::new();
        for name in &names {
            loop {
                let mut permits = ApprovalPermits::new(agent(name));
                for of in &taken {
                    permits.count(*of, 1, true);
                }
                if permits.check(1).is_err() {
                    break;
                }
                taken.push(agent(name));
            }
        }
        assert_eq!(taken.len(), MOST_PENDING_OF_AGENTS);
        for (requester, open) in [(PERSON, true), (agent("another"), false)] {
            let mut permits = ApprovalPermits::new(requester);
            for of in &taken {
                permits.count(*of, 1, true);
            }
            assert_eq!(permits.check(1).is_ok(), open, "{requester:?}");
        }
        // A person who acts under an agent's policy uses that agent's quota.
        let posing = ApprovalRequester {
            caller: "person",
            agent: Some("a0"),
        };
        assert!(!posing.is_person());
    }

    #[test]
    fn h17_bytes_are_bounded_for_one_for_all_and_for_each() {
        let mut permits = ApprovalPermits::new(agent("a"));
        assert_eq!(reason(&permits, MOST_BYTES_FOR_AN_AGENT + 1), "too-large");
        for _ in 0..4 {
            permits.check(MOST_BYTES_FOR_AN_AGENT).unwrap();
            // An answered approval is not counted as pending, but its bytes count.
            permits.count(agent("a"), MOST_BYTES_FOR_AN_AGENT, false);
        }
        assert_eq!(reason(&permits, 1), "too-large");
        let mut person = ApprovalPermits::new(PERSON);
        person.count(agent("a"), BYTES_OF_AGENTS, false);
        person.check(MOST_BYTES).unwrap();
        assert_eq!(reason(&person, MOST_BYTES + 1), "too-large");
    }
}
