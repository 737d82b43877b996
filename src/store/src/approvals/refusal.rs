//! Reasons why an approval is not accepted. The code is always `APPROVAL_REQUIRED`; the reason is
//! for programs.

use protocol::{Code, Failure, failure::DENIED};

/// Reason why an approval is not accepted, as `details.reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// No approval has this id.
    Unknown,
    /// No person has answered the request yet.
    Pending,
    /// A person denied the request.
    Denied,
    /// The request, or the grant, is more than ten minutes old.
    Expired,
    /// An earlier call used the approval.
    Used,
    /// The call's parameters or a file differ from the approved plan.
    PlanChanged,
    /// The approval was granted through a channel that `approve_by` in the settings does not list.
    ChannelClosed,
    /// The caller has as many pending approvals as it may.
    TooMany,
    /// The plan is larger than the store accepts.
    TooLarge,
}

impl RefusalReason {
    /// Returns the name in `details.reason`.
    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    /// Returns the name in `details.reason`, the message and the hint.
    const fn texts(self) -> (&'static str, &'static str, &'static str) {
        const REQUEST_ANOTHER: &str =
            "Repeat the call without `approval` to request a new approval.";
        match self {
            Self::Unknown => (
                "unknown",
                "No approval has this id.",
                "Repeat the call without `approval`. The answer has the id of the approval that the call needs.",
            ),
            Self::Pending => (
                "pending",
                "This approval is still pending.",
                "Repeat the call after the owner of the vault has granted the approval at their machine.",
            ),
            Self::Denied => (
                DENIED,
                "A person has denied this call.",
                "Do not repeat the call unless a person asks for it.",
            ),
            Self::Expired => (
                "expired",
                "This approval has expired. It was requested more than ten minutes ago.",
                REQUEST_ANOTHER,
            ),
            Self::Used => (
                "used",
                "This approval was already used. Each approval works once.",
                REQUEST_ANOTHER,
            ),
            Self::PlanChanged => (
                "plan-changed",
                "The approval does not match the call. A parameter is different, or a note has changed since the request. Nothing was changed.",
                REQUEST_ANOTHER,
            ),
            Self::ChannelClosed => (
                "door-closed",
                "This approval is not valid. It was granted in a way that the setting `approve_by` \
                does not allow.",
                "Ask the owner of the vault to approve the call in a way that `approve_by` allows.",
            ),
            Self::TooMany => (
                "too-many",
                "Too many calls wait for an approval.",
                "Pending approvals expire after ten minutes. The owner of the vault can approve or deny them earlier.",
            ),
            Self::TooLarge => (
                "too-large",
                "The change is too large to wait for an approval.",
                "Split the change into several smaller calls.",
            ),
        }
    }

    /// Returns the `APPROVAL_REQUIRED` failure with `details.reason` and a message for people.
    pub(super) fn failure(self) -> Failure {
        let (name, what, hint) = self.texts();
        Code::ApprovalRequired
            .failure(what)
            .hint(hint)
            .with("reason", name)
    }
}
