//! YAML documents, read from the events of `saphyr-parser` within limits.
//!
//! [`document()`] builds a tree of values with their places; [`events()`] gives the events
//! themselves, for callers that edit a text and need byte ranges; [`scalar`] has the types of scalars.

mod document;
mod events;
pub mod scalar;

pub use document::{Content, Entry, Fault, Limits, Node, Place, ReadError, Scalar, document};
pub use events::{Events, events};
pub use saphyr_parser::{Event, ScalarStyle, ScanError, Tag};
