//! The gateway: takes a request through admission, policy, plan, backend and records to an envelope
//! (`design/promises.md`). `core.rs` is the entry; `pass.rs` has the steps.
//!
//! `caller.rs` is the caller with its rules. The steps use services, each of which has what it needs and no more:
//!
//! | service | file |
//! |---|---|
//! | `Vaults`: opens the vault and the folders outside of it | `vault.rs` |
//! | `Backends`: chooses who answers | `choose.rs` |
//! | `Records`: journal, lock and recovery, audit log | `state.rs` |
//! | `Approvals` | `approve.rs` |
//! | `Labels` of outside text | `taint/` |
//! | `Drafts` and their reviews | `drafts/` |
//! | `About`: questions about the gateway itself | `about/` |
//!
//! `scope.rs` limits the vault to what the caller may see, `target.rs` finds the note that is meant, `nearby/` and
//! `faults.rs` help after a failure. `active/` looks for active content in a plan, `steps.rs` plans several calls as
//! one, `perform.rs` makes a change, `undo.rs` takes one back.

pub mod about;
mod active;
mod aimed;
mod approve;
mod caller;
mod choose;
mod core;
mod drafts;
mod error;
mod export;
mod faults;
mod nearby;
mod pass;
mod perform;
mod ruling;
mod scope;
mod state;
mod steps;
mod taint;
mod target;
mod undo;
mod vault;
mod written_name;

pub use crate::about::FORMATS;
pub use crate::about::usage_of;
pub use crate::approve::{APPROVE_BY, Approvals};
pub use crate::core::Gateway;
pub use crate::drafts::{
    BothSides, ChangeGroup, ConflictSides, DRAFT_QUESTIONS, DraftAnswer, DraftReport, DraftedFile,
    Drafts, FileWarning, GroupMember, GroupReason, PropertyChange, Review, ReviewPlan,
    ReviewWarning, WaitingDraft, WaitingFile, WarningReason, Written,
};
pub use crate::nearby::NameList;
pub use crate::ruling::Ruling;
pub use crate::state::Records;
pub use crate::taint::{LabelledAgent, LabelledNote, TaintReport};
pub use crate::undo::UNDO;
pub use crate::undo::is_reversal;
pub use crate::vault::{Vaults, holds_a_note, known_vaults, list_places, vaults_of_every_list};
pub use backend::cancel::Cancel;
pub use changes::{
    Control, Data, Envelope, FileChange, Happening, Meta, NoteLinks, Options, Params, Plan,
    Request, RequestId, TaintMeta,
    envelope::SCHEMA_VERSION,
    file_change::planned_changes,
    findings::Finding,
    kept::Kept,
    later_part::past_the_end,
    remedy::{FOR_ME, has_agents_switch, open_with, settings_lines, settings_words},
    request::{MAX_REQUEST_BYTES, is_id},
    vault_place::{is_vault, vault_around},
};
pub use protocol::{Answerer, Caller, Status};
