//! The inputs of an answer from outside of the vault.

use jiff::Zoned;

use crate::registry::Registry;

/// The inputs of an answer from outside of the vault: clock, randomness, the app's registry. They
/// are passed in, so that equal inputs give equal answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// The instant and zone of the request.
    pub now: Zoned,
    /// A random number, fresh for every request, each `u64` as likely as any other.
    pub random: u64,
    /// The vaults that the app knows.
    pub registry: Registry,
}
