//! Carries out a change: journal entry, audit log, the change itself, verification.

use crate::aimed::{AimedCall, OpenedVault};
use crate::pass::Pipeline;
use backend::{Produced, embedded};
use changes::{
    Backend, ChangeVerifier, EnvelopeBuilder, Judgement, Patience, PendingChange, PlanOutcome,
    Questions, change::finish, patience::is_being_written, subject::logged,
};
use obsidian_cli::Ready;
use protocol::{Code, Failure};
use store::journal::{OpenEntry, RunEnd};

impl Pipeline<'_> {
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
        aimed: &AimedCall<'_>,
        mut pending: PendingChange<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let opened = aimed.opened;
        let backend = &opened.choice.backend;
        let is_tied = opened.request.if_hash.is_some()
            || trace.subject.approved.id.is_some()
            || pending.resolved.call.has_steps();
        let patience = Patience::within(pending.limits.deadline);
        let mut leaves_unseen = false;
        loop {
            let failure = match self.attempt(opened, &mut pending, trace) {
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
            match self.plan_change(aimed)? {
                PlanOutcome::Planned(plan) => pending.plan = *plan,
                PlanOutcome::Refused(error) => {
                    return embedded::changed(Err(error), pending.resolved, pending.limits);
                }
            }
            if leaves_unseen {
                pending.plan.leave_unseen();
            }
            let PendingChange { resolved, plan, .. } = &pending;
            // The same edit may overwrite a note that became shorter. The next call asks for the approval of that.
            let needs_approval = !self.caller.approvals().needed(resolved, plan).is_empty();
            if needs_approval && trace.subject.approved.channel.is_none() {
                return Err(failure);
            }
            trace.planned(plan.effects(&resolved.call));
        }
    }

    /// Tries the change once, with the chosen backend.
    fn attempt(
        &self,
        opened: &OpenedVault<'_>,
        pending: &mut PendingChange<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let backend = &opened.choice.backend;
        let origin = self.records.origin_of(&trace.subject);
        let entry = pending.begin(backend, trace.envelope.run_id, origin, || {
            for issue in &pending.plan.hard_links {
                // An earlier attempt may have added this warning.
                if !trace.envelope.warnings.contains(issue) {
                    trace.envelope.warnings.push(issue.clone());
                }
            }
            let unseen = &pending.plan.unseen;
            trace.subject.unseen = unseen.files.iter().map(logged).collect();
            trace.subject.unseen_left = unseen.left;
            self.records
                .record_intent(opened.request, trace, &pending.plan.planned.files)
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
        let (resolved, vault, limits) = (pending.resolved, pending.vault, pending.limits);
        let questions = Questions {
            obsidian: self.backends.obsidian,
            vault,
            limits,
        };
        let open = |follow_up: &str| self.caller.is_open(follow_up);
        let ran = ChangeVerifier::before(pending, questions).and_then(|verifier| {
            let produced = self
                .backends
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
            kept: &[],
        };
        finish(entry, pending, ended, trace);
        trace.changed(run.observed.changes);
        Ok(run.produced)
    }
}
