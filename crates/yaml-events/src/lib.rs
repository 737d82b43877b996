//! YAML documents, read from the events of `saphyr-parser` within limits.
//!
//! [`document()`] makes a tree of values that know where they stand; [`events()`] gives the events
//! themselves, for callers that edit a text and need the bytes of each.

mod document;
mod events;

pub use document::{Content, Entry, Fault, Limits, Node, Place, ReadError, Scalar, document};
pub use events::{Events, events};
pub use saphyr_parser::{Event, ScalarStyle, ScanError, Tag};
