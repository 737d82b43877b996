//! Bases from outside: values that the real app gave, the language, whole queries, and bounds.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test program")]

mod bounds;
mod documentation;
mod golden;
mod hostile;
mod language;
mod notes;
mod oracle;
mod queries;
