//! Carries out a change: journal entry, audit log, the change itself, verification.

use jiff::Zoned;
use uuid::Uuid;
use vault_engine::{Change, Editor, EngineError, VaultPath};

use super::change_plan::{ChangePlan, PlanOutcome};
use super::evidence::Questions;
use super::judgement::Judgement;
use super::planned::{Happening, Planned};
use super::verified::ChangeVerifier;
use crate::Gateway;
use crate::choose::Backend;
use crate::envelope_builder::EnvelopeBuilder;
use crate::patience::{Patience, is_being_written};
use crate::request::Request;
use crate::state::journal_unfinished;
use allowlist::BackendName;
use backend::{Limits, PinnedVault, Produced, ResolvedCall, embedded, engine_failure};
use obsidian_cli::Ready;
use protocol::code::Code;
use protocol::failure::Failure;
use store::audit::redacted;
use store::journal;
use store::journal::{NewEntry, OpenEntry, RunEnd, RunOrigin, TouchedPath, VaultLock};

/// A change with its plan, after the path rules, `ifHash` and the approval were checked.
pub(crate) struct PendingChange<'call> {
    pub(crate) request: &'call Request,
    pub(crate) resolved: &'call ResolvedCall,
    pub(crate) plan: ChangePlan,
    /// Whether the caller gave a name for the new file.
    pub(crate) is_named: bool,
    pub(crate) vault: &'call PinnedVault,
    /// The vault limited to the files that the caller may know.
    pub(crate) seen: &'call PinnedVault,
    pub(crate) lock: &'call VaultLock,
    pub(crate) limits: Limits,
    pub(crate) now: &'call Zoned,
}

impl Gateway {
    /// Carries out a change. The journal entry and the intent in the audit log are written first:
    /// if one of them fails, nothing is changed.
    ///
    /// If another program is writing a note at the same time, this waits for it and plans the
    /// change again for the new content (`threats.toml` H15). It does not if the caller sent `ifHash`,
    /// a person approved the plan, or the change has several steps.
    ///
    /// If a change fails because of the links in closed notes, it is made without them (`threats.toml`
    /// D13).
    pub(crate) fn perform(
        &self,
        mut pending: PendingChange<'_>,
        backend: &Backend,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let is_tied = pending.request.if_hash.is_some()
            || trace.subject.approved.id.is_some()
            || pending.resolved.call.has_steps();
        let patience = Patience::within(pending.limits.deadline);
        let mut leaves_unseen = false;
        loop {
            let failure = match self.attempt(&mut pending, backend, trace) {
                Err(failure) if matches!(backend, Backend::Embedded) => failure,
                result => return result,
            };
            let is_being_written = is_being_written(&failure);
            let is_outdated = failure.code == Code::PreconditionFailed && !is_tied;
            if !(is_being_written || is_outdated) || !patience.is_left() {
                leaves_unseen = true;
                if !pending.plan.leave_unseen() {
                    return Err(failure);
                }
                continue;
            }
            if is_being_written {
                patience.pause(&pending.limits.cancel)?;
            }
            pending.limits.cancel.check()?;
            // A new plan would not be the approved one. The old plan succeeds if the other program
            // restores the old content.
            if is_tied {
                continue;
            }
            let vaults = [pending.vault, pending.seen];
            let bounds = (pending.now, &pending.limits);
            match ChangePlan::work_out(
                pending.resolved,
                vaults,
                (backend, &self.policy),
                bounds,
                false,
            )? {
                PlanOutcome::Planned(plan) => pending.plan = *plan,
                PlanOutcome::Refused(error) => {
                    return embedded::changed(Err(error), pending.resolved, &pending.limits);
                }
            }
            if leaves_unseen {
                pending.plan.leave_unseen();
            }
            self.find_active(
                &pending.resolved.call,
                &mut pending.plan,
                (pending.seen, false),
            )?;
            let PendingChange {
                resolved,
                seen,
                plan,
                ..
            } = &pending;
            let proven = (pending.is_named, pending.request.if_hash.is_some());
            self.check_plan(plan, &resolved.call, proven, (seen, false))?;
            // The same edit may overwrite a note that became shorter. The next call asks for the approval of that.
            let needs_approval = !self.needs_approval(resolved, plan).is_empty();
            if needs_approval && trace.subject.approved.channel.is_none() {
                return Err(failure);
            }
            trace.planned(plan.effects(&resolved.call));
        }
    }

    /// Tries the change once, with the chosen backend.
    fn attempt(
        &self,
        pending: &mut PendingChange<'_>,
        backend: &Backend,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let origin = RunOrigin {
            approved_by: trace.subject.approved.channel,
            client: trace.subject.client.clone(),
            ..self.origin()
        };
        let entry = pending.begin(backend, trace.envelope.run_id, origin, || {
            for issue in &pending.plan.hard_links {
                // An earlier attempt may have added this warning.
                if !trace.envelope.warnings.contains(issue) {
                    trace.envelope.warnings.push(issue.clone());
                }
            }
            trace.subject.changes_unseen(&pending.plan.unseen);
            self.record_intent(pending.request, trace, &pending.plan.planned.files)
        })?;
        match backend {
            Backend::Embedded => pending.by_engine(entry, trace),
            Backend::Obsidian(ready) => self.by_app(pending, ready, entry, trace),
        }
    }

    /// The official program makes the change; the state of the folder decides the outcome.
    fn by_app(
        &self,
        pending: &PendingChange<'_>,
        ready: &Ready,
        entry: OpenEntry<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let PendingChange {
            resolved,
            vault,
            ref limits,
            ..
        } = *pending;
        let questions = Questions {
            obsidian: &self.obsidian,
            vault,
            limits,
        };
        let open = |follow_up: &str| self.is_open(follow_up);
        let ran = ChangeVerifier::before(pending, questions).and_then(|verifier| {
            let produced = self
                .obsidian
                .answer(resolved, vault, ready, limits, &open)?;
            Ok(verifier.after(produced))
        });
        let run = match ran {
            Ok(run) => run,
            // No process was started.
            Err(failure) => {
                entry.abandon()?;
                return Err(failure);
            }
        };
        if run.judgement.leaves_nothing(&run.observed) {
            entry.abandon()?;
            return Ok(run.produced);
        }
        let ended = RunEnd {
            further: &run.observed.beyond,
            is_verified: matches!(run.judgement, Judgement::Done { .. }),
        };
        finish(entry, pending, ended, trace);
        trace.changed(run.observed.changes);
        Ok(run.produced)
    }
}

impl<'call> PendingChange<'call> {
    /// Begins the journal entry with the paths that will be changed, and runs `meanwhile` while the
    /// disk writes it.
    fn begin(
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
                now: self.now.timestamp(),
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
    fn by_engine(
        &mut self,
        entry: OpenEntry<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let Some(edit) = self.plan.edit.take() else {
            entry.abandon()?;
            return Err(Code::InternalError
                .failure("This change has no plan, which is a bug. Please report it."));
        };
        let run = trace.envelope.run_id.to_string();
        match Editor(&self.vault.engine).apply(&edit.changes, &run) {
            Ok(()) => {
                if !entry.entry().files.iter().any(TouchedPath::is_changed) {
                    // Nothing changed, so there is nothing to undo.
                    entry.abandon()?;
                    return embedded::changed(Ok(edit), self.resolved, &self.limits);
                }
                finish(entry, self, RunEnd::AS_REQUESTED, trace);
                let planned = self.plan.planned.files.iter();
                // Setting a property to its present value changes nothing.
                let changed = planned.filter(|file| file.changes_something());
                trace.changed(changed.cloned().collect());
                embedded::changed(Ok(edit), self.resolved, &self.limits)
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
        let path = failure.details.get("path").and_then(|path| path.as_str());
        let is_seen = path.is_none_or(|path| {
            VaultPath::file(path).is_ok_and(|path| self.seen.engine.sees(&path))
        });
        if is_seen || !self.seen.is_limited() {
            return failure;
        }
        failure
            .code
            .failure(
                "Another program changed the vault during this call, or the vault cannot be written. This call changed nothing.",
            )
            .hint("Try again.")
    }
}

/// Closes the journal entry. The change has been made, so a failure is only a warning; the next
/// recovery closes the entry.
fn finish(
    entry: OpenEntry<'_>,
    pending: &PendingChange<'_>,
    ended: RunEnd<'_>,
    trace: &mut EnvelopeBuilder,
) {
    let now = pending.now.timestamp();
    if let Err(failure) = entry.finish(&pending.vault.engine, now, ended) {
        trace.envelope.warnings.push(journal_unfinished(&failure));
    }
}
