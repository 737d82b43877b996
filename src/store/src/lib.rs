//! Persistent records in the state folder (`design/settings.md`): the journal of changes, the drafts of
//! agents, the labels of what came from outside, the audit log, pending approvals, the tokens of agents, and the running export.

pub mod agent_tokens;
pub mod approvals;
pub mod audit;
pub mod drafts;
pub mod error;
pub mod journal;
pub mod labels;
pub mod running_export;
pub mod state_folder;
