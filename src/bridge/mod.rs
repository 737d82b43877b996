//! The doors for agents.

pub mod call;
pub(crate) mod mcp;
pub mod schema;
pub mod tool_shapes;
pub mod tools;
