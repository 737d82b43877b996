//! Why an approval does not count: always `APPROVAL_REQUIRED`, with the reason for programs.

use crate::code::Code;
use crate::failure::{DENIED, Failure};

/// Why an approval does not count, as `details.reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// There is none of this name.
    Unknown,
    /// It was not answered yet.
    Pending,
    /// A person said no.
    Denied,
    /// It was granted, or asked for, too long ago.
    Expired,
    /// It was used already.
    Used,
    /// A parameter or a file is another than the one that was approved.
    PlanChanged,
    /// It was granted by a door that `approve_by` in the settings does not list.
    DoorClosed,
    /// Too many calls wait already.
    TooMany,
    /// The plan is larger than one that is kept.
    TooLarge,
}

impl RefusalReason {
    /// The name in `details.reason`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Pending => "pending",
            Self::Denied => DENIED,
            Self::Expired => "expired",
            Self::Used => "used",
            Self::PlanChanged => "plan-changed",
            Self::DoorClosed => "door-closed",
            Self::TooMany => "too-many",
            Self::TooLarge => "too-large",
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Unknown => {
                "No approval has this id. Send the call without `approval`; the answer names the one \
                that it needs."
            }
            Self::Pending => {
                "This approval is still pending. Send the call again after the owner of the vault has \
                granted it at their machine."
            }
            Self::Denied => "A person has denied this call. Do not send it again unless asked to.",
            Self::Expired => {
                "This approval has expired; it was requested more than ten minutes ago. Send the call \
                without `approval` to request a new one."
            }
            Self::Used => {
                "This approval was already used; each works once. Send the call without `approval` to \
                request a new one."
            }
            Self::PlanChanged => {
                "The approval does not match the call: a parameter differs, or a note has changed since. \
                Nothing was changed. Send the call without `approval` to request a new one."
            }
            Self::DoorClosed => {
                "`approve_by` in the settings does not list the way by which this approval came, so \
                 it does not count. The owner of the vault can approve the call by another one."
            }
            Self::TooMany => {
                "Too many calls wait for an approval. They expire after ten minutes; the owner of \
                 the vault can answer them before that."
            }
            Self::TooLarge => {
                "The plan of this call is too large to be kept for an approval. Do it in smaller \
                 steps."
            }
        }
    }

    /// The failure.
    pub(super) fn failure(self) -> Failure {
        Failure::new(Code::ApprovalRequired, self.message()).with("reason", self.name())
    }
}
