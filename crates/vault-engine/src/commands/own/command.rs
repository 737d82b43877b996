//! A row of the table of own commands.

use cli_output::{Arguments, OwnForm};

use super::view::View;
use crate::commands::reply::Reply;
use crate::error::EngineError;
use crate::surroundings::Surroundings;

/// Answers one of the commands.
pub(crate) type OwnServe = fn(&View<'_>, &Arguments, &Surroundings) -> Result<Reply, EngineError>;

/// One of the commands: what the catalogue and the gateway have to know of it.
pub(crate) struct OwnCommand {
    /// Its name in the catalogue.
    pub(crate) id: &'static str,
    /// What it answers with: `output` in the catalogue.
    pub(crate) form: OwnForm,
    /// `None` for a command that [`super::plan_export`] plans.
    pub(crate) serve: Option<OwnServe>,
}
