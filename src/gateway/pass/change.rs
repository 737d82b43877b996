//! The branch of a call that changes the vault, previews that (`dryRun`), or copies notes out of it.

use super::super::change::{self, ChangePlan, PendingChange, PlanOutcome};
use super::super::envelope_builder::EnvelopeBuilder;
use super::super::outside::OutsideFolder;
use super::super::{Gateway, nearby};
use super::{AimedCall, Granted, OpenedVault};
use crate::allowlist::{Call, Effect, EffectSet};
use crate::backend::{PinnedVault, Produced, embedded};
use crate::failure::Failure;

impl Gateway {
    /// Changes the vault. A dry run and an export are planned in the same way and leave the vault
    /// unchanged.
    pub(super) fn change(
        &self,
        call: Call,
        opened: OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let opened = if call.effects().contains(Effect::Import) {
            let folder = self.open_outside(OutsideFolder::Import, &opened.vault)?;
            OpenedVault { vault: opened.vault.with_import_folder(folder), ..opened }
        } else {
            opened
        };
        if call.effects().contains(Effect::Export) {
            return self.on_recovered_vault(opened, trace, |opened, trace| {
                self.export(call, opened, trace)
            });
        }
        if opened.request.dry_run {
            return self.on_recovered_vault(opened, trace, |opened, trace| {
                match self.preview(call.clone(), opened, trace) {
                    Err(failure) if self.may_draft_active_content(&failure, &call) => {
                        let vault = self.through_draft(opened.vault.clone(), None, trace)?;
                        self.preview(call, &opened.for_draft(vault), trace)
                    }
                    shown => shown,
                }
            });
        }
        if opened.into_draft {
            return self.record_in_draft(call, opened, trace);
        }
        match self.change_vault(call.clone(), &opened, trace) {
            Err(failure) if self.may_draft_active_content(&failure, &call) => {
                let opened = opened.for_draft(opened.vault.clone());
                self.record_in_draft(call, opened, trace)
            }
            done => done,
        }
    }

    /// Returns the plan of a call without running it.
    fn preview(
        &self,
        call: Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        let is_drafted = self.would_be_drafted(opened, &aimed)?;
        let shown = self.with_plan(opened, &aimed, trace, |plan, trace| {
            self.label_change(opened, &aimed, (plan.changes(), true), trace)?;
            let needed = if is_drafted {
                EffectSet::default()
            } else {
                self.needs_approval(&aimed.resolved, &plan)
            };
            let chosen = (&opened.choice, needed, is_drafted);
            change::describe(&aimed.resolved, plan, chosen, self.is_person(), &opened.limits)
        });
        self.suggest_similar_names(shown, opened, &aimed)
    }

    /// Changes the vault under the vault's lock.
    pub(in crate::gateway) fn change_vault(
        &self,
        call: Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let OpenedVault { request, control, vault, choice, limits, now, .. } = opened;
        // The lock comes before the plan. Planned before the lock, another gateway could change the same notes in
        // between, and `ifHash` and the plan would be about old content. Taking the lock also recovers killed runs, so
        // the plan never starts from a half-done run.
        let lock = self.lock(vault, limits.deadline, &control.cancel, now, trace)?;
        let aimed = self.aim(call, opened)?;
        self.with_plan(opened, &aimed, trace, |plan, trace| {
            let shows_plan = !self.needs_approval(&aimed.resolved, &plan).is_empty();
            let labels = self.label_change(opened, &aimed, (plan.changes(), shows_plan), trace)?;
            self.refuse_drafted(plan.changes(), vault)?;
            // From here on neither the deadline nor a cancellation interrupts the engine: a change
            // is completed or rolled back, never left half done.
            let vault = vault.clone().to_the_end();
            let Granted(plan) = self.use_approval(opened, &aimed, plan, &vault, trace)?;
            self.keep_labels(&lock, labels, plan.changes(), opened.into_draft)?;
            let pending = PendingChange {
                request,
                resolved: &aimed.resolved,
                plan,
                is_named: aimed.is_named,
                vault: &vault,
                seen: &aimed.seen,
                lock: &lock,
                limits: limits.clone(),
                now,
            };
            let produced = self.perform(pending, &choice.backend, trace);
            let produced = self.suggest_similar_names(produced, opened, &aimed)?;
            self.complete(produced, opened, &aimed, trace)
        })
    }

    /// Plans a change and passes the plan to `go_on`. If the engine refuses the change with an error
    /// text of the app, that text is the answer.
    pub(in crate::gateway) fn with_plan(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
        trace: &mut EnvelopeBuilder,
        go_on: impl FnOnce(ChangePlan, &mut EnvelopeBuilder) -> Result<Produced, Failure>,
    ) -> Result<Produced, Failure> {
        match self.plan_change(opened, aimed)? {
            PlanOutcome::Planned(plan) => {
                trace.planned(plan.effects(&aimed.resolved.call));
                let changes_nothing = plan.planned.is_empty();
                let mut produced = go_on(*plan, trace)?;
                if changes_nothing {
                    let (call, seen) = (&aimed.resolved.call, &aimed.seen);
                    nearby::warn_of_unknown(&mut produced, call, seen, &opened.now);
                }
                Ok(produced)
            }
            PlanOutcome::Refused(error) => {
                trace.chosen(&opened.choice);
                let changed = embedded::changed(Err(error), &aimed.resolved, &opened.limits);
                self.suggest_similar_names(changed, opened, aimed)
            }
        }
    }

    /// Plans a change, and refuses one that touches paths closed to the caller, or leaves active content.
    pub(in crate::gateway) fn plan_change(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
    ) -> Result<PlanOutcome, Failure> {
        let mut outcome = self.plan_without_findings(opened, aimed)?;
        if let PlanOutcome::Planned(plan) = &mut outcome {
            let bounds = (&aimed.seen, opened.into_draft);
            self.find_active(&aimed.resolved.call, plan, bounds)?;
            self.refuse_to_show(opened, aimed, plan.changes())?;
        }
        Ok(outcome)
    }

    /// Plans a change, and refuses one that touches paths closed to the caller.
    pub(in crate::gateway) fn plan_without_findings(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
    ) -> Result<PlanOutcome, Failure> {
        if aimed.resolved.call.has_steps() {
            self.plan_steps(opened, aimed)
        } else {
            self.plan_one(opened, aimed)
        }
    }

    /// Plans a change that is one call, and refuses one that touches paths closed to the caller.
    pub(in crate::gateway) fn plan_one(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
    ) -> Result<PlanOutcome, Failure> {
        let OpenedVault { request, vault, choice, limits, now, .. } = opened;
        let AimedCall { resolved, seen, .. } = aimed;
        let (vaults, bounds) = ([vault, seen], (now, limits));
        // Links in closed notes are changed when the draft is accepted.
        let leaves_closed = request.dry_run || opened.into_draft;
        let outcome = ChangePlan::work_out(
            resolved,
            vaults,
            (&choice.backend, &self.policy),
            bounds,
            leaves_closed,
        )?;
        if let PlanOutcome::Planned(plan) = &outcome {
            let has_hash = request.if_hash.is_some();
            let proven = (aimed.is_named, has_hash);
            self.check_plan(plan, &resolved.call, proven, (seen, opened.into_draft))?;
        }
        Ok(outcome)
    }

    /// Refuses a plan that changes other files than the call may change, or text that its caller has not read.
    pub(in crate::gateway) fn check_plan(
        &self,
        plan: &ChangePlan,
        call: &Call,
        (is_named, has_hash): (bool, bool),
        (seen, into_draft): (&PinnedVault, bool),
    ) -> Result<(), Failure> {
        plan.refuse_other_name(call, (is_named, self.policy.approve()), seen)?;
        // The arguments alone do not name every path: a template, a rename or a backlink adds more. Only the plan knows
        // them all.
        plan.check_paths(&self.policy, seen, into_draft)?;
        plan.refuse_unread(has_hash)
    }
}
