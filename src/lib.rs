//! The safe door between AI agents and an Obsidian vault.
//!
//! A request goes down the layers once and comes back once, typed more strictly at each step:
//! [`allowlist`] says what exists, [`tiers`] what is open, [`gateway`] is the way through,
//! [`backend`] answers, [`records`] keeps what has to outlast a call. `cli` is the interface for
//! people, [`bridge`] the one for agents, [`frontend`] what both share, and [`program`] starts them.

pub mod account;
pub mod allowlist;
pub mod backend;
pub mod bridge;
pub mod caller;
mod cli;
pub mod clock;
pub mod code;
mod digest;
pub mod environment;
pub mod failure;
pub mod frontend;
pub mod gateway;
pub mod issue;
pub mod issue_code;
mod json;
pub mod program;
pub mod records;
pub mod release;
pub mod settings;
mod signals;
pub mod status;
pub mod tiers;
