//! The facts of a call that its audit record has besides the envelope.

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::change::Left;
use crate::file_change::FileChange;
use store::audit;
use tiers::ApprovalChannel;

/// The approval of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approved {
    /// The id of the consumed approval, if one was required.
    pub id: Option<String>,
    /// The channel of the approval; `None` if no approval was needed.
    pub channel: Option<ApprovalChannel>,
}

impl Approved {
    /// A call that was approved in this way; with the id of the approval, if one was required.
    pub fn by(channel: ApprovalChannel, id: Option<String>) -> Self {
        let channel = Some(channel);
        Self { id, channel }
    }
}

/// Facts for the audit record of a call that its envelope does not contain.
#[derive(Clone, Debug, Default)]
pub struct AuditSubject {
    /// Name and version of the client program, as it says itself. Not verified.
    pub client: Option<String>,
    /// The parameters, without the texts of notes; `None` until the request is admitted.
    pub params: Option<Map<String, Value>>,
    /// The approval of the call.
    pub approved: Approved,
    /// The run that was undone or redone.
    pub undoes: Option<Uuid>,
    /// The notes that were copied out of the vault.
    pub exported: Vec<audit::LoggedFile>,
    /// Changes to files that the caller may not see; logged, never answered.
    pub unseen: Vec<audit::LoggedFile>,
    /// The number of closed notes whose links could not be updated; logged, never answered.
    pub unseen_left: Left,
    /// Whether an intent was recorded. The end of the call is then recorded as a result.
    pub is_intended: bool,
}

/// Returns the file as the audit log has it.
pub fn logged(file: &FileChange) -> audit::LoggedFile {
    audit::LoggedFile {
        path: file.path.clone(),
        before_sha256: file.before_sha256.clone(),
        after_sha256: file.sha256.clone(),
    }
}
