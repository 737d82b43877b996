//! The types that cross every wall: codes, messages, failures, warnings and callers.
//!
//! A fact travels as a type, and its sentence is made last, for one reader ([`message`]). Nothing
//! here knows a command, a rule or a vault.

pub mod caller;
pub mod checked_text;
pub mod code;
pub mod deadline;
pub mod digest;
pub mod failure;
pub mod issue;
pub mod issue_code;
pub mod json;
pub mod message;
pub mod release;
pub mod shell;
pub mod status;
pub mod words;
