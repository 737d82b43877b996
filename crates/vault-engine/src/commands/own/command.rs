//! A row of the table of own commands.

use cli_output::OwnForm;

use crate::commands::Serve;

/// One of the commands: what the catalogue and the gateway have to know of it.
pub(crate) struct OwnCommand {
    /// Its name in the catalogue.
    pub(crate) id: &'static str,
    /// What it answers with: `output` in the catalogue.
    pub(crate) form: OwnForm,
    pub(crate) serve: Serve,
}
