//! The doors for agents.

pub(crate) mod call;
pub mod host;
mod lines;
pub(crate) mod mcp;
pub mod schema;
pub mod tool_shapes;
pub mod tools;
