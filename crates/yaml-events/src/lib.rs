#![doc = include_str!("../README.md")]

mod document;
mod events;
pub mod scalar;

pub use document::{Content, Entry, Fault, Limits, Node, Place, ReadError, Scalar, document};
pub use events::{Events, events};
pub use saphyr_parser::{Event, ScalarStyle, ScanError, Tag};
