//! The cumulative capability tiers `v0` to `v2` of document 003, and the gateway's own `v3`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The available part of the catalogue. Each tier includes the ones before it.
#[derive(
    clap::ValueEnum,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Daily notes and random notes.
    V0,
    /// Properties, tags, tasks, files and folders.
    V1,
    /// History, links, bases, publish, templates.
    V2,
    /// Search and all other useful commands.
    V3,
}

impl Tier {
    /// Every tier, smallest first.
    pub const ALL: [Self; 4] = [Self::V0, Self::V1, Self::V2, Self::V3];

    /// Returns the name used in settings and the envelope.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
        }
    }
}
