//! The input of a command.

use crate::args::Args;

use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// One call of a command.
#[derive(Clone, Copy)]
pub(crate) struct Call<'call> {
    /// The vault that is read or changed.
    pub(crate) vault: &'call Vault,
    /// The parameters and flags of the call.
    pub(crate) arguments: &'call Args,
    /// The time, and what else comes from outside of the vault.
    pub(crate) surroundings: &'call Surroundings,
}
