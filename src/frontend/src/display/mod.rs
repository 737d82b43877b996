//! Text for a person at a terminal, with roles, laid out to its width (`design/command-line.md`).
//!
//! Everything here is made of [`StyledText`], which removes control sequences from all text added to it. So vault
//! text never reaches a terminal with a sequence of its own (`threats.toml` F05).

pub mod answer;
mod diff;
mod hits;
mod role;
mod rows;
mod styled_text;
mod table;
mod wrap;

pub use diff::role as plan_role;
pub use role::Role;
pub use rows::AnswerRows;
pub use styled_text::{StyledLine, StyledText};
pub use table::Table;
