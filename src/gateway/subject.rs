//! What the audit record of a call needs besides its envelope.

use serde_json::{Map, Value};

use super::change::Left;
use super::change::Unseen;
use super::file_change::FileChange;
use crate::allowlist::Call;
use crate::records::audit;
use crate::tiers::ApprovalDoor;

/// How a call was approved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Approved {
    /// The approval that was used, where one was asked for.
    pub(super) id: Option<String>,
    /// By which door the yes came; none where none was needed.
    pub(super) door: Option<ApprovalDoor>,
}

/// What the audit record of a call needs besides its envelope.
#[derive(Clone, Debug, Default)]
pub(super) struct AuditSubject {
    /// The parameters as the log keeps them, once they were understood.
    pub(super) params: Option<Map<String, Value>>,
    /// The approval that was used, and its door.
    pub(super) approved: Approved,
    /// The run that was undone.
    pub(super) undoes: Option<uuid::Uuid>,
    /// The notes of which copies were put outside of the vault.
    pub(super) exported: Vec<audit::LoggedFile>,
    /// What became of files that the caller may not know of: for the log alone.
    pub(super) unseen: Vec<audit::LoggedFile>,
    /// The closed notes whose links could not follow: for the log alone.
    pub(super) unseen_left: Left,
    /// Whether the intent of a change was recorded, which its result must follow.
    pub(super) is_intended: bool,
}

impl AuditSubject {
    /// The request named a command and gave it arguments that fit.
    pub(super) fn admitted(&mut self, call: &Call) {
        self.params = Some(audit::redacted(call));
    }

    /// The change goes on in files that the caller may not know of.
    pub(super) fn changes_unseen(&mut self, unseen: &Unseen) {
        self.unseen = unseen.files.iter().map(logged).collect();
        self.unseen_left = unseen.left;
    }

    /// The request asked about the gateway or its vault; nothing in that is note text.
    pub(super) fn asked(&mut self, params: &Map<String, Value>) {
        self.params = Some(params.clone());
    }
}

/// The file as the audit log keeps it: without its diff.
pub(super) fn logged(file: &FileChange) -> audit::LoggedFile {
    audit::LoggedFile {
        path: file.path.clone(),
        before_sha256: file.before_sha256.clone(),
        after_sha256: file.sha256.clone(),
    }
}
