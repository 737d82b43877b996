//! The policy's path rules as the engine's [`Sight`].

use std::sync::Arc;

use vault_engine::{NoteRules, Sight, VaultPath};

use crate::tiers::Policy;

/// A [`Sight`] of the files and folders that the policy allows.
struct OpenPaths {
    policy: Policy,
    /// `None` if no rule closes notes by what is in them.
    notes: Option<NoteRules>,
}

impl Sight for OpenPaths {
    fn sees_file(&self, path: &VaultPath) -> bool {
        self.policy.may_read(path)
    }

    fn sees_folder(&self, path: &VaultPath) -> bool {
        self.policy.may_list(path)
    }

    fn minds_hard_links(&self) -> bool {
        !self.policy.allows_hard_links()
    }

    fn note_rules(&self) -> Option<&NoteRules> {
        self.notes.as_ref()
    }
}

/// Returns the sight of a policy; `None` if its path rules close nothing, so that no filter is
/// needed.
pub(super) fn for_policy(policy: &Policy) -> Option<Arc<dyn Sight>> {
    (!policy.reads_everything()).then(|| {
        Arc::new(OpenPaths { notes: policy.note_rules(), policy: policy.clone() }) as Arc<dyn Sight>
    })
}
