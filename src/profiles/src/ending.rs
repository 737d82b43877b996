//! The endings of a call, and their exit statuses in other contracts.

use changes::Envelope;
use protocol::{Code, Issue, Status};

/// The outcomes that the exit statuses of the profiles distinguish (`contracts.md` §2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The call succeeded and has a result.
    Done,
    /// Done, with an empty list.
    NoMatches,
    /// Done; an audit of the vault found violations.
    Violations,
    /// The call was wrong: an unknown word, or a missing or invalid argument.
    Usage,
    /// No such note, folder, vault or settings file.
    NotFound,
    /// The file exists already, or another program is writing it.
    CannotCreate,
    /// Refused by the gateway.
    Refused,
    /// Anything else that went wrong.
    Failed,
}

impl Ending {
    /// Every ending with a short description for the documentation, successes first.
    pub(super) const ALL: [(Self, &'static str); 8] = [
        (Self::Done, "done"),
        (Self::NoMatches, "nothing to list"),
        (Self::Violations, "an audit found something"),
        (Self::Usage, "wrong words"),
        (Self::NotFound, "not found"),
        (Self::CannotCreate, "there already, or locked"),
        (Self::Refused, "refused by policy"),
        (Self::Failed, "any other failure"),
    ];

    /// Returns the ending of this envelope's call.
    pub(super) fn from_envelope(envelope: &Envelope) -> Self {
        match &envelope.error {
            Some(error) => Self::from_code(error.code),
            // Only doubts are not violations (`contracts.md` M45).
            None if envelope.violations.iter().any(|issue| !is_doubt(issue)) => Self::Violations,
            None if envelope.status == Status::NoMatches => Self::NoMatches,
            None => Self::Done,
        }
    }

    /// Returns the ending of a call that fails with this code.
    pub(super) const fn from_code(code: Code) -> Self {
        match code {
            Code::FileExists | Code::LockTimeout => Self::CannotCreate,
            _ if code.is_refusal() => Self::Refused,
            _ => match code.exit() {
                64 => Self::Usage,
                66 => Self::NotFound,
                _ => Self::Failed,
            },
        }
    }
}

/// Whether the issue is only a doubt of an audit, and not a violation.
pub(super) fn is_doubt(issue: &Issue) -> bool {
    let severity = issue.details.get("severity");
    severity.is_some_and(|severity| *severity == "warning")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    #[test]
    fn every_code_ends_as_its_exit_status_says() {
        for code in Code::ALL {
            let expected = match code.exit() {
                64 => Ending::Usage,
                66 => Ending::NotFound,
                73 => Ending::CannotCreate,
                77 => Ending::Refused,
                75 if code == Code::LockTimeout => Ending::CannotCreate,
                _ => Ending::Failed,
            };
            assert_eq!(Ending::from_code(code), expected, "{code}");
        }
    }

    #[test]
    fn no_failure_of_any_profile_looks_like_success() {
        for profile in Profile::ALL {
            let exits = profile.contract().exits;
            for code in Code::ALL {
                assert_ne!(
                    exits[Ending::from_code(code) as usize],
                    0,
                    "{profile:?} {code}"
                );
            }
        }
    }
}
