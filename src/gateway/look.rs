//! How files look from outside, for callers that wait for a change of them (`design.md` §9).

use vault_engine::{FileFacts, VaultPath};

use super::core::Gateway;
use super::request::Request;
use crate::allowlist::Catalogue;
use crate::tiers::{Decision, outlook};

/// The command that tells an agent the same; where it is closed, no file can be looked at.
const TELLS: &str = "file";

impl Gateway {
    /// Size and times of these files: `None` for each that is missing or that the caller may not
    /// read.
    ///
    /// This is no call: it is not in the audit log, since it would be there each second. Whoever looks
    /// records once what it looks at, with the command `file`.
    pub fn look_at(&self, paths: &[String]) -> Vec<Option<FileFacts>> {
        let Some(vault) = self.vault_to_look_at() else {
            return vec![None; paths.len()];
        };
        let vault = vault.limited_to(self.sight.as_ref());
        let look = |path: &String| vault.engine.facts(&VaultPath::file(path).ok()?).ok();
        paths.iter().map(look).collect()
    }

    fn vault_to_look_at(&self) -> Option<crate::backend::PinnedVault> {
        let command = Catalogue::find_builtin(TELLS).ok()?;
        let is_open = outlook(&command, &self.policy) == Decision::Allowed;
        if !self.is_bridge_on() || !is_open {
            return None;
        }
        self.pinned_vault(&Request::new(TELLS)).ok()
    }
}
