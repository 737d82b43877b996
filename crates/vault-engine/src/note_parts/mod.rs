//! A note cut into lines, and its parts as commands name them: a heading, a block with an id,
//! lines, or a text that nearly occurs. Edits and reads both find them here.

pub(crate) mod block;
mod excerpt;
pub(crate) mod heading;
pub(crate) mod lines;
mod near_miss;
mod sheet;

pub(crate) use self::excerpt::Excerpt;
pub(crate) use self::lines::hash_of_lines;
pub(crate) use self::near_miss::{NearPlace, difference, near_places, nearest, surroundings};
pub(crate) use self::sheet::{Patch, Sheet, same_length, whole_lines};
