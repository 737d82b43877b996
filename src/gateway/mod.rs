//! The way through: request, call, decision, backend, envelope (`design.md` §2).

pub mod about;
mod approve;
mod change;
mod choose;
mod control;
mod envelope;
mod export;
mod known_hash;
mod later_part;
mod note_text;
mod pass;
mod patience;
mod precondition;
pub mod profile;
mod record;
mod remedy;
mod request;
mod scope;
mod state;
mod target;
mod trace;
mod undo;
mod vault;
mod vault_text;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use vault_engine::{Followed, Progress, Sight, Witness};

pub use self::change::{FileChange, Happening};
pub use self::control::Control;
pub use self::envelope::{Envelope, ErrorBody, Meta, SCHEMA_VERSION};
use self::remedy::Under;
pub(crate) use self::remedy::{open_with, settings_lines, settings_words};
pub(crate) use self::request::is_id;
pub use self::request::{MAX_REQUEST_BYTES, Params, Request};
use self::trace::Trace;
use crate::allowlist::Tier;
use crate::backend::Produced;
pub use crate::backend::cancel::Cancel;
use crate::backend::obsidian::Obsidian;
use crate::backend::obsidian::deadline::Deadline;
pub use crate::caller::Caller;
use crate::clock::{self, Clock};
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::settings::{BackendChoice, Settings};
pub use crate::status::{Answerer, Status};
use crate::tiers::{Policy, Restriction};

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
