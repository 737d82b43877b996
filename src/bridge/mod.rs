//! The doors for agents.

pub(crate) mod call;
pub mod host;
pub mod schema;
