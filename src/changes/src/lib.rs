//! What a call asks, what it would change, and what it did: the request, the plan of a change and the evidence
//! afterwards, the findings of active content, and the envelope. Nothing here decides or calls a backend by itself;
//! that is the way through, in `gateway`.

pub mod change;
pub mod choice;
pub mod control;
pub mod data;
pub mod envelope;
pub mod envelope_builder;
mod error;
pub mod file_change;
pub mod findings;
pub mod kept;
pub mod known_hash;
pub mod later_part;
pub mod note_text;
pub mod options;
pub mod patience;
pub mod precondition;
pub mod remedy;
pub mod request;
pub mod subject;
pub mod summary;
pub mod taint_meta;
pub mod vault_place;
pub mod vault_text;
