//! The policy's path rules as the engine's [`Sight`].

use std::sync::Arc;

use vault_engine::{Sight, VaultPath};

use crate::tiers::Policy;

/// A [`Sight`] of the files and folders that the policy allows.
struct OpenPaths(Policy);

impl Sight for OpenPaths {
    fn sees_file(&self, path: &VaultPath) -> bool {
        self.0.may_read(path)
    }

    fn sees_folder(&self, path: &VaultPath) -> bool {
        self.0.may_list(path)
    }
}

/// The sight of a policy; `None` if its path rules close nothing, so that no filter is needed.
pub(super) fn for_policy(policy: &Policy) -> Option<Arc<dyn Sight>> {
    (!policy.reads_everything()).then(|| Arc::new(OpenPaths(policy.clone())) as Arc<dyn Sight>)
}
