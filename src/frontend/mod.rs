//! Shared by the interfaces for people and agents: global options, terminal output, rendering of
//! approvals, published schemas and tools.

pub(crate) mod approval_text;
pub(crate) mod display;
pub(crate) mod escape;
pub(crate) mod options;
mod pager;
mod sanitise;
pub mod schema;
pub(crate) mod setup;
pub mod skill;
pub(crate) mod terminal;
pub mod tool_shapes;
pub mod tools;
pub(crate) mod verb_names;
