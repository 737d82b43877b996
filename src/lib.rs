//! The safe door between AI agents and an Obsidian vault.
//!
//! A request goes down the layers once and comes back once, typed more strictly at each step:
//! [`allowlist`] says what exists, [`tiers`] what is open, [`gateway`] is the way through,
//! [`backend`] answers. [`cli`] is the door for people, [`bridge`] the one for agents.

pub mod account;
pub mod allowlist;
pub mod backend;
pub mod bridge;
pub mod cli;
pub mod clock;
pub mod code;
pub mod environment;
pub mod failure;
pub mod gateway;
pub mod issue;
pub mod issue_code;
pub mod release;
pub mod settings;
mod signals;
pub mod tiers;
