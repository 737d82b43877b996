//! Tests that need several layers of the engine.

mod cancellation;
mod followed;
mod note_rules;
#[cfg(unix)]
mod symlinks;
