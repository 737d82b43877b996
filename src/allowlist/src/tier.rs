//! The cumulative capability tiers `v0` to `v2` of document 003, and the gateway's own `v3`.

use schemars::JsonSchema;

use protocol::words;

words! {
    /// The available part of the catalogue. Each tier includes the ones before it.
    #[derive(clap::ValueEnum, PartialOrd, Ord, Hash, JsonSchema)]
    pub enum Tier {
        /// Daily notes and random notes.
        V0 = "v0",
        /// Properties, tags, tasks, files and folders.
        V1 = "v1",
        /// History, links, bases, publish, templates.
        V2 = "v2",
        /// Search and all other useful commands.
        V3 = "v3",
    }
}
