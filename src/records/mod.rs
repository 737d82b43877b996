//! What is kept between calls, in the state folder (`design.md` §7): the journal of changes, the
//! audit log, the plans that wait for an approval, and the export that is running.

pub mod approvals;
pub mod audit;
pub mod journal;
pub(crate) mod running_export;
pub mod state_folder;
