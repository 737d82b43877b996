//! A command that changes a folder, and what it works out.

use cli_output::{Answer, Confirmation, OwnForm};

use super::change::Change;
use crate::call::Call;
use crate::edit_miss::EditMiss;
use crate::error::EngineError;
use crate::warning::Warning;

/// What a command would do, worked out and not done.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// What the app says when it is done.
    pub answer: Answer,
    /// The steps, in the order in which they are taken.
    pub changes: Vec<Change>,
    /// What should be known besides.
    pub warnings: Vec<Warning>,
    /// Set where nothing shows that the caller knows the text that is replaced: why the edit may be
    /// applied only for a caller that knows the hash of the note (`faults.md` F16).
    pub unread: Option<Box<EditMiss>>,
    /// Whether it puts other text in the place of all that a note says, as `create overwrite` does,
    /// although the command as such does not.
    pub is_overwrite: bool,
}

impl Edit {
    /// An edit whose answer is `answer`.
    pub(crate) fn new(answer: Answer, changes: Vec<Change>) -> Self {
        Self {
            answer,
            changes,
            warnings: Vec::new(),
            unread: None,
            is_overwrite: false,
        }
    }

    /// An edit of which the app says that it did this.
    pub(crate) fn confirmed(
        done: Confirmation,
        changes: Vec<Change>,
        warnings: Vec<Warning>,
    ) -> Self {
        Self {
            warnings,
            ..Self::new(Answer::Confirmation(done), changes)
        }
    }
}

pub(super) type PlanEdit = fn(&Call<'_>) -> Result<Edit, EngineError>;

/// A command that changes a folder. Its file declares it beside the function that plans it.
pub(super) struct EditCommand {
    pub(super) id: &'static str,
    pub(super) plan: PlanEdit,
    /// What a command of the gateway's own answers with.
    pub(super) form: Option<&'static OwnForm>,
}

impl EditCommand {
    pub(super) const fn new(id: &'static str, plan: PlanEdit) -> Self {
        Self {
            id,
            plan,
            form: None,
        }
    }

    /// A command of the gateway's own, which the app does not have.
    pub(super) const fn own(id: &'static str, plan: PlanEdit, form: &'static OwnForm) -> Self {
        Self {
            id,
            plan,
            form: Some(form),
        }
    }
}
