//! The doors for agents.

pub mod call;
pub mod schema;
pub mod tools;
