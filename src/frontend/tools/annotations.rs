//! MCP tool annotations, derived from the effects of the command (`faults.md` I11).

use serde::Serialize;

use crate::allowlist::{Effect, EffectSet};

/// The four hints of the protocol. They are advice for the client; the gateway enforces the policy
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has four independent hints"
)]
pub struct Annotations {
    /// Changes neither the vault nor what the app shows, and sends nothing out of the vault.
    pub read_only_hint: bool,
    /// Can lose content.
    pub destructive_hint: bool,
    /// Calling it twice has the same effect as calling it once. Effects only show this for reads.
    pub idempotent_hint: bool,
    /// Reaches beyond this machine.
    pub open_world_hint: bool,
}

impl Annotations {
    /// The hints for a tool that can have these effects.
    pub fn from_effects(effects: EffectSet) -> Self {
        let reads_only = effects.iter().all(|effect| effect == Effect::Read);
        Self {
            read_only_hint: reads_only,
            destructive_hint: effects.contains(Effect::Destroy),
            idempotent_hint: reads_only,
            open_world_hint: effects.contains(Effect::Publish),
        }
    }
}
