//! The pager: what of an answer can be cut, in which unit, and where. Texts are cut into parts, lists into pages of
//! complete items (`design/envelope.md`, `design/agents.md`; `threats.toml` F15).

mod budget;
mod part;
mod unit;
mod window;

pub use budget::{AnswerPlace, NextCall, truncate};
pub use part::{PrintedPart, WholeText, cut_out, part_of};
pub use unit::OFFSET;
pub use unit::Paging;
pub use window::{ListPage, cut_list};
