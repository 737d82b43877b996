//! MCP tool annotations, derived from the effects of the command (`threats.toml` I11).

use serde::Serialize;

use allowlist::{Effect, EffectSet};

/// Hints of the protocol. They are advice for the client; the gateway enforces the policy itself.
/// The hint about repeated calls is left out: effects determine it only for reads, where the
/// protocol ignores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Changes neither the vault nor what the app shows, and sends nothing out of the vault.
    pub read_only_hint: bool,
    /// Can lose content. Left out for a tool that only reads, where the protocol ignores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Reaches beyond this machine.
    pub open_world_hint: bool,
}

impl Annotations {
    /// Returns the hints for a tool that can have these effects.
    pub fn from_effects(effects: EffectSet) -> Self {
        let reads_only = effects.iter().all(|effect| effect == Effect::Read);
        Self {
            read_only_hint: reads_only,
            destructive_hint: (!reads_only).then(|| effects.contains(Effect::Destroy)),
            open_world_hint: effects.contains(Effect::Publish),
        }
    }
}
