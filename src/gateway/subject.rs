//! Facts for the audit record of a call that its envelope does not contain.

use serde_json::{Map, Value};

use super::change::Left;
use super::change::Unseen;
use super::file_change::FileChange;
use crate::allowlist::Call;
use crate::records::audit;
use crate::tiers::ApprovalChannel;

/// The approval of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Approved {
    /// The id of the consumed approval, if one was required.
    pub(super) id: Option<String>,
    /// The channel of the approval; `None` if no approval was needed.
    pub(super) channel: Option<ApprovalChannel>,
}

/// Facts for the audit record of a call that its envelope does not contain.
#[derive(Clone, Debug, Default)]
pub(super) struct AuditSubject {
    /// Name and version of the client program, as it says itself. Not verified.
    pub(super) client: Option<String>,
    /// The redacted parameters; `None` until the request is admitted.
    pub(super) params: Option<Map<String, Value>>,
    /// The approval of the call.
    pub(super) approved: Approved,
    /// The run that was undone or redone.
    pub(super) undoes: Option<uuid::Uuid>,
    /// The notes that were copied out of the vault.
    pub(super) exported: Vec<audit::LoggedFile>,
    /// Changes to files that the caller may not see; logged, never answered.
    pub(super) unseen: Vec<audit::LoggedFile>,
    /// The number of closed notes whose links could not be updated; logged, never answered.
    pub(super) unseen_left: Left,
    /// Whether an intent was recorded. The end of the call is then recorded as a result.
    pub(super) is_intended: bool,
}

impl AuditSubject {
    /// Records the redacted parameters of an admitted call.
    pub(super) fn admitted(&mut self, call: &Call) {
        self.params = Some(audit::redacted(call));
    }

    /// Records the changes to files that the caller may not see.
    pub(super) fn changes_unseen(&mut self, unseen: &Unseen) {
        self.unseen = unseen.files.iter().map(logged).collect();
        self.unseen_left = unseen.left;
    }

    /// Records the parameters of a question about the gateway, which contain no note text to
    /// redact.
    pub(super) fn record_question(&mut self, params: &Map<String, Value>) {
        self.params = Some(params.clone());
    }
}

/// Returns the change as the audit log stores it, without its diff.
pub(super) fn logged(file: &FileChange) -> audit::LoggedFile {
    audit::LoggedFile {
        path: file.path.clone(),
        before_sha256: file.before_sha256.clone(),
        after_sha256: file.sha256.clone(),
    }
}
