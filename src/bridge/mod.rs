//! The doors for agents.

pub mod call;
pub mod schema;
pub mod tool_shapes;
pub mod tools;
