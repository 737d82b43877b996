//! A row of the table of own commands.

use schemars::JsonSchema;
use vault_answers::{AnswerData, OwnForm, OwnText};

use crate::Serve;

/// One own command: what the catalogue and the gateway need to know about it.
pub(crate) struct OwnCommand {
    /// Its id in the catalogue, such as `notes:find`.
    pub(crate) id: &'static str,
    /// The form of its answer: `output` in the catalogue.
    pub(crate) form: OwnForm,
    pub(crate) serve: Serve,
}

impl OwnCommand {
    /// A command whose answers are of one type, without `total`.
    pub(super) const fn new<T: AnswerData + JsonSchema>(
        id: &'static str,
        form: &'static str,
        serve: Serve,
    ) -> Self {
        let form = OwnForm::new::<T>(form);
        Self { id, form, serve }
    }

    /// The same command, in whose form `total` gives a bare number.
    pub(super) const fn with_total(mut self) -> Self {
        self.form.has_total = true;
        self
    }

    /// The same command, which keeps its answer within a budget.
    pub(super) const fn with_budget(mut self, budget: usize) -> Self {
        self.form.budget = Some(budget);
        self
    }

    /// The same command, with this kind of text.
    pub(super) const fn telling(mut self, text: OwnText) -> Self {
        self.form.text = text;
        self
    }

    /// The same command, whose cut answers continue with `offset`, in characters.
    pub(super) const fn with_text_pages(mut self) -> Self {
        self.form.has_text_pages = true;
        self
    }
}
