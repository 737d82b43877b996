//! Finds active content in a text, and whether the text had it before: `config/active_content.toml` has the kinds.

mod address;
mod code;
mod formula;
mod html;
mod note;
mod result;
mod sheet;
mod table;
#[cfg(test)]
mod tests;

pub use self::note::unmarked;
pub use self::result::Finding;
pub use self::result::{FileResult, Form, MovedFiles, ShownText, findings};
pub use self::sheet::UNREADABLE;
pub use self::table::Table;
