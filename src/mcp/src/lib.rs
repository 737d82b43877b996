//! The interfaces for agents and programs: `call` and `mcp`, and what the page of `review --web` shares with them: [`http`] and
//! [`ending`].

pub mod call;
mod confine;
pub mod ending;
mod error;
pub mod host;
pub mod http;
mod lines;
pub mod mcp;
