//! What is kept between calls: the journal, the audit log, the approvals (`design.md` §7).

use std::path::PathBuf;
use std::time::Duration;

use jiff::Zoned;

use super::Gateway;
use super::journal::{Journal, Recovered, VaultLock};
use super::trace::Trace;
use crate::backend::PinnedVault;
use crate::backend::cancel::Cancel;
use crate::backend::obsidian::deadline::Deadline;
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::settings::Folders;

/// How often a call that waits for the vault looks whether it was cancelled.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

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

    /// For a call that only reads: sees to a run that was killed, so that nobody reads a vault that
    /// is half changed. Whether anything was done.
    pub(super) fn settle_what_was_cut_off(
        &self,
        vault: &PinnedVault,
        now: &Zoned,
        trace: &mut Trace,
    ) -> bool {
        // Where no folder is known, nothing was ever begun.
        if self.state_folder().is_err() {
            return false;
        }
        let settled = self.journal_of(vault).and_then(|journal| {
            let Some(lock) = journal.lock_if_cut_off()? else {
                return Ok(Vec::new());
            };
            lock.recover(&vault.engine, now.timestamp())
        });
        match settled {
            Ok(recovered) => {
                let is_any = !recovered.is_empty();
                let issues = recovered.iter().map(Recovered::issue);
                trace.warnings.extend(issues);
                is_any
            }
            // Reading goes on: what is read is what stands there.
            Err(failure) => {
                let message = format!(
                    "Whether an earlier change was cut off is not known: {}",
                    failure.message
                );
                let issue = Issue::new("RUN_INTERRUPTED", message);
                trace.warnings.push(issue.with("code", failure.code.name()));
                false
            }
        }
    }

    /// The right to change the vault. What a killed run left is put right first.
    pub(super) fn lock(
        &self,
        vault: &PinnedVault,
        deadline: Deadline,
        cancel: &Cancel,
        now: &Zoned,
        trace: &mut Trace,
    ) -> Result<VaultLock, Failure> {
        let journal = self.journal_of(vault)?;
        let lock = loop {
            match journal.lock(deadline.at_most(LOOK_AGAIN)) {
                Err(failure) if failure.code == Code::LockTimeout && !deadline.has_passed() => {
                    cancel.check()?;
                }
                result => break result?,
            }
        };
        let vault = vault.clone().to_the_end();
        for recovered in lock.recover(&vault.engine, now.timestamp())? {
            trace.warnings.push(recovered.issue());
        }
        Ok(lock)
    }
}
