//! A change that is about to be made.

use jiff::Zoned;

use super::change_plan::ChangePlan;
use crate::backend::{Limits, PinnedVault, ResolvedCall};
use crate::gateway::request::Request;
use crate::records::journal::VaultLock;

/// A change with its plan, after path rules, `ifHash` and approval have been checked.
pub(in crate::gateway) struct PendingChange<'call> {
    pub(in crate::gateway) request: &'call Request,
    pub(in crate::gateway) resolved: &'call ResolvedCall,
    pub(in crate::gateway) plan: ChangePlan,
    /// Whether the caller gave a name for what is created.
    pub(in crate::gateway) is_named: bool,
    pub(in crate::gateway) vault: &'call PinnedVault,
    /// What the caller may know of the vault.
    pub(in crate::gateway) seen: &'call PinnedVault,
    pub(in crate::gateway) lock: &'call VaultLock,
    pub(in crate::gateway) limits: Limits,
    pub(in crate::gateway) now: &'call Zoned,
}
