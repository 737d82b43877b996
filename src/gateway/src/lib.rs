//! The gateway: takes a request through admission, policy, plan, backend and records to an envelope
//! (`design/promises.md`). `answer.rs` is the entry; `pass.rs` has the steps.

pub mod about;
mod active;
mod answer;
mod approve;
mod change;
mod choice;
mod choose;
mod control;
mod core;
pub mod data;
mod drafts;
pub mod envelope;
mod envelope_builder;
mod export;
mod faults;
mod file_change;
mod folder_rules;
mod kept;
mod known_hash;
mod later_part;
mod look;
mod nearby;
mod note_text;
mod options;
mod outside;
mod pass;
mod patience;
mod perform;
mod precondition;

mod record;
mod remedy;
mod request;
mod ruling;
mod scope;
mod state;
mod steps;
mod subject;
mod summary;
mod taint;
mod taint_meta;
mod target;
mod undo;
mod vault;
mod vault_place;
mod vault_text;

pub use self::about::FORMATS;
pub use self::about::usage_of;
pub use self::active::Finding;
pub use self::approve::APPROVE_BY;
pub use self::change::Plan;
pub use self::control::Control;
pub use self::core::Gateway;
pub use self::data::Data;
pub use self::drafts::{
    BothSides, ChangeGroup, ConflictSides, DRAFT_QUESTIONS, DraftAnswer, DraftReport, DraftedFile,
    FileWarning, GroupMember, PropertyChange, Review, ReviewPlan, ReviewWarning, WaitingDraft,
    WaitingFile, WarningReason, Written,
};
pub use self::envelope::{Envelope, Meta, SCHEMA_VERSION};
pub use self::file_change::planned_changes;
pub use self::file_change::{FileChange, Happening};
pub use self::later_part::past_the_end;
pub use self::nearby::NameList;
pub use self::options::Options;
pub use self::remedy::{FOR_ME, has_agents_switch, open_with, settings_lines, settings_words};
pub use self::request::is_id;
pub use self::request::{MAX_REQUEST_BYTES, Params, Request, RequestId};
pub use self::ruling::Ruling;
pub use self::taint::{LabelledAgent, LabelledNote, TaintReport};
pub use self::taint_meta::TaintMeta;
pub use self::undo::is_reversal;
pub use self::kept::Kept;
pub use self::undo::UNDO;
pub use self::vault::{
    holds_a_note, known_vaults, list_places, vault_around, vaults_of_every_list,
};
pub use backend::cancel::Cancel;
pub use protocol::caller::Caller;
pub use protocol::status::{Answerer, Status};
