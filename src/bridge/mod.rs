//! The interfaces for agents.

pub(crate) mod call;
pub mod host;
mod lines;
pub(crate) mod mcp;
