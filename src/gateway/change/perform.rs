//! The change itself: written down, done, looked at.

use vault_engine::{Change, EngineError, VaultPath};

use super::change_plan::{ChangePlan, PlanOutcome};
use super::evidence::Questions;
use super::judgement::Judgement;
use super::pending::PendingChange;
use super::planned::{Happening, Planned};
use super::verified::ChangeVerifier;
use crate::allowlist::{BackendName, Effect};
use crate::backend::obsidian::Ready;
use crate::backend::{Produced, embedded, engine_failure};
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::Gateway;
use crate::gateway::choice::Backend;
use crate::gateway::envelope_builder::EnvelopeBuilder;
use crate::gateway::patience::{Patience, is_being_written};
use crate::issue::Issue;
use crate::records::audit::redacted;
use crate::records::journal::{self, NewEntry, OpenEntry, RunEnd, RunOrigin};

impl Gateway {
    /// Makes a change: what it will touch is in the journal and the intent in the log before
    /// anything happens, and nothing happens where that fails.
    ///
    /// Where another program writes a note at the same time, what it wrote is waited for and taken
    /// into account (`faults.md` H15): the change is worked out again, unless it was tied to what
    /// the caller saw or a person approved.
    ///
    /// A change that fails together with the links in closed notes is made without them
    /// (`faults.md` D13).
    pub(in crate::gateway) fn perform(
        &self,
        mut pending: PendingChange<'_>,
        backend: &Backend,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let is_tied = pending.request.if_hash.is_some() || trace.subject.approved.id.is_some();
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
            if is_tied {
                continue;
            }
            let vaults = [pending.vault, pending.seen];
            let bounds = (pending.now, &pending.limits);
            match ChangePlan::work_out(pending.resolved, vaults, backend, bounds, false)? {
                PlanOutcome::Planned(plan) => pending.plan = *plan,
                PlanOutcome::Refused(error) => {
                    return embedded::changed(Err(error), pending.resolved, &pending.limits);
                }
            }
            if leaves_unseen {
                pending.plan.leave_unseen();
            }
            let PendingChange {
                resolved,
                seen,
                plan,
                ..
            } = &pending;
            plan.refuse_other_name(&resolved.call, pending.is_named, seen)?;
            plan.check_paths(self.policy())?;
        }
    }

    /// Makes the change once.
    fn attempt(
        &self,
        pending: &mut PendingChange<'_>,
        backend: &Backend,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let effects = pending.resolved.call.effects();
        let origin = RunOrigin {
            loses_content: effects.contains(Effect::Destroy),
            approved_by: trace.subject.approved.door,
            ..self.origin()
        };
        let entry = pending.begin(backend, trace, origin)?;
        for issue in &pending.plan.hard_links {
            // An earlier attempt may have told it.
            if !trace.warnings.contains(issue) {
                trace.warnings.push(issue.clone());
            }
        }
        trace.subject.changes_unseen(&pending.plan.unseen);
        if let Err(failure) =
            self.record_intent(pending.request, trace, &pending.plan.planned.files)
        {
            entry.abandon()?;
            return Err(failure);
        }
        match backend {
            Backend::Embedded => pending.by_engine(entry, trace),
            Backend::Obsidian(ready) => self.by_app(pending, ready, entry, trace),
        }
    }

    /// The official program makes the change; the folder tells what came of it.
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
            // Nothing was started.
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
    /// Puts into the journal what will be touched.
    fn begin(
        &self,
        backend: &Backend,
        trace: &EnvelopeBuilder,
        origin: RunOrigin,
    ) -> Result<OpenEntry<'call>, Failure> {
        let changes = self.plan.edit.as_ref().map(|edit| edit.changes.as_slice());
        // Where the app puts what it throws away is not known here.
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
        self.lock.begin(
            &self.vault.engine,
            NewEntry {
                run_id: trace.run_id(),
                command: &self.resolved.call.command.id,
                params: redacted(&self.resolved.call),
                backend: if by_app {
                    BackendName::Obsidian
                } else {
                    BackendName::Embedded
                },
                now: self.now.timestamp(),
                undoes: None,
                origin,
                planned,
            },
        )
    }

    /// The paths that may change, without those that only the engine would use.
    fn paths(&self, changes: &[Change]) -> Vec<VaultPath> {
        let mut paths: Vec<VaultPath> = changes
            .iter()
            .map(|change| match change {
                Change::MakeFolder { path }
                | Change::Create { path, .. }
                | Change::Modify { path, .. }
                | Change::Remove { path, .. }
                | Change::Move { from: path, .. }
                | Change::RemoveFolder { path } => path.clone(),
            })
            .filter(|path| !path.is_hidden())
            .collect();
        paths.extend(self.resolved.note.clone());
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// The engine makes the change, whole or not at all.
    fn by_engine(
        &mut self,
        entry: OpenEntry<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let Some(edit) = self.plan.edit.take() else {
            entry.abandon()?;
            return Err(Failure::new(
                Code::InternalError,
                "This change has no plan, which is a bug. Please report it.",
            ));
        };
        let run = trace.run_id().to_string();
        match self.vault.engine.apply(&edit.changes, &run) {
            Ok(()) => {
                finish(entry, self, RunEnd::AS_ASKED, trace);
                let planned = self.plan.planned.files.iter();
                // To set a property to the value that it has changes nothing.
                let changed = planned.filter(|file| file.changes_something());
                trace.changed(changed.cloned().collect());
                embedded::changed(Ok(edit), self.resolved, &self.limits)
            }
            // The entry stays open, so that the next recovery puts back what is left.
            Err(error @ EngineError::HalfDone { .. }) => Ok(Produced {
                outcome: Err(self.told_of(error)),
                may_have_happened: true,
                ..Produced::default()
            }),
            Err(error) => {
                self.plan.edit = Some(edit);
                entry.abandon()?;
                Err(self.told_of(error))
            }
        }
    }

    /// The failure as the caller may know it: of a file out of sight no path is named.
    fn told_of(&self, error: EngineError) -> Failure {
        let failure = engine_failure(error);
        let path = failure.details.get("path").and_then(|path| path.as_str());
        let is_seen = path.is_none_or(|path| {
            VaultPath::file(path).is_ok_and(|path| self.seen.engine.sees(&path))
        });
        if is_seen || !self.seen.is_limited() {
            return failure;
        }
        Failure::new(
            failure.code,
            "The vault changed meanwhile, or could not be written. Nothing was changed. Try again.",
        )
    }
}

/// Writes down that the run is over. The change is made by now, so a failure is only told; the
/// next recovery makes up for it.
fn finish(
    entry: OpenEntry<'_>,
    pending: &PendingChange<'_>,
    ended: RunEnd<'_>,
    trace: &mut EnvelopeBuilder,
) {
    let now = pending.now.timestamp();
    if let Err(failure) = entry.finish(&pending.vault.engine, now, ended) {
        trace.warnings.push(
            Issue::new("JOURNAL_UNFINISHED", failure.message).with("code", failure.code.name()),
        );
    }
}
