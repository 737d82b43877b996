//! The interfaces for agents and programs: `call`, `mcp`, and the page of `review --web`.

pub(crate) mod call;
mod confine;
mod ending;
pub mod host;
mod http;
mod lines;
pub(crate) mod mcp;
pub(crate) mod review;
