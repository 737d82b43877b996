//! Tests of the whole: recorded outputs, and properties of every shape.

mod round_trip;
mod transcripts;
