//! The text of a note as Obsidian reads it: properties, links, headings, tags, tasks, and the paths and names that may be
//! written in it.
//!
//! Works on texts alone. It opens no file and knows of no folder.

pub mod byte_order_mark;
pub mod cancellation;
pub mod edit_miss;
pub mod frontmatter;
pub mod limits;
pub mod name;
pub mod note_parts;
pub mod note_record;
pub mod note_rules;
pub mod path;
pub mod path_error;
pub mod resolve;
pub mod scan;
pub mod sha256;
pub mod uri;
pub mod warning;
pub mod word_counter;
