//! What a call asks, what it would change, and what it did: the request, the plan of a change and the evidence
//! afterwards, the findings of active content, and the envelope. Nothing here decides or calls a backend by itself;
//! that is the way through, in `gateway`.

pub mod change;
pub mod choice;
pub mod control;
pub mod data;
pub mod envelope;
mod envelope_builder;
mod error;
pub mod file_change;
pub mod findings;
pub mod kept;
pub mod known_hash;
pub mod later_part;
pub mod note_text;
mod options;
pub mod patience;
pub mod precondition;
pub mod remedy;
pub mod request;
pub mod subject;
pub mod summary;
mod taint_meta;
pub mod vault_place;
pub mod vault_text;

pub use change::{
    ChangePlan, ChangeVerifier, Judgement, Left, PendingChange, Plan, PlanOutcome, Planned,
    Questions, Unseen,
};
pub use choice::{Backend, Choice};
pub use control::Control;
pub use data::{Data, LinksToNotes, Part};
pub use envelope::{ConfinementMeta, DraftMeta, Envelope, Meta};
pub use envelope_builder::EnvelopeBuilder;
pub use file_change::{FileChange, Happening};
pub use kept::{KeptContent, KeptFacts};
pub use options::Options;
pub use patience::Patience;
pub use remedy::RemedyReader;
pub use request::{NoteLinks, Params, Request, RequestId};
pub use subject::{Approved, AuditSubject};
pub use taint_meta::TaintMeta;
