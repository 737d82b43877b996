//! `notes:change`: several calls planned as one change.
//!
//! Each step is a call of its own. It must pass the checks that it would pass alone, on the vault
//! as the earlier steps will leave it: admission, tier, switches, path rules, names, `ifHash`, and
//! its plan. So no step can do what would be refused alone. All changes together are one plan,
//! which is approved, journalled, applied and undone as a whole.

use serde_json::Value as JsonValue;
use vault_engine::{ChangedNotes, Editor};

use crate::aimed::{AimedCall, OpenedVault};
use crate::choose;
use crate::error::Error;
use crate::pass::Pipeline;
use crate::{nearby, target};
use allowlist::{Call, Catalogue};
use backend::{PinnedVault, engine_failure};
use changes::{ChangePlan, Choice, PlanOutcome, Request};
use protocol::Failure;
use tiers::can_be_drafted;

/// The parameter that lists the steps.
const CHANGES: &str = "changes";

/// The hint for steps that cannot be made together.
const SEPARATE: &str = "Nothing was changed. Make this step and the later steps in another call.";

/// Most bytes of files, before and after, in the plans of all steps. They are in memory until the
/// change is made.
pub(crate) const MAX_BYTES: usize = 128 * 1024 * 1024;

/// A step with its plan.
struct PlannedStep {
    call: Call,
    plan: ChangePlan,
}

impl Pipeline<'_> {
    /// Plans the steps of a call, each on the result of the earlier ones.
    pub(super) fn plan_steps(&self, aimed: &AimedCall<'_>) -> Result<PlanOutcome, Failure> {
        let (opened, call) = (aimed.opened, &aimed.resolved.call);
        let items = items_of(call);
        let mut vault = opened.vault.clone();
        let mut steps: Vec<PlannedStep> = Vec::with_capacity(items.len());
        let mut bytes = 0;
        for (index, item) in items.iter().enumerate() {
            opened.limits.cancel.check()?;
            let planned = self.plan_step(item, opened, &vault).and_then(|step| {
                bytes += step.plan.bytes_seen();
                (bytes <= MAX_BYTES)
                    .then_some(step)
                    .ok_or_else(|| Error::StepTooLarge.into())
            });
            let step = planned.map_err(|failure| in_step(failure, index + 1))?;
            vault.engine = Editor(&vault.engine).after(step.plan.changes());
            steps.push(step);
        }
        let answer = ChangedNotes {
            steps: steps.iter().map(done).collect(),
        };
        let plans: Vec<&ChangePlan> = steps.iter().map(|step| &step.plan).collect();
        let vaults = [&opened.vault, &aimed.seen];
        let plan = ChangePlan::joined(&plans, answer.into(), call, vaults)
            .map_err(|failure| in_step(failure.hint(SEPARATE), first_misfit(&plans)))?;
        plan.check_paths(&self.caller.policy, &aimed.seen, opened.into_draft)?;
        Ok(PlanOutcome::Planned(Box::new(plan)))
    }

    /// Checks the steps of a call without the vault: their form, and whether the policy opens them.
    pub(super) fn check_steps(&self, request: &Request, call: &Call) -> Result<(), Failure> {
        let steps = items_of(call).iter().enumerate();
        steps
            .map(|(index, item)| (index, self.open_step(item, request.dry_run)))
            .try_for_each(|(index, step)| {
                step.map(drop)
                    .map_err(|failure| in_step(failure, index + 1))
            })
    }

    /// Returns a step as a call, if it can be a step and the policy opens it.
    fn open_step(&self, item: &JsonValue, dry_run: bool) -> Result<(Request, Call), Failure> {
        let request = Request {
            dry_run,
            ..Request::from_value(item)?
        };
        let call = request.call()?;
        if !call.command.is_step() || !call.effects().is_mutation() {
            return Err(Error::NotAStep(call.command.id.clone()).into());
        }
        if !can_be_drafted(&call.command, call.effects()) || !choose::engine_serves(&call) {
            return Err(Error::StepNeedsApp.into());
        }
        self.caller.gate(&request, &call)?;
        Ok((request, call))
    }

    /// Plans one step in the vault as the earlier steps leave it.
    fn plan_step(
        &self,
        item: &JsonValue,
        opened: &OpenedVault<'_>,
        vault: &PinnedVault,
    ) -> Result<PlannedStep, Failure> {
        let (request, call) = self.open_step(item, opened.request.dry_run)?;
        let seen = vault.clone().limited_to(opened.sight.as_ref())?;
        let call = self.labels.with_real_names(call, &seen)?;
        target::check_names(&call, &seen)?;
        let (vault, choice) = (vault.clone(), Choice::by_engine(""));
        let step = OpenedVault {
            request: &request,
            vault,
            choice,
            ..opened.clone()
        };
        let aimed = self.aim(&call, &step)?;
        let outcome = self.plan_one(&aimed)?;
        let AimedCall { resolved, seen, .. } = aimed;
        let call = resolved.call;
        match outcome {
            PlanOutcome::Planned(plan) => Ok(PlannedStep { call, plan: *plan }),
            PlanOutcome::Refused(error) => {
                let caller = self.caller.options.caller;
                Err(nearby::suggest(engine_failure(error), &call, &seen, caller))
            }
        }
    }
}

/// Returns the number of the first step that cannot be made together with all steps before it.
fn first_misfit(plans: &[&ChangePlan]) -> usize {
    let fits = |count: &usize| {
        let plans = plans.iter().take(*count);
        vault_engine::joined(plans.map(|plan| plan.changes())).is_ok()
    };
    let together = (0..plans.len()).rev().find(fits);
    together.unwrap_or_default() + 1
}

/// Returns the steps of a call; none if the command has none.
fn items_of(call: &Call) -> &[JsonValue] {
    call.arguments.list(CHANGES).unwrap_or_default()
}

/// Returns the confirmation of a step.
fn done(step: &PlannedStep) -> String {
    let arguments = &step.call.arguments;
    let answer = step.plan.edit.as_ref().map(|edit| &edit.answer);
    let text = answer.map(|answer| cli_output::render(answer, step.call.command.output, arguments));
    text.unwrap_or_default().trim_end().to_owned()
}

/// Returns the failure of a step, with the number of the step, counted from 1.
fn in_step(mut failure: Failure, number: usize) -> Failure {
    let is_step = |id: &str| Catalogue::find_builtin(id).is_ok_and(|command| command.is_step());
    failure.map(|message| message.use_ids(&is_step));
    failure
        .begin_with(format!("Step {number}:"))
        .with("step", number)
}
