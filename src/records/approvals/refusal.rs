//! Why an approval does not count: always `APPROVAL_REQUIRED`, with the reason for programs.

use crate::code::Code;
use crate::failure::{DENIED, Failure};

/// Why an approval does not count, as `details.reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// No approval has this id.
    Unknown,
    /// No person has answered it yet.
    Pending,
    /// A person denied it.
    Denied,
    /// It was requested, or granted, more than ten minutes ago.
    Expired,
    /// An earlier call has used it.
    Used,
    /// The call's parameters or a file differ from the approved plan.
    PlanChanged,
    /// It was granted in a way that `approve_by` in the settings does not list.
    ChannelClosed,
    /// The caller has as many pending approvals as it may.
    TooMany,
    /// The plan is larger than the store accepts.
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
            Self::ChannelClosed => "door-closed",
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
            Self::ChannelClosed => {
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

    /// The `APPROVAL_REQUIRED` failure with `details.reason` and a message for people.
    pub(super) fn failure(self) -> Failure {
        Code::ApprovalRequired.failure(self.message()).with("reason", self.name())
    }
}
