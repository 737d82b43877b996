//! Persistent records in the state folder (`design/settings.md`): the journal of changes, the drafts of
//! agents, the labels of what came from outside, the audit log, pending approvals, the tokens of agents, and the running export.
//!
//! The next call on a vault, read or write, recovers what a killed run has left, even while changes are off.

pub mod agent_tokens;
pub mod approvals;
pub mod audit;
pub mod drafts;
pub mod error;
pub mod journal;
pub mod labels;
pub mod running_export;
pub mod state_folder;
