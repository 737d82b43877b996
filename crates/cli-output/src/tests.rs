//! Tests of the whole crate: recorded outputs, and properties of every shape.

mod round_trip;
mod transcripts;
