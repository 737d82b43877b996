//! Who answers a call: the official binary with the running app, or the engine in this program.

pub mod app_error;
pub mod obsidian;
