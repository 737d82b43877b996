//! What an answer needs of the world outside of the vault.

use jiff::Zoned;

use crate::registry::Registry;

/// What an answer needs of the world outside of the vault, handed in so that equal surroundings
/// give equal answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// The instant and zone of the request.
    pub now: Zoned,
    /// A random number, fresh for every request, each `u64` as likely as any other.
    pub random: u64,
    /// The vaults that the app knows.
    pub registry: Registry,
}
