//! The branch of a call that changes the vault, previews that (`dryRun`), or copies notes out of it.

use std::sync::Arc;

use vault_engine::EngineError;

use crate::aimed::{AimedCall, OpenedVault};
use crate::drafts::Destination;
use crate::nearby;
use crate::pass::{Pipeline, failure_of};
use crate::state::warn_of_concurrent_change;
use crate::vault::OutsideFolder;
use allowlist::{Call, Effect, EffectSet};
use backend::{Produced, embedded};
use changes::{
    ChangePlan, EnvelopeBuilder, PendingChange, PlanOutcome,
    change::{self, journal_unfinished},
    note_text,
};
use protocol::{Code, Failure};
use store::journal::VaultLock;

impl Pipeline<'_> {
    /// Makes or plans a change, or copies notes out of the vault, and labels the caller by the answer.
    pub(super) fn change(
        &self,
        call: &Call,
        opened: OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let before = opened.clone();
        let mut result = self.changed(call, opened, trace);
        if let Err(failure) =
            self.labels
                .label_by_outcome(call, &before, &mut result, trace, &|opened| {
                    self.planned_answer(call, opened)
                })
        {
            match &mut result {
                // It has happened.
                Ok(produced) => produced.warnings.push(journal_unfinished(&failure)),
                Err(_) => result = Err(failure),
            }
        }
        result
    }

    /// Does the work of [`Self::change`]. A dry run and an export are planned in the same way as a change and leave the
    /// vault unchanged.
    fn changed(
        &self,
        call: &Call,
        mut opened: OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let exports = call.effects().contains(Effect::Export);
        let is_dry_run = opened.request.dry_run;
        let journal = if exports || is_dry_run {
            self.recover_vault(&mut opened, trace)?
        } else {
            None
        };
        if call.effects().contains(Effect::Import) {
            let folder = self
                .vaults
                .open_outside(OutsideFolder::Import, &opened.vault)?;
            opened.vault.engine.import_folder = Some(Arc::new(folder));
        }
        let attempt = |opened: &OpenedVault<'_>, trace: &mut EnvelopeBuilder| match is_dry_run {
            _ if exports => self.export(call, opened, trace),
            true => self.preview(call, opened, trace),
            false => self.make_change(call, opened, trace),
        };
        let mut result = attempt(&opened, trace);
        if let Some(failure) = failure_of(&result).filter(|_| !opened.into_draft) {
            if self.caller.may_draft_active_content(failure, call) {
                let mut vault = opened.vault.clone();
                if is_dry_run {
                    vault = self.drafts.through_draft(vault, None, trace)?;
                }
                result = attempt(&opened.for_draft(vault), trace);
            } else if matches!(failure.code, Code::FileNotFound | Code::FolderNotFound) && !exports
            {
                self.refuse_only_drafted(call, &opened, trace)?;
            }
        }
        let produced = result?;
        warn_of_concurrent_change(journal.as_ref(), trace);
        Ok(produced)
    }

    /// Refuses a change in the vault of a file that is only in the draft of the caller.
    fn refuse_only_drafted(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<(), Failure> {
        let vault = opened.vault.clone();
        let view = self.drafts.through_draft(vault, None, trace)?;
        if view.engine.overlay().is_none() {
            return Ok(());
        }
        match self.plan_call(call, &opened.for_draft(view)) {
            Ok(PlanOutcome::Planned(plan)) => {
                self.drafts.refuse_drafted(plan.changes(), &opened.vault)
            }
            _ => Ok(()),
        }
    }

    /// Returns the plan of a call without running it.
    fn preview(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        let is_drafted = self
            .drafts
            .would_be_drafted(opened, &|opened| self.plan_call(call, opened))?;
        self.described(&aimed, is_drafted, trace)
    }

    /// Plans a change and describes the plan.
    fn described(
        &self,
        aimed: &AimedCall<'_>,
        is_drafted: bool,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let (opened, resolved) = (aimed.opened, &aimed.resolved);
        let plan = match self.plan_change(aimed)? {
            PlanOutcome::Planned(plan) => *plan,
            PlanOutcome::Refused(error) => return self.refused_change(error, aimed, trace),
        };
        trace.planned(plan.effects(&resolved.call));
        let changes_nothing = plan.planned.is_empty();
        self.labels
            .label_change(opened, aimed, (plan.changes(), true), trace, &|opened| {
                self.plan_again(&aimed.resolved.call, opened)
            })?;
        let needed = if is_drafted {
            EffectSet::default()
        } else {
            self.caller.approvals().needed(resolved, &plan)
        };
        let chosen = (&opened.choice, needed, is_drafted);
        let mut shown = change::describe(
            resolved,
            plan,
            chosen,
            self.caller.is_person(),
            &opened.limits,
        )?;
        if changes_nothing {
            nearby::warn_of_unknown(&mut shown, &resolved.call, &aimed.seen);
        }
        Ok(shown)
    }

    /// Plans a change under the vault's lock and makes it, in the vault or in the draft of its agent.
    fn make_change(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let (vault, limits) = (&opened.vault, &opened.limits);
        // The lock comes before the plan. Planned before the lock, another gateway could change the same notes in
        // between, and `ifHash` and the plan would be about old content. Taking the lock also recovers killed runs, so
        // the plan never starts from a half-done run. The lock also protects the drafts.
        let lock = self
            .records
            .lock(vault, limits.deadline, &limits.cancel, &vault.now, trace)?;
        let (opened, destination) = self
            .drafts
            .destination(call, opened, &lock, &|opened| self.plan_call(call, opened))?;
        let aimed = self.aim(call, &opened)?;
        let plan = match self.plan_change(&aimed)? {
            PlanOutcome::Planned(plan) => *plan,
            PlanOutcome::Refused(error) => {
                return self.refused_change(error, &aimed, trace);
            }
        };
        trace.planned(plan.effects(&aimed.resolved.call));
        let changes_nothing = plan.planned.is_empty();
        let target = (&opened, &aimed);
        let made = match destination {
            Destination::Vault => self.change_vault(&aimed, plan, &lock, trace)?,
            Destination::Draft(draft) => {
                self.drafts
                    .record(target, plan, *draft, &lock, trace, &|opened| {
                        self.plan_again(&aimed.resolved.call, opened)
                    })?
            }
        };
        let mut produced = self.complete(made, &aimed, trace)?;
        if changes_nothing {
            nearby::warn_of_unknown(&mut produced, &aimed.resolved.call, &aimed.seen);
        }
        Ok(produced)
    }

    /// Makes a planned change in the vault, once its approval is given.
    fn change_vault(
        &self,
        aimed: &AimedCall<'_>,
        plan: ChangePlan,
        lock: &VaultLock,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let opened = aimed.opened;
        let shows_plan = !self
            .caller
            .approvals()
            .needed(&aimed.resolved, &plan)
            .is_empty();
        let labels = self.labels.label_change(
            opened,
            aimed,
            (plan.changes(), shows_plan),
            trace,
            &|opened| self.plan_again(&aimed.resolved.call, opened),
        )?;
        self.drafts.refuse_drafted(plan.changes(), &opened.vault)?;
        // From here on neither the deadline nor a cancellation interrupts the engine: a change
        // is completed or rolled back, never left half done.
        let vault = opened.vault.clone().to_the_end();
        self.use_approval(aimed, &plan, &vault, trace)?;
        self.labels
            .keep_labels(lock, labels, plan.changes(), false)?;
        let pending = PendingChange {
            resolved: &aimed.resolved,
            plan,
            vault: &vault,
            seen: &aimed.seen,
            lock,
            limits: &opened.limits,
        };
        let produced = self.perform(aimed, pending, trace);
        self.suggest_similar_names(produced, aimed)
    }

    /// Answers a change that the engine refuses with an error text of the app.
    fn refused_change(
        &self,
        error: EngineError,
        aimed: &AimedCall<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let opened = aimed.opened;
        trace.chosen(&opened.choice);
        let changed = embedded::changed(Err(error), &aimed.resolved, &opened.limits);
        self.suggest_similar_names(changed, aimed)
    }

    /// Plans a change, and refuses one that touches paths closed to the caller, or leaves active content.
    pub(crate) fn plan_change(&self, aimed: &AimedCall<'_>) -> Result<PlanOutcome, Failure> {
        let mut outcome = self.plan_without_findings(aimed)?;
        if let PlanOutcome::Planned(plan) = &mut outcome {
            let bounds = (&aimed.seen, aimed.opened.into_draft);
            self.caller
                .find_active_content(&aimed.resolved.call, plan, bounds)?;
            self.caller.refuse_to_show(aimed, plan.changes())?;
        }
        Ok(outcome)
    }

    /// Plans a change, and refuses one that touches paths closed to the caller.
    pub(crate) fn plan_without_findings(
        &self,
        aimed: &AimedCall<'_>,
    ) -> Result<PlanOutcome, Failure> {
        if aimed.resolved.call.has_steps() {
            self.plan_steps(aimed)
        } else {
            self.plan_one(aimed)
        }
    }

    /// Plans a change that is one call, and refuses one that touches paths closed to the caller.
    pub(crate) fn plan_one(&self, aimed: &AimedCall<'_>) -> Result<PlanOutcome, Failure> {
        let opened = aimed.opened;
        let AimedCall { resolved, seen, .. } = aimed;
        // Links in closed notes are changed when the draft is accepted.
        let leaves_closed = opened.request.dry_run || opened.into_draft;
        let policy = &self.caller.policy;
        let outcome = ChangePlan::work_out(
            resolved,
            [&opened.vault, seen],
            (&opened.choice.backend, policy),
            &opened.limits,
            leaves_closed,
        );
        let caller = self.caller.options.caller;
        let outcome =
            outcome.map_err(|failure| nearby::suggest(failure, &resolved.call, seen, caller))?;
        if let PlanOutcome::Planned(plan) = &outcome {
            let names = (aimed.is_named, policy.approve());
            plan.refuse_other_name(&resolved.call, names, seen)?;
            // The arguments alone do not name every path: a template, a rename or a backlink adds more. Only the plan
            // knows them all.
            plan.check_paths(policy, seen, opened.into_draft)?;
            plan.refuse_unread(opened.request.if_hash.is_some())?;
        }
        Ok(outcome)
    }

    /// Returns the answer that a change would have, or its failure, without making it.
    fn planned_answer(&self, call: &Call, opened: &OpenedVault<'_>) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        let AimedCall { resolved, seen, .. } = &aimed;
        let edited = match self.plan_change(&aimed)? {
            PlanOutcome::Planned(mut plan) => match plan.edit.take() {
                Some(edit) => Ok(edit),
                None => return Ok(Produced::default()),
            },
            PlanOutcome::Refused(error) => Err(error),
        };
        let changed = embedded::changed(edited, resolved, &opened.limits);
        let mut produced = self.suggest_similar_names(changed, &aimed)?;
        nearby::warn_of_unknown(&mut produced, &resolved.call, seen);
        note_text::complete(produced, resolved, seen, &opened.limits)
    }

    /// Plans a call as a change.
    pub(crate) fn plan_call(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
    ) -> Result<PlanOutcome, Failure> {
        self.plan_change(&self.aim(call, opened)?)
    }

    /// Plans a change again, on the vault as it was opened with another sight.
    pub(crate) fn plan_again(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
    ) -> Result<PlanOutcome, Failure> {
        self.plan_without_findings(&self.aim(call, opened)?)
    }
}
