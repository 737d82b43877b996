//! Why an approval does not count: always `APPROVAL_REQUIRED`, with the reason for programs.

use crate::code::Code;
use crate::failure::Failure;

/// Why an approval does not count, as `details.reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is none of this name.
    Unknown,
    /// Nobody has granted it.
    Pending,
    /// A person said no.
    Denied,
    /// It was granted, or asked for, too long ago.
    Expired,
    /// It was used already.
    Used,
    /// A parameter or a file is another than the one that was approved.
    PlanChanged,
    /// Too many calls wait already.
    TooMany,
    /// The plan is too long to be shown to anybody.
    TooLarge,
}

impl Reason {
    /// The name in `details.reason`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Pending => "pending",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Used => "used",
            Self::PlanChanged => "plan-changed",
            Self::TooMany => "too-many",
            Self::TooLarge => "too-large",
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Unknown => {
                "No approval of this name is known. Send the call without it; the answer names the \
                 approval that it needs."
            }
            Self::Pending => {
                "Nobody has granted this approval yet. Send the call again once a person has."
            }
            Self::Denied => {
                "A person has denied this call. Do not send it again unless you are told to."
            }
            Self::Expired => {
                "This approval was asked for more than ten minutes ago and counts no more. Send the \
                 call without it to ask anew."
            }
            Self::Used => {
                "This approval was used already; each counts once. Send the call without it to ask \
                 anew."
            }
            Self::PlanChanged => {
                "What was approved is not what this call would do now: a parameter is another, or a \
                 note has changed. Nothing was changed. Send the call without the approval to ask \
                 anew."
            }
            Self::TooMany => {
                "Too many calls wait for an approval. A person has to answer them first."
            }
            Self::TooLarge => {
                "The plan of this call is too long for a person to be asked about. Do it in smaller \
                 steps."
            }
        }
    }

    /// The failure.
    pub(super) fn failure(self) -> Failure {
        Failure::new(Code::ApprovalRequired, self.message()).with("reason", self.name())
    }
}
