//! A command that changes a folder, and the edit that it plans.

use obsidian_note::{EditMiss, Warning};
use vault_answers::{Answer, OwnForm};
use vault_files::{Call, EngineError};

use super::bond::{Bond, Carried};
use super::change::Change;

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
    /// The files that belong together, because a text got into another note or a heading got another name: links
    /// follow although no file is moved. An edit of several commands may have several.
    pub bonds: Vec<Bond>,
}

impl Edit {
    /// Whether links in other notes follow: it moves a file, or a text, or renames a heading or block.
    pub fn takes_links_along(&self) -> bool {
        let moves = |change: &Change| matches!(change, Change::Move { to, .. } if !to.is_hidden());
        !self.bonds.is_empty() || self.changes.iter().any(moves)
    }

    /// Returns the edit as one that carries this from file to file, so that all files that it changes belong together.
    pub(crate) fn carrying(mut self, carried: Carried) -> Self {
        self.bonds.push(Bond::of_changes(&self.changes, carried));
        self
    }

    /// An edit with this answer, changes and warnings.
    pub fn new(answer: impl Into<Answer>, changes: Vec<Change>, warnings: Vec<Warning>) -> Self {
        Self {
            answer: answer.into(),
            changes,
            warnings,
            unread: None,
            is_overwrite: false,
            bonds: Vec::new(),
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
