//! A change that is about to be made.

use uuid::Uuid;
use vault_engine::{Change, Editor, EngineError, VaultPath};

use super::change_plan::ChangePlan;
use super::planned::{Happening, Planned};
use crate::choice::Backend;
use crate::envelope_builder::EnvelopeBuilder;
use crate::error::Error;
use allowlist::BackendName;
use backend::{Limits, PinnedVault, Produced, ResolvedCall, embedded, engine_failure};
use protocol::{Failure, Issue};
use store::audit::redacted;
use store::journal;
use store::journal::{NewEntry, OpenEntry, RunEnd, RunOrigin, TouchedPath, VaultLock};

/// A change with its plan, after the path rules, `ifHash` and the approval were checked.
pub struct PendingChange<'call> {
    /// The call, on one known note.
    pub resolved: &'call ResolvedCall,
    /// The plan.
    pub plan: ChangePlan,
    /// The whole vault.
    pub vault: &'call PinnedVault,
    /// The vault limited to the files that the caller may know.
    pub seen: &'call PinnedVault,
    /// The lock of the vault, with its journal.
    pub lock: &'call VaultLock,
    /// The limits of the call.
    pub limits: &'call Limits,
}

impl<'call> PendingChange<'call> {
    /// Begins the journal entry with the paths that will be changed, and runs `meanwhile` while the
    /// disk writes it.
    ///
    /// # Errors
    ///
    /// If the entry cannot be written, or the failure of `meanwhile`.
    pub fn begin(
        &self,
        backend: &Backend,
        run_id: Uuid,
        origin: RunOrigin,
        meanwhile: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<OpenEntry<'call>, Failure> {
        let changes = self.plan.edit.as_ref().map(|edit| edit.changes.as_slice());
        // The app has its own trash, so the planned path in `.trash` would be wrong.
        let is_trashed = |planned: &Planned| {
            let mut files = planned.files.iter();
            files.any(|file| file.change == Happening::Trashed)
        };
        let by_app = matches!(backend, Backend::Obsidian(_));
        let paths: Vec<VaultPath>;
        let planned = match changes {
            Some(changes) if !(by_app && is_trashed(&self.plan.planned)) => {
                journal::PlannedRun::Changes(changes)
            }
            _ => {
                paths = self.paths(changes.unwrap_or_default());
                journal::PlannedRun::Paths(&paths)
            }
        };
        self.lock.begin_while(
            &self.vault.engine,
            NewEntry {
                run_id,
                command: &self.resolved.call.command.id,
                params: redacted(&self.resolved.call),
                backend: if by_app {
                    BackendName::Obsidian
                } else {
                    BackendName::Embedded
                },
                now: self.vault.now.timestamp(),
                undoes: None,
                redoes: None,
                origin,
                planned,
            },
            meanwhile,
        )
    }

    /// Returns the paths that may change, without those that only the engine would use.
    fn paths(&self, changes: &[Change]) -> Vec<VaultPath> {
        let mut paths: Vec<VaultPath> = changes
            .iter()
            .flat_map(Change::paths)
            .filter(|path| !path.is_hidden())
            .cloned()
            .collect();
        paths.extend(self.resolved.note.clone());
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Lets the engine make the change, completely or not at all.
    ///
    /// # Errors
    ///
    /// The failure of the edit. Nothing is changed then, and the journal entry is given up.
    pub fn by_engine(
        &mut self,
        entry: OpenEntry<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let Some(edit) = self.plan.edit.take() else {
            entry.abandon()?;
            return Err(Error::NoPlan.into());
        };
        let run = trace.envelope.run_id.to_string();
        match Editor(&self.vault.engine).apply(&edit.changes, &run) {
            Ok(left) => {
                let left = left.iter();
                let seen = left.filter(|path| self.seen.engine.sees_folder(&path.parent()));
                let warnings = seen.map(journal::temporary_file_left);
                trace.envelope.warnings.extend(warnings);
                if !entry.entry().files.iter().any(TouchedPath::is_changed) {
                    // Nothing changed, so there is nothing to undo.
                    entry.abandon()?;
                    return embedded::changed(Ok(edit), self.resolved, self.limits);
                }
                finish(entry, self, RunEnd::AS_REQUESTED, trace);
                let planned = self.plan.planned.files.iter();
                // Setting a property to its present value changes nothing.
                let changed = planned.filter(|file| file.changes_something());
                trace.changed(changed.cloned().collect());
                embedded::changed(Ok(edit), self.resolved, self.limits)
            }
            // The entry stays open, so that the next recovery completes the rollback.
            Err(error @ EngineError::HalfDone { .. }) => Ok(Produced {
                outcome: Err(self.visible_failure(error)),
                may_have_happened: true,
                ..Produced::default()
            }),
            Err(error) => {
                self.plan.edit = Some(edit);
                entry.abandon()?;
                Err(self.visible_failure(error))
            }
        }
    }

    /// Returns the failure, without a path that the caller may not know.
    fn visible_failure(&self, error: EngineError) -> Failure {
        let failure = engine_failure(error);
        let is_seen = failure.detail("path").is_none_or(|path| {
            VaultPath::file(path).is_ok_and(|path| self.seen.engine.sees(&path))
        });
        if is_seen || !self.seen.is_limited() {
            return failure;
        }
        failure
            .code
            .failure(
                "This call failed and changed nothing. Either another program changed the vault during the call, or vault-gw cannot write to the vault.",
            )
            .hint("Try again.")
    }
}

/// Closes the journal entry. The change has been made, so a failure is only a warning; the next
/// recovery closes the entry.
pub fn finish(
    entry: OpenEntry<'_>,
    pending: &PendingChange<'_>,
    ended: RunEnd<'_>,
    trace: &mut EnvelopeBuilder,
) {
    let now = pending.vault.now.timestamp();
    if let Err(failure) = entry.finish(&pending.vault.engine, now, ended) {
        trace.envelope.warnings.push(journal_unfinished(&failure));
    }
}

/// Returns the warning that a change was made, and a record of it is not complete.
pub fn journal_unfinished(failure: &Failure) -> Issue {
    Issue::new("JOURNAL_UNFINISHED", failure.message()).with("code", failure.code.name())
}
