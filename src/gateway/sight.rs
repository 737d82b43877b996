//! What a policy with path rules lets the engine see of a vault.

use std::sync::Arc;

use vault_engine::{Sight, VaultPath};

use crate::tiers::Policy;

/// What a policy lets its callers know of a vault.
struct OpenPaths(Policy);

impl Sight for OpenPaths {
    fn sees_file(&self, path: &VaultPath) -> bool {
        self.0.may_read(path)
    }

    fn sees_folder(&self, path: &VaultPath) -> bool {
        self.0.may_list(path)
    }
}

/// What callers under this policy may know of a vault; none where its path rules leave all open.
pub(super) fn sight_of(policy: &Policy) -> Option<Arc<dyn Sight>> {
    (!policy.reads_everything()).then(|| Arc::new(OpenPaths(policy.clone())) as Arc<dyn Sight>)
}
