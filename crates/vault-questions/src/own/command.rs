//! A row of the table of own commands.

use vault_answers::OwnForm;

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
    pub(crate) const fn new(id: &'static str, serve: Serve, form: OwnForm) -> Self {
        Self { id, form, serve }
    }
}
