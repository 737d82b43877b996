//! The way of one call through the gateway (`design.md` §2).
//!
//! A question about the gateway is answered at once. Everything else is admitted, gets a vault and a
//! backend, and is then a read, a preview or a change. Each step takes what the one before has made.

use jiff::Zoned;

use super::change::{self, Decided, Draft, Drafted};
use super::choose::{self, Backend, Choice};
use super::control::Control;
use super::request::Request;
use super::trace::Trace;
use super::{
    Caller, Gateway, about, export, later_part, note_text, precondition, scope, target, vault_text,
};
use crate::allowlist::{Call, Catalogue, Effect, EffectSet};
use crate::backend::obsidian::deadline::Deadline;
use crate::backend::{Limits, PinnedVault, Plan, Produced, embedded};
use crate::code::Code;
use crate::failure::Failure;
use crate::tiers::{Decision, decide};

/// An admitted call's vault, and the backend that answers it.
struct Opened<'call> {
    request: &'call Request,
    control: &'call Control,
    /// The whole vault.
    vault: PinnedVault,
    choice: Choice,
    limits: Limits,
    now: Zoned,
}

/// A call whose note is known, and which policy leaves open for that note.
struct Aimed {
    plan: Plan,
    /// What the caller may know of the vault. The question and its answer are about this; a change
    /// is made in the whole vault.
    seen: PinnedVault,
    /// The effects that a person has to approve first.
    needed: EffectSet,
    /// Whether the caller gave a name for what is created.
    is_named: bool,
}

impl Gateway {
    /// Takes a request through the gateway. With `app_is_off` the engine answers in place of the
    /// app.
    pub(super) fn pass(
        &self,
        request: &Request,
        control: &Control,
        deadline: Deadline,
        trace: &mut Trace,
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
        if call.effects().is_mutation() && !request.dry_run {
            return self.change(call, &opened, trace);
        }
        let opened = self.settled(opened, trace)?;
        let produced = if call.effects().contains(Effect::Export) {
            self.export_notes(call, &opened, trace)
        } else if request.dry_run {
            self.preview(call, &opened, trace)
        } else {
            self.read(call, &opened, trace)
        }?;
        self.warn_of_a_change_under_way(&opened.vault, trace);
        Ok(produced)
    }

    pub(super) fn admit_caller(&self) -> Result<(), Failure> {
        if self.options.caller == Caller::Agent && !self.enabled {
            return Err(Failure::new(
                Code::BridgeDisabled,
                "Agents may not call: the bridge is off.",
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
        trace: &mut Trace,
        app_is_off: bool,
    ) -> Result<Opened<'call>, Failure> {
        let vault = self.vault_under(request, control, deadline)?;
        trace.vault = Some(vault.name());
        let choice = self.choose(call, &vault, app_is_off)?;
        trace.may_fall_back = choice.may_fall_back;
        trace.warnings.extend(choice.warning.clone());
        scope::refuse_unlimited(call, &choice, &self.policy)?;
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
        Ok(Opened {
            request,
            control,
            vault: choice.in_its_style(vault),
            choice,
            limits,
            now: (self.clock)(),
        })
    }

    /// Recovers what a killed run has left, before the vault is read. The vault is opened anew where
    /// that changed something.
    fn settled<'call>(
        &self,
        mut opened: Opened<'call>,
        trace: &mut Trace,
    ) -> Result<Opened<'call>, Failure> {
        if self.settle_what_was_cut_off(&opened.vault, &opened.now, trace) {
            let vault = self.vault_under(opened.request, opened.control, opened.limits.deadline)?;
            opened.vault = opened.choice.in_its_style(vault);
        }
        Ok(opened)
    }

    /// Finds the note that the call is about, and checks policy and `ifHash` for it.
    fn aim(&self, call: Call, opened: &Opened<'_>) -> Result<Aimed, Failure> {
        let seen = opened.vault.clone().limited_to(self.sight.as_ref());
        let mut names = ["path", "name"].iter();
        let is_named = names.any(|key| call.arguments.values.contains_key(*key));
        let aimed = target::aim(call, &seen, &self.policy, &opened.now)?;
        choose::refuse_other_path(&aimed.call, &opened.choice.backend)?;
        let needed = self.gate(&aimed.call)?;
        precondition::check(opened.request, &aimed, &seen)?;
        Ok(Aimed {
            plan: aimed.into_plan(),
            seen,
            needed,
            is_named,
        })
    }

    /// Answers a call that changes nothing.
    fn read(
        &self,
        call: Call,
        opened: &Opened<'_>,
        trace: &mut Trace,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        let draft = Draft::of_nothing(&aimed.plan, &opened.vault);
        self.use_approval(opened, &aimed, &draft, &opened.vault, trace)?;
        let produced = self.ask(opened, &aimed)?;
        self.complete(produced, opened, &aimed, trace)
    }

    /// Asks the backend.
    fn ask(&self, opened: &Opened<'_>, aimed: &Aimed) -> Result<Produced, Failure> {
        let Opened {
            vault,
            choice,
            limits,
            now,
            ..
        } = opened;
        let Aimed { plan, seen, .. } = aimed;
        let Backend::Obsidian(ready) = &choice.backend else {
            return embedded::answer(plan, seen, limits, now);
        };
        let open = |follow_up: &str| self.is_open(follow_up);
        let ask =
            |plan: &Plan, limits: &Limits| self.obsidian.answer(plan, vault, ready, limits, &open);
        if limits.limit.is_some() {
            let mut printed = ask(&later_part::without_limit(plan), limits)?;
            if later_part::has_too_little(&mut printed, limits) {
                let own = Limits {
                    limit: None,
                    ..limits.clone()
                };
                printed = ask(plan, &own)?;
                later_part::at_least_one_more(&mut printed, limits);
            }
            return Ok(later_part::of_printed(printed, plan, limits));
        }
        let printed = ask(plan, limits)?;
        let whole = Limits {
            offset: 0,
            ..limits.clone()
        };
        let printed =
            vault_text::recognise(printed, plan, || embedded::answer(plan, seen, &whole, now));
        Ok(later_part::of_printed(printed, plan, limits))
    }

    /// Works out what a call would do, and does nothing.
    fn preview(
        &self,
        call: Call,
        opened: &Opened<'_>,
        trace: &mut Trace,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        let draft = match self.draft(opened, &aimed)? {
            Drafted::Draft(draft) => *draft,
            Drafted::Refused(error) => {
                trace.chosen(&opened.choice);
                return embedded::changed(Err(error), &aimed.plan, &opened.limits);
            }
        };
        let chosen = (&opened.choice, aimed.needed);
        change::describe(&aimed.plan, draft, chosen, &opened.limits)
    }

    /// Changes the vault. From the lock on no other run changes what is looked at.
    fn change(
        &self,
        call: Call,
        opened: &Opened<'_>,
        trace: &mut Trace,
    ) -> Result<Produced, Failure> {
        let Opened {
            request,
            control,
            vault,
            choice,
            limits,
            now,
        } = opened;
        let lock = self.lock(vault, limits.deadline, &control.cancel, now, trace)?;
        let aimed = self.aim(call, opened)?;
        let draft = match self.draft(opened, &aimed)? {
            Drafted::Draft(draft) => *draft,
            Drafted::Refused(error) => {
                trace.chosen(choice);
                return embedded::changed(Err(error), &aimed.plan, limits);
            }
        };
        let vault = vault.clone().to_the_end();
        self.use_approval(opened, &aimed, &draft, &vault, trace)?;
        let decided = Decided {
            request,
            plan: &aimed.plan,
            draft,
            is_named: aimed.is_named,
            vault: &vault,
            seen: &aimed.seen,
            lock: &lock,
            limits: limits.clone(),
            now,
        };
        let produced = self.perform(decided, &choice.backend, trace)?;
        self.complete(produced, opened, &aimed, trace)
    }

    /// Works out a change, and refuses one that is not open to the caller.
    fn draft(&self, opened: &Opened<'_>, aimed: &Aimed) -> Result<Drafted, Failure> {
        let Opened {
            request,
            vault,
            choice,
            limits,
            now,
            ..
        } = opened;
        let Aimed { plan, seen, .. } = aimed;
        let (vaults, bounds) = ([vault, seen], (now, limits));
        let drafted = Draft::of(plan, vaults, &choice.backend, bounds, request.dry_run)?;
        if let Drafted::Draft(draft) = &drafted {
            draft.refuse_other_name(&plan.call, aimed.is_named, seen)?;
            draft.check_paths(&self.policy)?;
        }
        Ok(drafted)
    }

    /// Copies notes out of the vault, or previews that.
    fn export_notes(
        &self,
        call: Call,
        opened: &Opened<'_>,
        trace: &mut Trace,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        let asked = export::Asked {
            request: opened.request,
            plan: &aimed.plan,
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
        opened: &Opened<'_>,
        aimed: &Aimed,
        draft: &Draft,
        vault: &PinnedVault,
        trace: &mut Trace,
    ) -> Result<(), Failure> {
        opened.limits.cancel.check()?;
        let Aimed { plan, needed, .. } = aimed;
        let approved = self.approve(
            opened.request,
            *needed,
            plan,
            draft,
            (vault, &opened.limits),
        )?;
        trace.subject.approved = approved;
        trace.chosen(&opened.choice);
        Ok(())
    }

    /// Adds to an answer what the backend does not know, and takes out what is not the caller's.
    fn complete(
        &self,
        produced: Produced,
        opened: &Opened<'_>,
        aimed: &Aimed,
        trace: &mut Trace,
    ) -> Result<Produced, Failure> {
        let Opened {
            vault,
            choice,
            limits,
            ..
        } = opened;
        let produced = note_text::complete(produced, &aimed.plan, &aimed.seen, limits)?;
        let produced = scope::hide_other_vaults(produced, &aimed.plan, vault, self.options.caller)?;
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
