//! What the interface for people and the one for agents share: the options of the command line, the
//! terminal, how an approval is shown, and the schemas and tools that are published.

pub(crate) mod approval_text;
pub(crate) mod escape;
pub(crate) mod options;
mod sanitise;
pub mod schema;
pub(crate) mod setup;
pub(crate) mod terminal;
pub mod tool_shapes;
pub mod tools;
pub(crate) mod verb_names;
