//! How one call is answered (`design.md` §2), as three verbs:
//!
//! - `tell` answers a question about the gateway itself, without a backend;
//! - `read` asks a backend and changes nothing;
//! - `change` changes the vault, previews that (`dryRun`), or copies notes out of it.
//!
//! Each step takes what the step before has made, so that none can be left out: a backend is asked
//! only with an [`AimedCall`], and a change is made only with a [`Granted`] draft.

use jiff::Zoned;

use super::change::{self, ChangePlan, PendingChange, PlanOutcome};
use super::choice::{Backend, Choice};
use super::choose;
use super::control::Control;
use super::envelope_builder::EnvelopeBuilder;
use super::request::Request;
use super::{
    Caller, Gateway, about, export, later_part, note_text, precondition, scope, target, vault_text,
};
use crate::allowlist::{Call, Catalogue, Effect, EffectSet};
use crate::backend::obsidian::deadline::Deadline;
use crate::backend::{Limits, PinnedVault, Produced, ResolvedCall, embedded};
use crate::code::Code;
use crate::failure::Failure;
use crate::tiers::{Decision, decide};

/// An admitted call's vault, and the backend that answers it.
struct OpenedVault<'call> {
    request: &'call Request,
    control: &'call Control,
    /// The whole vault.
    vault: PinnedVault,
    choice: Choice,
    limits: Limits,
    now: Zoned,
}

/// A call whose note is known, and which policy leaves open for that note.
struct AimedCall {
    resolved: ResolvedCall,
    /// What the caller may know of the vault. The question and its answer are about this; a change
    /// is made in the whole vault.
    seen: PinnedVault,
    /// The effects that a person has to approve first.
    needed: EffectSet,
    /// Whether the caller gave a name for what is created.
    is_named: bool,
}

/// A plan that may be carried out: no approval was needed, or it has been used up.
struct Granted(ChangePlan);

impl Gateway {
    /// Takes a request through the gateway. With `app_is_off` the engine answers in place of the
    /// app.
    pub(super) fn pass(
        &self,
        request: &Request,
        control: &Control,
        deadline: Deadline,
        trace: &mut EnvelopeBuilder,
        app_is_off: bool,
    ) -> Result<Produced, Failure> {
        if self.options.timestamp {
            trace.timestamp = Some((self.clock)().timestamp().to_string());
        }
        self.admit_caller()?;
        request.check()?;
        if let Some(question) = about::Question::of(request) {
            return self.tell(&question?, request, control, trace, deadline);
        }
        let call = Self::admit(request)?;
        trace.admitted(&call);
        later_part::check(request, &call)?;
        self.gate(&call)?;
        control.cancel.check()?;
        let opened = self.open(request, control, deadline, &call, trace, app_is_off)?;
        let effects = call.effects();
        if effects.is_mutation() || effects.contains(Effect::Export) || request.dry_run {
            self.change(call, opened, trace)
        } else {
            self.read(call, opened, trace)
        }
    }

    pub(super) fn admit_caller(&self) -> Result<(), Failure> {
        if self.options.caller == Caller::Agent && !self.enabled {
            return Err(Failure::new(
                Code::BridgeDisabled,
                "Calls by agents are turned off.",
            ));
        }
        Ok(())
    }

    fn admit(request: &Request) -> Result<Call, Failure> {
        let command = Catalogue::find_builtin(&request.command)?;
        let arguments = command.admit(&request.params.0)?;
        Ok(Call { command, arguments })
    }

    /// Refuses what policy closes; gives the effects that a person has to approve first.
    fn gate(&self, call: &Call) -> Result<EffectSet, Failure> {
        match decide(call, &self.policy) {
            Decision::Allowed => Ok(EffectSet::default()),
            Decision::NeedsApproval { effects } => Ok(effects),
            Decision::Refused(failure) => Err(failure),
        }
    }

    /// Opens the vault, and chooses who answers.
    fn open<'call>(
        &self,
        request: &'call Request,
        control: &'call Control,
        deadline: Deadline,
        call: &Call,
        trace: &mut EnvelopeBuilder,
        app_is_off: bool,
    ) -> Result<OpenedVault<'call>, Failure> {
        let vault = self.vault_under(request, control, deadline)?;
        trace.vault = Some(vault.name());
        let choice = self.choose(call, &vault, app_is_off)?;
        trace.may_fall_back = choice.may_fall_back;
        trace.warnings.extend(choice.warning.clone());
        scope::refuse_unlimited(call, &choice, &self.policy)?;
        tracing::debug!(reason = choice.reason, "backend chosen");
        let limits = Limits {
            deadline,
            max_output_bytes: self.output_limit(request),
            offset: request.offset,
            limit: later_part::limit(call),
            cancel: control.cancel.clone(),
        };
        if let Backend::Obsidian(app) = &choice.backend
            && !request.dry_run
        {
            self.obsidian.require_version(&vault, app, &limits)?;
        }
        Ok(OpenedVault {
            request,
            control,
            vault: choice.in_its_style(vault),
            choice,
            limits,
            now: (self.clock)(),
        })
    }

    /// Does what leaves the vault as it is. What a killed run has left is recovered first, and the
    /// vault opened anew if that changed something. Afterwards the answer warns of a change that
    /// another process began meanwhile.
    fn on_settled_vault<'call>(
        &self,
        mut opened: OpenedVault<'call>,
        trace: &mut EnvelopeBuilder,
        work: impl FnOnce(&OpenedVault<'call>, &mut EnvelopeBuilder) -> Result<Produced, Failure>,
    ) -> Result<Produced, Failure> {
        if self.settle_what_was_cut_off(&opened.vault, &opened.now, trace) {
            let vault = self.vault_under(opened.request, opened.control, opened.limits.deadline)?;
            opened.vault = opened.choice.in_its_style(vault);
        }
        let produced = work(&opened, trace)?;
        self.warn_of_a_change_under_way(&opened.vault, trace);
        Ok(produced)
    }

    /// Finds the note that the call is about, and checks policy and `ifHash` for it.
    fn aim(&self, call: Call, opened: &OpenedVault<'_>) -> Result<AimedCall, Failure> {
        let seen = opened.vault.clone().limited_to(self.sight.as_ref());
        let mut names = ["path", "name"].iter();
        let is_named = names.any(|key| call.arguments.values.contains_key(*key));
        let aimed = target::aim(call, &seen, &self.policy, &opened.now)?;
        choose::refuse_other_path(&aimed.call, &opened.choice.backend)?;
        let needed = self.gate(&aimed.call)?;
        precondition::check(opened.request, &aimed, &seen)?;
        Ok(AimedCall {
            resolved: aimed.into_resolved(),
            seen,
            needed,
            is_named,
        })
    }

    /// Answers a call that changes nothing.
    fn read(
        &self,
        call: Call,
        opened: OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        self.on_settled_vault(opened, trace, |opened, trace| {
            let aimed = self.aim(call, opened)?;
            let plan = ChangePlan::without_changes(&aimed.resolved, &opened.vault);
            let granted = self.use_approval(opened, &aimed, plan, &opened.vault, trace)?;
            let produced = self.ask(opened, &aimed, granted)?;
            self.complete(produced, opened, &aimed, trace)
        })
    }

    /// Changes the vault, or does what is planned like a change and leaves the vault as it is: a dry
    /// run and an export.
    fn change(
        &self,
        call: Call,
        opened: OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        if call.effects().contains(Effect::Export) {
            return self.on_settled_vault(opened, trace, |opened, trace| {
                self.export_notes(call, opened, trace)
            });
        }
        if opened.request.dry_run {
            return self.on_settled_vault(opened, trace, |opened, trace| {
                self.preview(call, opened, trace)
            });
        }
        self.change_vault(call, &opened, trace)
    }

    /// Asks the backend.
    fn ask(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
        _granted: Granted,
    ) -> Result<Produced, Failure> {
        let OpenedVault {
            vault,
            choice,
            limits,
            now,
            ..
        } = opened;
        let AimedCall { resolved, seen, .. } = aimed;
        let Backend::Obsidian(ready) = &choice.backend else {
            return embedded::answer(resolved, seen, limits, now);
        };
        let open = |follow_up: &str| self.is_open(follow_up);
        let ask = |resolved: &ResolvedCall, limits: &Limits| {
            self.obsidian.answer(resolved, vault, ready, limits, &open)
        };
        if limits.limit.is_some() {
            let mut printed = ask(&later_part::without_limit(resolved), limits)?;
            if later_part::has_too_little(&mut printed, limits) {
                let own = Limits {
                    limit: None,
                    ..limits.clone()
                };
                printed = ask(resolved, &own)?;
                later_part::at_least_one_more(&mut printed, limits);
            }
            return Ok(later_part::of_printed(printed, resolved, limits));
        }
        let printed = ask(resolved, limits)?;
        let whole = Limits {
            offset: 0,
            ..limits.clone()
        };
        let printed = vault_text::recognise(printed, resolved, || {
            embedded::answer(resolved, seen, &whole, now)
        });
        Ok(later_part::of_printed(printed, resolved, limits))
    }

    /// Works out what a call would do, and does nothing.
    fn preview(
        &self,
        call: Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        self.with_draft(opened, &aimed, trace, |plan, _| {
            let chosen = (&opened.choice, aimed.needed);
            change::describe(&aimed.resolved, plan, chosen, &opened.limits)
        })
    }

    /// Changes the vault. From the lock on no other run changes what is looked at.
    fn change_vault(
        &self,
        call: Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let OpenedVault {
            request,
            control,
            vault,
            choice,
            limits,
            now,
        } = opened;
        let lock = self.lock(vault, limits.deadline, &control.cancel, now, trace)?;
        let aimed = self.aim(call, opened)?;
        self.with_draft(opened, &aimed, trace, |plan, trace| {
            // A change that has begun is not cut off by the deadline or by a cancellation.
            let vault = vault.clone().to_the_end();
            let Granted(plan) = self.use_approval(opened, &aimed, plan, &vault, trace)?;
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
            let produced = self.perform(pending, &choice.backend, trace)?;
            self.complete(produced, opened, &aimed, trace)
        })
    }

    /// Works out a change and goes on with its draft. If the engine refuses it in the app's words,
    /// these are the answer.
    fn with_draft(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
        trace: &mut EnvelopeBuilder,
        go_on: impl FnOnce(ChangePlan, &mut EnvelopeBuilder) -> Result<Produced, Failure>,
    ) -> Result<Produced, Failure> {
        match self.plan_change(opened, aimed)? {
            PlanOutcome::Planned(plan) => go_on(*plan, trace),
            PlanOutcome::Refused(error) => {
                trace.chosen(&opened.choice);
                embedded::changed(Err(error), &aimed.resolved, &opened.limits)
            }
        }
    }

    /// Works out a change, and refuses one that is not open to the caller.
    fn plan_change(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
    ) -> Result<PlanOutcome, Failure> {
        let OpenedVault {
            request,
            vault,
            choice,
            limits,
            now,
            ..
        } = opened;
        let AimedCall { resolved, seen, .. } = aimed;
        let (vaults, bounds) = ([vault, seen], (now, limits));
        let outcome =
            ChangePlan::work_out(resolved, vaults, &choice.backend, bounds, request.dry_run)?;
        if let PlanOutcome::Planned(plan) = &outcome {
            plan.refuse_other_name(&resolved.call, aimed.is_named, seen)?;
            plan.check_paths(&self.policy)?;
        }
        Ok(outcome)
    }

    /// Copies notes out of the vault, or previews that.
    fn export_notes(
        &self,
        call: Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        let asked = export::ExportCall {
            request: opened.request,
            resolved: &aimed.resolved,
            vault: &aimed.seen,
            choice: &opened.choice,
            needed: aimed.needed,
            limits: &opened.limits,
        };
        self.export(&asked, trace)
    }

    /// Uses up the approval that the call needs. This is the last moment to turn back.
    fn use_approval(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
        plan: ChangePlan,
        vault: &PinnedVault,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Granted, Failure> {
        opened.limits.cancel.check()?;
        let AimedCall {
            resolved, needed, ..
        } = aimed;
        let approved = self.approve(
            opened.request,
            *needed,
            resolved,
            &plan,
            (vault, &opened.limits),
        )?;
        trace.subject.approved = approved;
        trace.chosen(&opened.choice);
        Ok(Granted(plan))
    }

    /// Adds to an answer what the backend does not know, and takes out what is not the caller's.
    fn complete(
        &self,
        produced: Produced,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let OpenedVault {
            vault,
            choice,
            limits,
            ..
        } = opened;
        let produced = note_text::complete(produced, &aimed.resolved, &aimed.seen, limits)?;
        let produced =
            scope::hide_other_vaults(produced, &aimed.resolved, vault, self.options.caller)?;
        if let Backend::Obsidian(app) = &choice.backend
            && produced.process.is_some()
            && produced.outcome.is_ok()
        {
            let warning = self.obsidian.version_warning(vault, app, limits);
            trace.warnings.extend(warning);
        }
        Ok(produced)
    }

    /// The pinned vault; long readings of it end with the call.
    pub(super) fn vault_under(
        &self,
        request: &Request,
        control: &Control,
        deadline: Deadline,
    ) -> Result<PinnedVault, Failure> {
        let vault = self.pinned_vault(request)?;
        Ok(vault.under(&control.cancel, deadline, control.progress.as_ref()))
    }

    /// Whether the tier of a command that carries on a longer text is open.
    pub(super) fn is_open(&self, command: &str) -> bool {
        Catalogue::find_builtin(command).is_ok_and(|command| command.tier <= self.policy.tier())
    }

    /// Bytes to keep of each stream. A budget tightens the setting.
    pub(super) fn output_limit(&self, request: &Request) -> usize {
        let limit = self.settings.max_output_bytes;
        let limit = request.budget.map_or(limit, |budget| budget.min(limit));
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}
