//! The gateway: takes a request through admission, policy, plan, backend and records to an envelope
//! (`design.md` §2). Start reading in `pass.rs`.

pub mod about;
mod answer;
mod answered;
mod approve;
mod change;
mod choice;
mod choose;
mod control;
mod core;
mod envelope;
mod envelope_builder;
mod events;
mod export;
mod file_change;
mod known_hash;
mod later_part;
mod note_text;
mod options;
mod pass;
mod patience;
mod precondition;
pub mod profile;
mod record;
mod remedy;
mod request;
mod scope;
mod sight;
mod state;
mod subject;
mod target;
mod undo;
mod vault;
mod vault_text;

pub use self::answered::Answered;
pub use self::control::Control;
pub use self::core::Gateway;
pub use self::envelope::{Envelope, ErrorBody, Meta, SCHEMA_VERSION};
pub use self::file_change::{FileChange, Happening};
pub use self::options::Options;
pub(crate) use self::remedy::{open_with, settings_lines, settings_words};
pub(crate) use self::request::is_id;
pub use self::request::{MAX_REQUEST_BYTES, Params, Request};
pub use crate::backend::cancel::Cancel;
pub use crate::caller::Caller;
pub use crate::status::{Answerer, Status};
