//! What is kept between calls: the journal, the audit log, the approvals (`design.md` §7).

use std::path::PathBuf;

use jiff::Zoned;

use super::Gateway;
use super::journal::{Journal, Recovered, VaultLock};
use super::trace::Trace;
use crate::backend::PinnedVault;
use crate::backend::obsidian::deadline::Deadline;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::settings::Folders;

impl Gateway {
    /// The folder of everything that is kept.
    pub(super) fn state_folder(&self) -> Result<PathBuf, Failure> {
        Folders::of(&self.environment).state()
    }

    /// The journal of a vault.
    pub fn journal_of(&self, vault: &PinnedVault) -> Result<Journal, Failure> {
        Journal::open(
            &self.state_folder()?,
            vault.root(),
            self.settings.journal,
            self.witness.clone(),
        )
    }

    /// Sees to runs that were cut off; what became of them, as the next write would tell it.
    pub fn recover(&self, vault: &PinnedVault) -> Result<Vec<Issue>, Failure> {
        let deadline = Deadline::after_ms(self.settings.timeout_ms);
        let lock = self.journal_of(vault)?.lock(deadline)?;
        let recovered = lock.recover(&vault.engine, self.now().timestamp())?;
        Ok(recovered.iter().map(Recovered::issue).collect())
    }

    /// The right to change the vault. What a killed run left is put right first.
    pub(super) fn lock(
        &self,
        vault: &PinnedVault,
        deadline: Deadline,
        now: &Zoned,
        trace: &mut Trace,
    ) -> Result<VaultLock, Failure> {
        let lock = self.journal_of(vault)?.lock(deadline)?;
        for recovered in lock.recover(&vault.engine, now.timestamp())? {
            trace.warnings.push(recovered.issue());
        }
        Ok(lock)
    }
}
