//! What the command line adds to the settings.

use crate::allowlist::Tier;
use crate::caller::Caller;
use crate::settings::BackendChoice;

/// What the command line adds to the settings. It can only tighten the policy.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who is calling.
    pub caller: Caller,
    /// The vault, by name or absolute folder, instead of the one in the settings.
    pub vault: Option<String>,
    /// The backend instead of the one in the settings.
    pub backend: Option<BackendChoice>,
    /// Offer no more than this tier.
    pub tier: Option<Tier>,
    /// Time for one call in milliseconds, instead of the one in the settings.
    pub timeout_ms: Option<u64>,
    /// Act under this agent's policy.
    pub agent: Option<String>,
    /// A person approved whatever this process runs (`--yes`).
    pub approved: bool,
    /// Put the time into the envelope.
    pub timestamp: bool,
}

impl Options {
    /// No option given.
    pub const fn new(caller: Caller) -> Self {
        Self {
            caller,
            vault: None,
            backend: None,
            tier: None,
            timeout_ms: None,
            agent: None,
            approved: false,
            timestamp: false,
        }
    }
}
