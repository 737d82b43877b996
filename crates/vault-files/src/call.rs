//! The input of a command.

use crate::args::Args;

use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// One call of a command.
#[derive(Clone, Copy)]
pub struct Call<'call> {
    /// The vault that is read or changed.
    pub vault: &'call Vault,
    /// The parameters and flags of the call.
    pub arguments: &'call Args,
    /// The time, and what else comes from outside of the vault.
    pub surroundings: &'call Surroundings,
}
