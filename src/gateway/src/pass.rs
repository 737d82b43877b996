//! The pipeline of one call (`design/promises.md`). After the first checks it takes one of four branches, the last two
//! once the vault is open:
//!
//! - `reverse` (`undo`) undoes or redoes a run;
//! - `answer_question` (`about`) answers a question about the gateway itself and needs no backend;
//! - `read` (`read`) asks a backend and changes nothing;
//! - `change` (`change`) changes the vault, previews that (`dryRun`), or copies notes out of it.
//!
//! Each step takes the type that the step before it made: [`OpenedVault`] is a call whose vault is open, [`AimedCall`] a
//! call whose note was found and checked.

mod change;
mod read;

use cli_output::Shape;

use crate::about::About;
use crate::aimed::{AimedCall, CallBounds, OpenedVault};
use crate::approve::Proposal;
use crate::caller::CallerContext;
use crate::choose;
use crate::choose::{Backends, engine_serves};
use crate::drafts::Drafts;
use crate::state::Records;
use crate::taint::Labels;
use crate::vault::Vaults;
use crate::{about, nearby, scope, target};
use allowlist::{Call, Effect};
use backend::{Limits, PinnedVault, Produced};
use changes::{
    Backend, ChangePlan, Choice, Control, EnvelopeBuilder, later_part, note_text, precondition,
};
use protocol::{Code, Failure};
use store::journal::{Direction, Journal};

/// Most bytes of the note for the page that the caller shows. The app prints a note from its start,
/// so only the engine can return less.
fn page_limit(call: &Call, control: &Control, choice: &Choice) -> usize {
    let is_page =
        call.command.output == Shape::NoteText && matches!(choice.backend, Backend::Embedded);
    let page = control.page.filter(|_| is_page);
    // A character has at most four bytes.
    page.map_or(usize::MAX, |characters| characters.saturating_mul(4))
}

/// Returns the failure of a call, if it failed.
pub(crate) fn failure_of(result: &Result<Produced, Failure>) -> Option<&Failure> {
    match result {
        Ok(produced) => produced.outcome.as_ref().err(),
        Err(failure) => Some(failure),
    }
}

/// The steps of the calls of one caller, with the services that they use.
#[derive(Clone, Copy)]
pub(crate) struct Pipeline<'gateway> {
    pub(crate) caller: &'gateway CallerContext,
    pub(crate) records: Records<'gateway>,
    pub(crate) vaults: Vaults<'gateway>,
    pub(crate) backends: Backends<'gateway>,
    pub(crate) labels: Labels<'gateway>,
    pub(crate) drafts: Drafts<'gateway>,
}

impl<'gateway> Pipeline<'gateway> {
    /// Returns the facts about this gateway.
    pub(crate) fn about(self) -> About<'gateway> {
        About {
            caller: self.caller,
            backends: self.backends,
        }
    }
}

impl Pipeline<'_> {
    /// Runs the pipeline. If the app then reports that its command line is off, and was not
    /// requested by name, runs it again with the engine. The app has done nothing in that case.
    pub(super) fn answer(
        &self,
        bounds: CallBounds<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let result = self.pass(bounds, trace, false);
        let is_off = failure_of(&result).is_some_and(|failure| failure.code == Code::CliDisabled)
            && !result
                .as_ref()
                .is_ok_and(|produced| produced.may_have_happened);
        // No retry after an approval was consumed: it works once.
        if !is_off || !trace.may_fall_back || trace.subject.approved.id.is_some() {
            return result;
        }
        trace.start_again();
        self.pass(bounds, trace, true)
    }

    /// Takes a request through all steps. With `app_is_off` the engine answers instead of the app.
    pub(super) fn pass(
        &self,
        bounds: CallBounds<'_>,
        trace: &mut EnvelopeBuilder,
        app_is_off: bool,
    ) -> Result<Produced, Failure> {
        let (request, control, _) = bounds;
        if self.caller.options.timestamp {
            trace.envelope.timestamp = Some(self.caller.now().timestamp().to_string());
        }
        // The cheap checks come first: a request that is malformed, unknown or closed by policy is
        // refused before the vault is opened and before any process starts.
        self.caller.admit()?;
        let with_others = |failure| self.with_other_faults(failure, request);
        request.check().map_err(with_others)?;
        if let Some(question) = about::Question::parse(request) {
            return self.answer_question(&question?, bounds, trace);
        }
        if let Some(direction) = Direction::from_command(&request.command) {
            return self.reverse(direction, bounds, trace);
        }
        let call = request.call().map_err(with_others)?;
        trace.admitted(&call);
        later_part::check(request, &call)?;
        // The policy is checked here without a path and again in `aim`, once `file=` is resolved to
        // a path: a path rule can only be applied to the resolved note.
        self.caller
            .gate(request, &call)
            .map_err(|failure| self.no_vault_yet().unwrap_or(failure))?;
        control.cancel.check()?;
        let opened = self.open(bounds, &call, trace, app_is_off)?;
        // A dry run takes the branch of the changes: it runs the same plan and the same checks, and
        // stops before the lock.
        let effects = call.effects();
        let is_read = !effects.is_mutation() && !effects.contains(Effect::Export);
        let result = if is_read && !request.dry_run {
            self.read(&call, opened, trace)
        } else {
            self.change(&call, opened, trace)
        };
        let mut produced = result.map_err(with_others)?;
        produced.outcome = produced.outcome.map_err(with_others);
        Ok(produced)
    }

    /// Returns the failure that no vault is set, for a person whose call the policy refuses: setting a vault comes
    /// first.
    fn no_vault_yet(&self) -> Option<Failure> {
        let failure = self
            .caller
            .is_person()
            .then(|| self.vaults.open().err())
            .flatten();
        failure.filter(|failure| failure.code == Code::VaultNotSet)
    }

    /// Opens the vault and chooses the backend.
    pub(crate) fn open<'call>(
        &self,
        bounds: CallBounds<'call>,
        call: &Call,
        trace: &mut EnvelopeBuilder,
        app_is_off: bool,
    ) -> Result<OpenedVault<'call>, Failure> {
        let (request, control, deadline) = bounds;
        let into_draft = self.drafts.goes_into_draft(request, call)?;
        let vault = self.vault_under(bounds, trace)?;
        // A change in the vault is planned on the vault itself, and refuses notes that are in the draft.
        let is_direct = call.effects().is_mutation() && !into_draft;
        let vault = if is_direct {
            vault
        } else {
            self.drafts.through_draft(vault, Some(call), trace)?
        };
        trace.opened(&vault, self.vaults.instead_of_set(&vault));
        let mut choice = if into_draft || vault.engine.overlay().is_some() && engine_serves(call) {
            Choice::for_draft()
        } else {
            self.backends.choose(call, &vault, app_is_off)?
        };
        scope::refuse_unlimited(call, &choice, &self.caller.policy)?;
        let limits = Limits {
            deadline,
            max_output_bytes: self
                .caller
                .output_limit(request)
                .min(page_limit(call, control, &choice)),
            offset: request.offset,
            limit: later_part::limit(call),
            cancel: control.cancel.clone(),
        };
        // A dry run asks the app nothing, so the app's version does not matter for it.
        if let Backend::Obsidian(app) = &choice.backend
            && !request.dry_run
            && let Err(failure) = self.backends.obsidian.require_version(&vault, app, &limits)
        {
            choice = choice.without_an_old_app(failure)?;
        }
        #[cfg(target_os = "linux")]
        if let Backend::Obsidian(app) = &choice.backend
            && !request.dry_run
        {
            app.prepare();
        }
        trace.may_fall_back = choice.may_fall_back;
        trace.envelope.warnings.extend(choice.warning.clone());
        tracing::debug!(reason = choice.reason, "backend chosen");
        Ok(OpenedVault {
            request,
            control,
            vault: choice.in_its_style(vault),
            choice,
            limits,
            into_draft,
            sight: self.caller.sight.clone(),
        })
    }

    /// Recovers runs that were killed, for a call that does not change the vault and so takes no lock. Returns the
    /// journal, by which `warn_of_concurrent_change` sees afterwards whether the answer may mix two states.
    fn recover_vault(
        &self,
        opened: &mut OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Option<Journal>, Failure> {
        let (journal, is_recovered) = self.records.recover_interrupted_runs(&opened.vault, trace);
        if is_recovered {
            // The recovery may have changed the settings files of the vault, which were read when it was opened.
            trace.pinned = None;
            let bounds = (opened.request, opened.control, opened.limits.deadline);
            let vault = self.vault_under(bounds, trace)?;
            let vault = self.drafts.through_draft(vault, None, trace)?;
            opened.vault = opened.choice.in_its_style(vault);
        }
        Ok(journal)
    }

    /// Resolves the target note, and checks policy and `ifHash` for it.
    pub(super) fn aim<'opened>(
        &self,
        call: &Call,
        opened: &'opened OpenedVault<'opened>,
    ) -> Result<AimedCall<'opened>, Failure> {
        let mut seen = opened.vault.clone().limited_to(opened.sight.as_ref())?;
        seen.engine.closed_names_are_taken = !opened.into_draft;
        let call = self.labels.with_real_names(call.clone(), &seen)?;
        let mut names = ["path", "name"].iter();
        let is_named = names.any(|key| call.arguments.values.contains_key(*key));
        let view = (&seen, &self.caller.policy, self.caller.is_person());
        let resolved = target::aim(call.clone(), view).and_then(|resolved| {
            scope::refuse_other_names(&resolved, &opened.choice, &self.caller.policy, &seen)?;
            Ok(resolved)
        });
        let caller = self.caller.options.caller;
        let resolved =
            resolved.map_err(|failure| nearby::suggest(failure, &call, &seen, caller))?;
        // The choice of the backend checked the paths as given; a name resolves to a path only here.
        choose::refuse_other_path(&resolved.call, &opened.choice.backend)?;
        self.caller.gate(opened.request, &resolved.call)?;
        if let Some(expected) = &opened.request.if_hash {
            precondition::check(expected, &resolved, &seen)?;
        }
        Ok(AimedCall {
            opened,
            resolved,
            seen,
            is_named,
        })
    }

    /// Returns the result; if it is a failure, with names similar to the name that was not found.
    pub(super) fn suggest_similar_names(
        &self,
        produced: Result<Produced, Failure>,
        aimed: &AimedCall<'_>,
    ) -> Result<Produced, Failure> {
        let suggest = |failure| {
            let caller = self.caller.options.caller;
            nearby::suggest(failure, &aimed.resolved.call, &aimed.seen, caller)
        };
        let mut produced = produced.map_err(suggest)?;
        produced.outcome = produced.outcome.map_err(suggest);
        Ok(produced)
    }

    /// Consumes the approval that the call needs. This is the last point at which a call can be
    /// cancelled without effect.
    pub(super) fn use_approval(
        &self,
        aimed: &AimedCall<'_>,
        plan: &ChangePlan,
        vault: &PinnedVault,
        trace: &mut EnvelopeBuilder,
    ) -> Result<(), Failure> {
        let opened = aimed.opened;
        // An approval works once. A cancelled call must not consume it.
        opened.limits.cancel.check()?;
        let proposal = Proposal::new(&aimed.resolved, plan, trace.subject.client.clone());
        let until = (opened.limits.deadline, &opened.limits.cancel);
        let approvals = self.caller.approvals();
        trace.subject.approved = approvals.approve(opened.request, &proposal, (vault, until))?;
        trace.chosen(&opened.choice);
        Ok(())
    }

    /// Adds what the backend does not know (hash, path, version warning) and removes paths that the
    /// caller may not see.
    pub(super) fn complete(
        &self,
        produced: Produced,
        aimed: &AimedCall<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let (vault, limits) = (&aimed.opened.vault, &aimed.opened.limits);
        let mut produced = note_text::complete(produced, &aimed.resolved, &aimed.seen, limits)?;
        later_part::refuse_past_the_end(&mut produced, limits)?;
        let produced = scope::hide_what_is_outside(
            produced,
            &aimed.resolved,
            vault,
            self.caller.options.caller,
        )?;
        if let Backend::Obsidian(app) = &aimed.opened.choice.backend
            && produced.process.is_some()
            && produced.outcome.is_ok()
        {
            let warning = self.backends.obsidian.version_warning(vault, app, limits);
            trace.envelope.warnings.extend(warning);
        }
        Ok(produced)
    }

    /// Returns the pinned vault, opened once for each call and bound to the call: scans stop at its deadline or
    /// cancellation.
    pub(super) fn vault_under(
        &self,
        (request, control, deadline): CallBounds<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<PinnedVault, Failure> {
        let vault = match &trace.pinned {
            Some(vault) => vault,
            None => trace.pinned.insert(self.vaults.pinned(request)?),
        };
        Ok(vault
            .clone()
            .under(&control.cancel, deadline, control.progress.as_ref()))
    }
}
