//! A command that changes a folder, and the edit that it plans.

use std::sync::Arc;

use cli_output::{Answer, OwnForm};
use obsidian_note::{EditMiss, Warning};
use vault_files::{Call, EngineError};

use super::change::Change;
use super::move_file::{RenamedAnchor, TextMove};

/// A planned edit, which is not applied yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// The app's answer once the edit is applied.
    pub answer: Answer,
    /// The steps, in the order in which they are taken.
    pub changes: Vec<Change>,
    /// Warnings about the plan.
    pub warnings: Vec<Warning>,
    /// Set if nothing shows that the caller knows the text that is replaced. It says why the edit
    /// may only be applied for a caller that sends the hash of the note (`threats.toml` F16).
    pub unread: Option<Box<EditMiss>>,
    /// Whether it replaces all of a note's text, as `create overwrite` does, although the command
    /// in general does not.
    pub is_overwrite: bool,
    /// The heading or block that it renames, for the links in notes that the caller may not see.
    pub renamed: Option<Box<RenamedAnchor>>,
    /// Set if the text of a note gets into another note, so that links follow it although no file is moved.
    pub text_move: Option<Arc<TextMove>>,
}

impl Edit {
    /// Whether links in other notes follow: it moves a file, or a text, or renames a heading or block.
    pub fn takes_links_along(&self) -> bool {
        let moves = |change: &Change| matches!(change, Change::Move { to, .. } if !to.is_hidden());
        self.renamed.is_some() || self.text_move.is_some() || self.changes.iter().any(moves)
    }

    /// An edit with this answer, changes and warnings.
    pub fn new(answer: impl Into<Answer>, changes: Vec<Change>, warnings: Vec<Warning>) -> Self {
        Self {
            answer: answer.into(),
            changes,
            warnings,
            unread: None,
            is_overwrite: false,
            renamed: None,
            text_move: None,
        }
    }
}

pub(super) type PlanEdit = fn(&Call<'_>) -> Result<Edit, EngineError>;

/// A command that changes a folder. Its file declares it next to the function that plans it.
pub(super) struct EditCommand {
    pub(super) id: &'static str,
    pub(super) plan: PlanEdit,
    /// The form of the answer of a gateway's own command; `None` for a command of the app.
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

    /// Returns a command of the gateway's own, which the app does not have.
    pub(super) const fn own(id: &'static str, plan: PlanEdit, form: &'static OwnForm) -> Self {
        Self {
            id,
            plan,
            form: Some(form),
        }
    }
}
