//! The way through: request, call, decision, backend, envelope (`design.md` §2).

mod choose;
mod dry_run;
mod envelope;
pub mod journal;
mod json;
mod note_text;
mod precondition;
mod request;
mod scope;
mod target;
mod trace;
mod undo;
mod vault;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use vault_engine::Progress;

use self::choose::Backend;
pub use self::envelope::{Answerer, Envelope, ErrorBody, Meta, SCHEMA_VERSION, Status};
pub use self::request::{MAX_REQUEST_BYTES, Params, Request};
use self::trace::Trace;
use crate::allowlist::{Call, Catalogue, Effect, Tier};
use crate::backend::obsidian::Obsidian;
use crate::backend::obsidian::deadline::Deadline;
use crate::backend::{Limits, Produced, embedded};
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
    options: Options,
    environment: Environment,
    clock: Clock,
    progress: Option<Arc<dyn Progress>>,
    obsidian: Obsidian,
}

/// An envelope, and the exact bytes a person sees at the terminal.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What happened.
    pub envelope: Envelope,
    /// What text mode prints to stdout: for notes the exact bytes of the file.
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
            policy,
            options,
            clock: clock::system_clock(&environment),
            environment,
            progress: None,
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

    /// Answers a request. Never panics, never prints, always returns an envelope.
    pub fn call(&self, request: &Request) -> Envelope {
        self.answer(request).envelope
    }

    /// Answers a request, with the exact bytes for a terminal beside the envelope.
    pub fn answer(&self, request: &Request) -> Answered {
        let started = Instant::now();
        let mut trace = Trace::new(request);
        // A defect in one call must not take the service down, nor look like an answer (E13).
        let result = catch_unwind(AssertUnwindSafe(|| self.pass(request, &mut trace)))
            .unwrap_or_else(|_| {
                Err(Failure::new(
                    Code::InternalError,
                    "The gateway made a mistake and stopped this call. Please report it.",
                ))
            });
        trace.finish(result, started.elapsed())
    }

    /// The way through. Each step knows more than the one before and passes nothing back.
    fn pass(&self, request: &Request, trace: &mut Trace) -> Result<Produced, Failure> {
        let deadline = Deadline::after_ms(self.settings.timeout_ms);
        if self.options.timestamp {
            trace.timestamp = Some((self.clock)().timestamp().to_string());
        }
        self.admit_caller()?;
        request.check()?;
        let call = Self::admit(request)?;
        trace.admitted(&call);
        self.gate(&call)?;
        if request.approval.is_some() {
            return Err(unknown_approval());
        }
        let vault = self.pinned_vault(request)?;
        trace.vault = Some(vault.name());
        let choice = self.choose(&call, &vault)?;
        let now = (self.clock)();
        let aimed = target::aim(call, &vault, &self.policy, &now)?;
        self.gate(&aimed.call)?;
        precondition::check(request, aimed.note.as_ref(), &vault)?;
        let plan = scope::narrow(aimed, &self.policy)?;
        if request.dry_run {
            return dry_run::describe(&plan, &choice);
        }
        trace.chosen(&choice);
        let limits = Limits {
            deadline,
            max_output_bytes: self.output_limit(request),
        };
        let produced = match &choice.backend {
            Backend::Obsidian(ready) => {
                let open = |follow_up: &str| self.is_open(follow_up);
                self.obsidian.answer(&plan, &vault, ready, &limits, &open)?
            }
            Backend::Embedded => embedded::answer(&plan, &vault, &limits, &now)?,
        };
        let produced = note_text::complete(produced, &plan, &vault);
        let hide_other_vaults = self.options.caller == Caller::Agent;
        scope::filter(produced, &plan, &vault, &self.policy, hide_other_vaults)
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
                "Agents may not call: the bridge is off. The owner of the vault can turn it on with `vault-gw settings set enabled true`.",
            ));
        }
        Ok(())
    }

    fn admit(request: &Request) -> Result<Call, Failure> {
        let command = Catalogue::find_builtin(&request.command)?;
        let arguments = command.admit(&request.params.0)?;
        Ok(Call { command, arguments })
    }

    fn gate(&self, call: &Call) -> Result<(), Failure> {
        match decide(call, &self.policy) {
            Decision::Allowed => Ok(()),
            Decision::NeedsApproval { .. } if self.is_approved_by_a_person() => Ok(()),
            Decision::NeedsApproval { effects } => Err(Failure::new(
                Code::ApprovalRequired,
                format!(
                    "`{}` {}; a person has to approve it. At a terminal, run it again with `--yes`.",
                    call.command.id,
                    if effects.contains(Effect::Publish) {
                        "leaves this machine"
                    } else {
                        "loses content"
                    }
                ),
            )
            .with("effects", effects.iter().map(Effect::name).collect::<Vec<_>>())),
            Decision::Refused(failure) => Err(failure),
        }
    }

    /// An agent cannot approve itself, nor can whoever acts under an agent's policy
    /// (`design.md` §9).
    fn is_approved_by_a_person(&self) -> bool {
        self.options.approved
            && self.options.caller == Caller::Person
            && self.options.agent.is_none()
    }

    /// Bytes to keep of each stream. A budget tightens the setting.
    fn output_limit(&self, request: &Request) -> usize {
        let limit = self.settings.max_output_bytes;
        let limit = request.budget.map_or(limit, |budget| budget.min(limit));
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}

/// Nobody can give an approval by id yet, so none is known.
fn unknown_approval() -> Failure {
    Failure::new(
        Code::ApprovalRequired,
        "No approval of this id is known. A person can run the command at a terminal with `--yes`.",
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
