//! A safe gateway between AI agents and an Obsidian vault.
//!
//! A request passes through the layers once and gets a stricter type at each step: [`allowlist`]
//! defines the commands, [`tiers`] decides what is allowed, [`gateway`] controls the flow,
//! [`backend`] answers, and [`records`] keeps what must outlast a call. `cli` is the interface for
//! people, [`bridge`] the one for agents, [`frontend`] what both share, and [`program`] starts them.
//!
//! All but `cli` and `program` are crates; here they have the names under which tests and tools use them.

pub use allowlist;
pub use sandbox::account;
/// The two backends: the embedded engine, and the official command line.
pub mod backend {
    pub use ::backend::*;
    pub use obsidian_cli as obsidian;
}
/// The servers for agents and programs, and the review page.
pub mod bridge {
    pub use ::mcp::*;
    pub use ::review;
}
mod cli;
pub use frontend;
pub use sandbox::{clock, environment};
/// Access to private parsers, for the fuzz targets.
#[cfg(fuzzing)]
pub mod fuzzing {
    /// Parses bytes as the file of a journal entry.
    pub fn journal_entry(bytes: &[u8]) {
        store::journal::check_entry_round_trip(bytes);
    }
}
/// The way of a call, and the forms of other contracts for its answer.
pub mod gateway {
    pub use ::gateway::*;
    pub use profiles as profile;
}
pub use allowlist::paging;
pub use sandbox::private_dir;
pub mod program;
#[cfg(target_os = "linux")]
pub use fence as run;
pub use protocol;
pub use sandbox;
pub use settings;
pub use store as records;
pub use tiers;
