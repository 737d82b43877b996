//! A note cut into lines, and its parts as commands name them: a heading, a block with an id,
//! lines, or a text that nearly occurs. Edits and reads both find them here.

pub mod anchor;
pub mod block;
mod excerpt;
pub mod heading;
pub mod lines;
mod near_miss;
mod plugin_note;
mod sheet;

pub use self::excerpt::Excerpt;
pub use self::lines::hash_of_lines;
pub use self::near_miss::{NearPlace, difference, near_places, nearest, surroundings};
pub use self::plugin_note::PluginNote;
pub use self::sheet::{Patch, Sheet, most_line_ends, same_length, whole_lines};
