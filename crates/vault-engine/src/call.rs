//! What a command is called with.

use cli_output::Arguments;

use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// One call of a command.
#[derive(Clone, Copy)]
pub(crate) struct Call<'call> {
    /// The vault that is asked or changed.
    pub(crate) vault: &'call Vault,
    /// What was given with the command.
    pub(crate) arguments: &'call Arguments,
    /// The time, and what else comes from outside of the vault.
    pub(crate) surroundings: &'call Surroundings,
}
