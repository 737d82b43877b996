//! The interfaces for agents.

pub(crate) mod call;
mod confine;
pub mod host;
mod lines;
pub(crate) mod mcp;
