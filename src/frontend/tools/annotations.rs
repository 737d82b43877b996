//! Hints to the client about what a tool does, from the effects of its command (`faults.md` I11).

use serde::Serialize;

use crate::allowlist::{Effect, EffectSet};

/// The four hints of the protocol. Clients are told to distrust them; the gateway decides anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has four independent hints"
)]
pub struct Annotations {
    /// It changes neither the vault nor what the app shows, and takes nothing out of the vault.
    pub read_only_hint: bool,
    /// It can lose content.
    pub destructive_hint: bool,
    /// Calling it twice does no more than calling it once. Effects tell that of reads alone.
    pub idempotent_hint: bool,
    /// It reaches beyond this machine.
    pub open_world_hint: bool,
}

impl Annotations {
    /// The hints for a tool that can have these effects.
    pub fn of(effects: EffectSet) -> Self {
        let reads_only = effects.iter().all(|effect| effect == Effect::Read);
        Self {
            read_only_hint: reads_only,
            destructive_hint: effects.contains(Effect::Destroy),
            idempotent_hint: reads_only,
            open_world_hint: effects.contains(Effect::Publish),
        }
    }
}
