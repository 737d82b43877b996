//! A safe gateway between AI agents and an Obsidian vault.
//!
//! A request passes through the layers once and gets a stricter type at each step: [`allowlist`]
//! defines the commands, [`tiers`] decides what is allowed, [`gateway`] controls the flow,
//! [`backend`] answers, and [`records`] keeps what must outlast a call. `cli` is the interface for
//! people, [`bridge`] the one for agents, [`frontend`] what both share, and [`program`] starts them.

pub mod account;
pub mod allowlist;
pub mod backend;
pub mod bridge;
pub mod caller;
mod checked_text;
mod cli;
pub mod clock;
pub mod code;
pub mod deadline;
mod diagnostics;
mod digest;
pub mod environment;
pub mod failure;
pub mod frontend;
/// Access to private parsers, for the fuzz targets.
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    /// Parses bytes as the file of a journal entry.
    pub fn journal_entry(bytes: &[u8]) {
        crate::records::journal::check_entry_round_trip(bytes);
    }
}
pub mod gateway;
pub mod issue;
pub mod issue_code;
mod json;
pub mod message;
pub mod paging;
pub mod private_dir;
pub mod program;
pub mod records;
pub mod release;
#[cfg(target_os = "linux")]
pub mod run;
pub mod sandbox;
pub mod settings;
mod shell;
mod signals;
pub mod status;
pub mod tiers;
