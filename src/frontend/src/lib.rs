//! Shared by the interfaces for people and agents: global options, terminal output, rendering of
//! approvals, published schemas and tools.

pub mod approval_text;
pub mod display;
pub mod escape;
pub mod options;
mod pager;
mod sanitise;
pub mod schema;
pub mod setup;
pub mod skill;
pub mod terminal;
pub mod tool_shapes;
pub mod tools;
pub mod verb_names;

pub use display::{AnswerRows, Role, StyledLine, StyledText, Table};
pub use options::{ColourChoice, CommandLineOptions, LogFormat, OutputMode};
pub use terminal::{OutputStream, Terminal, WriteOutcome};
