//! The way through: request, call, decision, backend, envelope (`design.md` §2).

pub mod about;
pub mod approvals;
mod approve;
pub mod audit;
mod change;
mod choose;
mod control;
mod envelope;
mod export;
pub mod journal;
mod json;
mod known_hash;
mod later_part;
mod note_text;
mod patience;
mod precondition;
pub mod profile;
mod record;
mod remedy;
mod request;
mod scope;
mod state;
pub mod state_folder;
mod target;
mod trace;
mod undo;
mod vault;
mod vault_text;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use vault_engine::{Followed, Progress, Sight, Witness};

use self::change::{Decided, Draft, Drafted};
pub use self::change::{FileChange, Happening};
use self::choose::{Backend, Choice};
pub use self::control::Control;
pub use self::envelope::{Answerer, Envelope, ErrorBody, Meta, SCHEMA_VERSION, Status};
use self::journal::VaultLock;
pub(crate) use self::precondition::sha256;
use self::remedy::Under;
pub(crate) use self::remedy::{open_with, settings_lines, settings_words};
pub(crate) use self::request::is_id;
pub use self::request::{MAX_REQUEST_BYTES, Params, Request};
use self::trace::Trace;
use crate::allowlist::{Call, Catalogue, Effect, EffectSet, Tier};
pub use crate::backend::cancel::Cancel;
use crate::backend::obsidian::Obsidian;
use crate::backend::obsidian::deadline::Deadline;
use crate::backend::{Limits, PinnedVault, Plan, Produced, embedded};
use crate::clock::{self, Clock};
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::settings::{BackendChoice, Settings};
use crate::tiers::{Decision, Policy, Restriction, decide};

/// Who is calling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Somebody at a terminal: always may, and may approve.
    Person,
    /// A program that acts for a model: only while the bridge is on, and never approves itself.
    Agent,
}

/// What the command line adds to the settings; it can only tighten the policy.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who is calling.
    pub caller: Caller,
    /// The vault, by name or absolute folder, instead of the one in the settings.
    pub vault: Option<String>,
    /// The backend instead of the one in the settings.
    pub backend: Option<BackendChoice>,
    /// Offer no more than this tier.
    pub tier: Option<Tier>,
    /// Time for one call in milliseconds, instead of the one in the settings.
    pub timeout_ms: Option<u64>,
    /// Act under this agent's policy.
    pub agent: Option<String>,
    /// A person approved whatever this process runs (`--yes`).
    pub approved: bool,
    /// Put the time into the envelope.
    pub timestamp: bool,
}

impl Options {
    /// No option given.
    pub fn new(caller: Caller) -> Self {
        Self {
            caller,
            vault: None,
            backend: None,
            tier: None,
            timeout_ms: None,
            agent: None,
            approved: false,
            timestamp: false,
        }
    }
}

/// The safe door: checks, runs and reports official commands.
pub struct Gateway {
    settings: Settings,
    /// Whether agents, or the one acted for, may call.
    enabled: bool,
    policy: Policy,
    /// What of a vault the caller may know; none where the path rules leave all of it open.
    sight: Option<Arc<dyn Sight>>,
    options: Options,
    environment: Environment,
    clock: Clock,
    progress: Option<Arc<dyn Progress>>,
    witness: Option<Arc<dyn Witness>>,
    followed: Option<Arc<Followed>>,
    obsidian: Obsidian,
}

/// An admitted call's vault and backend, and the right to change the vault where it does.
struct Ready<'call> {
    request: &'call Request,
    vault: PinnedVault,
    choice: Choice,
    lock: Option<VaultLock>,
    limits: Limits,
    now: jiff::Zoned,
}

/// An envelope, and the exact bytes a person sees at the terminal.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What happened.
    pub envelope: Envelope,
    /// What text mode prints to stdout: for notes the exact bytes of the file. For an agent, what
    /// `stdout` of the envelope does not hold: the text of a plan.
    pub text: Vec<u8>,
}

impl Gateway {
    /// A gateway under these settings and options. Nothing is run and no vault opened yet.
    pub fn new(
        settings: Settings,
        options: Options,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let mut settings = settings;
        if let Some(timeout) = options.timeout_ms {
            settings.timeout_ms = checked_timeout(timeout)?;
        }
        let restriction = Restriction {
            tier: options.tier,
            ..Restriction::default()
        };
        let policy = settings
            .policy(options.agent.as_deref())?
            .tightened(&restriction);
        let obsidian = Obsidian::new(&settings, &environment);
        Ok(Self {
            enabled: settings.is_enabled_for(options.agent.as_deref())?,
            sight: scope::sight_of(&policy),
            policy,
            options,
            clock: clock::system_clock(&environment),
            environment,
            progress: None,
            witness: None,
            followed: None,
            obsidian,
            settings,
        })
    }

    /// The same gateway with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The same gateway, telling how far it has come with reading a whole vault.
    #[must_use]
    pub fn with_progress(mut self, progress: Option<Arc<dyn Progress>>) -> Self {
        self.progress = progress;
        self
    }

    /// The same gateway, telling `witness` of every change to the vault and to what is kept about
    /// it, before it happens.
    #[must_use]
    pub fn with_witness(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witness = Some(witness);
        self
    }

    /// The same gateway, with the vault's index kept in memory between calls.
    #[must_use]
    pub fn with_followed(mut self, followed: Arc<Followed>) -> Self {
        self.followed = Some(followed);
        self
    }

    /// The same gateway for a process in which it follows `other`, under other settings: together
    /// they send the app no more at once than one alone may.
    #[must_use]
    pub fn in_place_of(mut self, other: &Self) -> Self {
        self.obsidian = self.obsidian.sharing_places_with(&other.obsidian);
        self
    }

    /// Answers a request. Never panics, never prints, always returns an envelope.
    pub fn call(&self, request: &Request) -> Envelope {
        self.answer(request).envelope
    }

    /// Answers a request, with the exact bytes for a terminal beside the envelope.
    pub fn answer(&self, request: &Request) -> Answered {
        self.answer_under(request, &Control::default())
    }

    /// As [`Self::answer`], for a caller that may take the call back or wants to hear of its
    /// progress.
    pub fn answer_under(&self, request: &Request, control: &Control) -> Answered {
        let started = Instant::now();
        let mut trace = Trace::new(request);
        trace.under = Under {
            agent: self.options.agent.is_some(),
            tier_option: self
                .options
                .tier
                .is_some_and(|tier| tier < self.settings.tier),
            model: self.options.caller == Caller::Agent,
        };
        // A defect in one call must not take the service down, nor look like an answer (E13).
        let deadline = self.deadline(control);
        let pass = || self.pass_or_fall_back(request, control, deadline, &mut trace);
        let result = catch_unwind(AssertUnwindSafe(pass))
            .unwrap_or_else(|_| {
                Err(Failure::new(
                    Code::InternalError,
                    "The gateway made a mistake and stopped this call. Please report it.",
                ))
            })
            .map_err(|failure| timed_out(failure, control, deadline));
        let subject = trace.subject.clone();
        let mut answered = trace.finish(result, started.elapsed(), self.is_for_person());
        scope::hide_what_is_closed(&mut answered.envelope, &self.policy);
        self.record_end(request, &subject, &mut answered);
        known_hash::withhold(&mut answered.envelope, request);
        if self.options.caller == Caller::Agent {
            answered.envelope.for_model();
        }
        answered
    }

    /// The way through; once more with the engine where the app turns out to have its command line
    /// switched off and had not been asked for by name. It has done nothing then.
    fn pass_or_fall_back(
        &self,
        request: &Request,
        control: &Control,
        deadline: Deadline,
        trace: &mut Trace,
    ) -> Result<Produced, Failure> {
        let result = self.pass(request, control, deadline, trace, false);
        let failure = match &result {
            Ok(produced) if produced.may_have_happened => None,
            Ok(produced) => produced.outcome.as_ref().err(),
            Err(failure) => Some(failure),
        };
        let is_off = failure.is_some_and(|failure| failure.code == Code::CliDisabled);
        // An approval that was used up cannot be used again.
        if !is_off || !trace.may_fall_back || trace.subject.approved.id.is_some() {
            return result;
        }
        trace.start_again();
        self.pass(request, control, deadline, trace, true)
    }

    /// The way through. Each step knows more than the one before and passes nothing back.
    fn pass(
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
        let mut vault = self.vault_under(request, control, deadline)?;
        trace.vault = Some(vault.name());
        let choice = self.choose(&call, &vault, app_is_off)?;
        trace.may_fall_back = choice.may_fall_back;
        trace.warnings.extend(choice.warning.clone());
        scope::refuse_unlimited(&call, &choice, &self.policy)?;
        let limits = Limits {
            deadline,
            max_output_bytes: self.output_limit(request),
            offset: request.offset,
            limit: later_part::limit(&call),
            cancel: control.cancel.clone(),
        };
        if let Backend::Obsidian(app) = &choice.backend {
            if !request.dry_run {
                self.obsidian.require_version(&vault, app, &limits)?;
            }
            vault = vault.as_the_app_edits();
        }
        let now = (self.clock)();
        let changes = call.effects().is_mutation() && !request.dry_run;
        // From here on nobody else changes what is looked at.
        let lock = changes
            .then(|| self.lock(&vault, deadline, &control.cancel, &now, trace))
            .transpose()?;
        if !changes && self.settle_what_was_cut_off(&vault, &now, trace) {
            vault = self.vault_under(request, control, deadline)?;
            if let Backend::Obsidian(_) = choice.backend {
                vault = vault.as_the_app_edits();
            }
        }
        let ready = Ready {
            request,
            vault,
            choice,
            lock,
            limits,
            now,
        };
        let produced = self.carry_out(call, &ready, trace)?;
        if let Backend::Obsidian(app) = &ready.choice.backend
            && produced.process.is_some()
            && produced.outcome.is_ok()
        {
            let warning = (self.obsidian).version_warning(&ready.vault, app, &ready.limits);
            trace.warnings.extend(warning);
        }
        if !changes {
            self.warn_of_a_change_under_way(&ready.vault, trace);
        }
        Ok(produced)
    }

    /// The rest of the way, with the vault at hand, and locked where it is to be changed.
    fn carry_out(
        &self,
        call: Call,
        ready: &Ready<'_>,
        trace: &mut Trace,
    ) -> Result<Produced, Failure> {
        let Ready {
            request,
            choice,
            lock,
            limits,
            now,
            ..
        } = ready;
        let mut vault = ready.vault.clone();
        // The caller's question and its answer are about this vault; a change is made in the whole.
        let seen = vault.clone().limited_to(self.sight.as_ref());
        let mut names = ["path", "name"].iter();
        let is_named = names.any(|key| call.arguments.values.contains_key(*key));
        let aimed = target::aim(call, &seen, &self.policy, now)?;
        choose::refuse_other_path(&aimed.call, &choice.backend)?;
        let needed = self.gate(&aimed.call)?;
        precondition::check(request, &aimed, &seen)?;
        let plan = aimed.into_plan();
        if plan.call.effects().contains(Effect::Export) {
            let asked = export::Asked {
                request,
                plan: &plan,
                vault: &seen,
                choice,
                needed,
                limits,
            };
            return self.export(&asked, trace);
        }
        let vaults = [&vault, &seen];
        let draft = match Draft::of(&plan, vaults, &choice.backend, now, request.dry_run)? {
            Drafted::Draft(draft) => *draft,
            Drafted::Refused(error) => {
                trace.chosen(choice);
                return embedded::changed(Err(error), &plan, limits);
            }
        };
        draft.refuse_other_name(&plan.call, is_named, &seen)?;
        draft.check_paths(&self.policy)?;
        if request.dry_run {
            return change::describe(&plan, draft, choice, needed);
        }
        // An approval is used up, so this is the last moment to turn back.
        limits.cancel.check()?;
        if lock.is_some() {
            vault = vault.to_the_end();
        }
        trace.subject.approved = self.approve(request, needed, &plan, &draft, &vault)?;
        trace.chosen(choice);
        let produced = match (lock, &choice.backend) {
            (Some(lock), backend) => {
                let decided = Decided {
                    request,
                    plan: &plan,
                    draft,
                    is_named,
                    vault: &vault,
                    seen: &seen,
                    lock,
                    limits: limits.clone(),
                    now,
                };
                self.perform(decided, backend, trace)?
            }
            (None, backend) => self.read(&plan, [&vault, &seen], backend, limits, now)?,
        };
        let produced = note_text::complete(produced, &plan, &seen, limits)?;
        scope::hide_other_vaults(produced, &plan, &vault, self.options.caller)
    }

    /// The pinned vault; long readings of it end with the call.
    fn vault_under(
        &self,
        request: &Request,
        control: &Control,
        deadline: Deadline,
    ) -> Result<PinnedVault, Failure> {
        let vault = self.pinned_vault(request)?;
        Ok(vault.under(&control.cancel, deadline, control.progress.as_ref()))
    }

    /// Answers a call that changes nothing. The second vault is what the caller may know of it.
    fn read(
        &self,
        plan: &Plan,
        [vault, seen]: [&PinnedVault; 2],
        backend: &Backend,
        limits: &Limits,
        now: &jiff::Zoned,
    ) -> Result<Produced, Failure> {
        let Backend::Obsidian(ready) = backend else {
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

    /// When a call must be over that somebody waited for already.
    fn deadline(&self, control: &Control) -> Deadline {
        let waited = u64::try_from(control.waited.as_millis()).unwrap_or(u64::MAX);
        Deadline::after_ms(self.settings.timeout_ms.saturating_sub(waited))
    }

    /// Whether the bytes for a terminal are wanted.
    fn is_for_person(&self) -> bool {
        self.options.caller == Caller::Person
    }

    /// The time that this gateway goes by.
    pub fn now(&self) -> jiff::Zoned {
        (self.clock)()
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether agents, or the one acted for, may call.
    pub fn is_bridge_on(&self) -> bool {
        self.enabled
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The official binary and the app.
    pub fn obsidian(&self) -> &Obsidian {
        &self.obsidian
    }

    /// Whether the tier of a command that carries on a longer text is open.
    fn is_open(&self, command: &str) -> bool {
        Catalogue::find_builtin(command).is_ok_and(|command| command.tier <= self.policy.tier())
    }

    fn admit_caller(&self) -> Result<(), Failure> {
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

    /// Bytes to keep of each stream. A budget tightens the setting.
    fn output_limit(&self, request: &Request) -> usize {
        let limit = self.settings.max_output_bytes;
        let limit = request.budget.map_or(limit, |budget| budget.min(limit));
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}

/// The engine stops in the same way at its deadline as when the call is taken back: what nobody took
/// back has run out of time (`faults.md` E16).
fn timed_out(failure: Failure, control: &Control, deadline: Deadline) -> Failure {
    if failure.code != Code::Cancelled || control.cancel.is_cancelled() || !deadline.has_passed() {
        return failure;
    }
    Failure::new(
        Code::Timeout,
        "The answer took longer than `timeout_ms` allows and was given up. Nothing was changed. Ask for less, such as fewer terms or one folder.",
    )
}

/// The range of `timeout_ms` in the settings holds for the option too (`faults.md` E16).
fn checked_timeout(milliseconds: u64) -> Result<u64, Failure> {
    if (1..=crate::settings::MAX_TIMEOUT_MS).contains(&milliseconds) {
        return Ok(milliseconds);
    }
    Err(Failure::new(
        Code::UsageError,
        format!(
            "`--timeout-ms` must be from 1 to {}.",
            crate::settings::MAX_TIMEOUT_MS
        ),
    ))
}
