//! The interfaces for agents and programs: `call`, `mcp`, and the page of `review --web`.

pub mod call;
mod confine;
pub mod ending;
pub mod host;
pub mod http;
mod lines;
pub mod mcp;
