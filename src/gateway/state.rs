//! What is kept between calls: the journal, the audit log, the approvals (`design.md` §7).

use std::path::PathBuf;
use std::time::Duration;

use jiff::Zoned;
use uuid::Uuid;

use super::Gateway;
use super::envelope_builder::EnvelopeBuilder;
use crate::backend::PinnedVault;
use crate::backend::cancel::Cancel;
use crate::backend::obsidian::deadline::Deadline;
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::records::journal::{
    CutOff, Journal, Outcome, Owner, Recovered, RunOrigin, RunPrefix, VaultLock,
};
use crate::settings::Folders;

/// How long a call that only reads waits for a change that is under way.
const PATIENCE_OF_A_READER: Duration = Duration::from_millis(25);

/// How often a call that waits for the vault looks whether it was cancelled.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Gateway {
    /// The folder of everything that is kept.
    pub(super) fn state_folder(&self) -> Result<PathBuf, Failure> {
        Folders::new(&self.environment).state()
    }

    /// The journal of a vault.
    pub fn journal_of(&self, vault: &PinnedVault) -> Result<Journal, Failure> {
        Journal::open(
            &self.state_folder()?,
            &vault.engine,
            self.settings.journal,
            self.failpoints.clone(),
        )
    }

    /// Whose run it is that this gateway makes.
    pub(super) fn origin(&self) -> RunOrigin {
        RunOrigin {
            owner: Owner::of(self.options.caller, self.options.agent.as_deref()),
            ..RunOrigin::default()
        }
    }

    /// Sees to runs that were cut off; what became of them, as the next write would tell it.
    pub fn recover(&self, vault: &PinnedVault) -> Result<Vec<Issue>, Failure> {
        let deadline = Deadline::after_ms(self.settings.timeout_ms);
        let lock = self.journal_of(vault)?.lock(deadline)?;
        let recovered = lock.recover(&vault.engine, self.now().timestamp())?;
        Ok(recovered.iter().map(|run| self.told(run)).collect())
    }

    /// Ends the warnings about a run that was cut off and cannot be put right. The run.
    pub fn forget(&self, run: &RunPrefix) -> Result<Uuid, Failure> {
        let vault = self.open_vault()?;
        let deadline = Deadline::after_ms(self.settings.timeout_ms);
        let lock = self.journal_of(&vault)?.lock(deadline)?;
        // What can be put right is.
        lock.recover(&vault.engine, self.now().timestamp())?;
        lock.forget(run)
    }

    /// What became of a run that was cut off, without the paths that are closed to the caller
    /// (`faults.md` D13).
    fn told(&self, recovered: &Recovered) -> Issue {
        match &recovered.outcome {
            // Its message may name any path of the run.
            Outcome::Stuck(failure) if !self.policy.reads_everything() => {
                let unnamed = Failure::new(failure.code, "a file of it cannot be put back now.");
                let outcome = Outcome::Stuck(unnamed);
                let recovered = Recovered {
                    outcome,
                    ..recovered.clone()
                };
                recovered.issue(|_| false)
            }
            _ => {
                recovered.issue(|path| self.policy.reads_everything() || self.policy.may_read(path))
            }
        }
    }

    /// For a call that changes nothing: recovers runs that were cut off, so that no half-changed
    /// vault is read (`faults.md` H11). Whether anything was done. Works with mutations off too:
    /// what is put right was begun while they were on.
    ///
    /// Where it cannot recover, the answer says so in a warning.
    pub(super) fn settle_what_was_cut_off(
        &self,
        vault: &PinnedVault,
        now: &Zoned,
        trace: &mut EnvelopeBuilder,
    ) -> bool {
        // Where no folder is known, nothing was ever begun.
        if self.state_folder().is_err() {
            return false;
        }
        let journal = match self.journal_of(vault) {
            Ok(journal) => journal,
            Err(failure) => {
                trace.warnings.push(unknown_standing(&failure));
                return false;
            }
        };
        let settled = match journal.cut_off(PATIENCE_OF_A_READER) {
            Ok(CutOff::Nothing) => return false,
            Ok(CutOff::UnderWay) => {
                trace.warnings.push(change_under_way());
                return false;
            }
            Ok(CutOff::Run(lock)) => lock.recover(&vault.engine, now.timestamp()),
            Err(failure) => Err(failure),
        };
        match settled {
            Ok(recovered) => {
                let issues = recovered.iter().map(|run| self.told(run));
                trace.warnings.extend(issues);
                !recovered.is_empty()
            }
            // Reading goes on: what is read is what stands there.
            Err(failure) => {
                trace.warnings.push(unknown_standing(&failure));
                false
            }
        }
    }

    /// For a call that has read the vault: warns where a change began meanwhile and has not ended,
    /// since the answer may hold some of its files before and some after it.
    pub(super) fn warn_of_a_change_under_way(
        &self,
        vault: &PinnedVault,
        trace: &mut EnvelopeBuilder,
    ) {
        let mut warnings = trace.warnings.iter();
        let is_warned =
            warnings.any(|issue| matches!(issue.code, "CHANGE_UNDER_WAY" | "RUN_INTERRUPTED"));
        if is_warned || self.state_folder().is_err() {
            return;
        }
        let journal = self.journal_of(vault);
        // What keeps the journal from being read was a warning before the reading.
        if journal.is_ok_and(|journal| journal.unfinished().is_ok_and(|runs| !runs.is_empty())) {
            trace.warnings.push(change_under_way());
        }
    }

    /// The right to change the vault. What a killed run left is put right first.
    pub(super) fn lock(
        &self,
        vault: &PinnedVault,
        deadline: Deadline,
        cancel: &Cancel,
        now: &Zoned,
        trace: &mut EnvelopeBuilder,
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
        tracing::debug!("vault locked");
        let vault = vault.clone().to_the_end();
        for recovered in lock.recover(&vault.engine, now.timestamp())? {
            tracing::warn!("an interrupted run was recovered");
            trace.warnings.push(self.told(&recovered));
        }
        Ok(lock)
    }
}

fn change_under_way() -> Issue {
    Issue::new(
        "CHANGE_UNDER_WAY",
        "Another process is changing the vault. This answer may hold some files before that change and some after it. Try again in a moment.",
    )
}

/// An earlier run was cut off and cannot be recovered now, or the journal cannot be read.
fn unknown_standing(failure: &Failure) -> Issue {
    let message = format!(
        "An earlier change may have been interrupted and could not be repaired: {} This answer may mix files from before and after that change.",
        failure.message
    );
    Issue::new("RUN_INTERRUPTED", message).with("code", failure.code.name())
}
