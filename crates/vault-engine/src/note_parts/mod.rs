//! A note cut into lines, and its parts as a command names them: a heading, a block with an id, lines, or a text
//! that it nearly holds. An edit finds them here, and so does a command that reads them.

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
