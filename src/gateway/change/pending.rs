//! A change that is about to be carried out.

use jiff::Zoned;

use super::change_plan::ChangePlan;
use crate::backend::{Limits, PinnedVault, ResolvedCall};
use crate::gateway::request::Request;
use crate::records::journal::VaultLock;

/// A change with its plan, after the path rules, `ifHash` and the approval were checked.
pub(in crate::gateway) struct PendingChange<'call> {
    pub(in crate::gateway) request: &'call Request,
    pub(in crate::gateway) resolved: &'call ResolvedCall,
    pub(in crate::gateway) plan: ChangePlan,
    /// Whether the caller gave a name for the new file.
    pub(in crate::gateway) is_named: bool,
    pub(in crate::gateway) vault: &'call PinnedVault,
    /// The vault limited to the files that the caller may know.
    pub(in crate::gateway) seen: &'call PinnedVault,
    pub(in crate::gateway) lock: &'call VaultLock,
    pub(in crate::gateway) limits: Limits,
    pub(in crate::gateway) now: &'call Zoned,
}
