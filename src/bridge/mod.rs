//! The interfaces for agents.

pub(crate) mod call;
mod confine;
mod ending;
pub mod host;
mod http;
mod lines;
pub(crate) mod mcp;
pub(crate) mod review;
