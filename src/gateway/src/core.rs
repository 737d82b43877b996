//! The gateway: settings, policy, and the state it shares between calls. `answer.rs` is the entry of a
//! call.

use std::sync::{Arc, Mutex, OnceLock};

use vault_engine::{Failpoints, Followed, Progress, Sight};

use crate::scope;
use crate::taint::Taint;
use allowlist::BackendName;
use changes::control::Control;
use changes::options::Options;
use obsidian_cli::Obsidian;
#[cfg(target_os = "linux")]
use obsidian_cli::spawn::Runner;
use protocol::caller::Caller;
use protocol::code::Code;
use protocol::deadline::Deadline;
use protocol::failure::Failure;
use sandbox::Confinement;
use sandbox::clock;
use sandbox::clock::Clock;
use sandbox::environment::Environment;
use settings::{BackendChoice, Settings};
use store::audit::policy_hash;
use store::drafts::{Draft, DraftStamp};
use tiers::{Drafts, Policy, Restriction};

/// Checks, runs and reports official commands on one vault.
pub struct Gateway {
    pub(super) settings: Settings,
    /// Whether agents may call; under `--agent`, whether that agent may.
    pub(super) enabled: bool,
    pub(super) policy: Policy,
    /// The hash that identifies the settings in the audit log.
    pub(super) policy_hash: String,
    /// The files that the caller may see; `None` if the path rules close nothing.
    pub(super) sight: Option<Arc<dyn Sight>>,
    pub(super) options: Options,
    pub(super) environment: Environment,
    pub(super) clock: Clock,
    pub(super) progress: Option<Arc<dyn Progress>>,
    pub(super) failpoints: Option<Arc<dyn Failpoints>>,
    pub(super) followed: Option<Arc<Followed>>,
    pub(super) obsidian: Obsidian,
    /// The draft of this caller as it was read last, with the stamp of its file.
    pub(super) known_draft: Mutex<Option<(DraftStamp, Draft)>>,
    /// The draft of this caller as it stored it last, with the bytes of its file.
    pub(super) stored_draft: Mutex<Option<(Vec<u8>, Draft)>>,
    /// The stamp of the draft's file whose answers were last reported to this caller.
    pub(super) seen_answers: Mutex<Option<DraftStamp>>,
    /// The confinement of this process; `None` if it is not confined.
    pub(super) confinement: Option<Confinement>,
    /// The sources of labels, and the labelled notes and agents; `None` if the settings name no source.
    pub(super) taint: Option<Arc<Taint>>,
    /// The policy that would apply to the caller without its label; `None` if the caller has no label.
    pub(super) without_label: Option<Policy>,
    /// The gateway that answers while the agent is labelled, made when it is needed.
    pub(super) restricted: OnceLock<Result<Box<Self>, Failure>>,
}

impl Gateway {
    /// A gateway with these settings and options. Runs nothing and opens no vault yet.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the timeout is out of range; fails if the settings know no agent of the given
    /// name.
    ///
    /// ```
    /// use sandbox::environment::Environment;
    /// use gateway::{Caller, Gateway, Options, Request};
    /// use settings::Settings;
    ///
    /// let settings = Settings::parse("settings.toml", "enabled = true\nbackend = \"embedded\"")?;
    /// let options = Options {
    ///     vault: Some(std::path::absolute("../../fixtures/vault").unwrap().display().to_string()),
    ///     ..Options::new(Caller::Agent)
    /// };
    /// let gateway = Gateway::new(settings, options, Environment::default())?;
    /// assert!(gateway.is_bridge_on());
    /// # Ok::<(), protocol::failure::Failure>(())
    /// ```
    pub fn new(
        settings: Settings,
        options: Options,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let mut settings = settings;
        if let Some(timeout) = options.timeout_ms {
            settings.timeout_ms = checked_timeout(timeout)?;
        }
        settings.sandbox = settings.sandbox.tightened(options.sandbox);
        let restriction = Restriction {
            tier: options.tier,
            ..Restriction::default()
        };
        let policy = settings
            .policy(options.caller, options.agent.as_deref())?
            .tightened(&restriction);
        let policy = match (options.in_other_form, options.in_run) {
            (true, _) => policy.without_drafts(),
            (false, true) => policy.with_drafts(Drafts::All),
            (false, false) => policy,
        };
        let obsidian = Obsidian::new(&settings, &environment);
        Ok(Self {
            enabled: settings.is_enabled_for(options.agent.as_deref())?,
            sight: scope::sight_of(&policy),
            policy,
            policy_hash: policy_hash(&settings, options.agent.as_deref()),
            taint: Taint::from_settings(&settings)?,
            without_label: None,
            restricted: OnceLock::new(),
            options,
            clock: clock::system_clock(&environment),
            environment,
            progress: None,
            failpoints: None,
            followed: None,
            obsidian,
            known_draft: Mutex::default(),
            stored_draft: Mutex::default(),
            seen_answers: Mutex::default(),
            confinement: None,
            settings,
        })
    }

    /// Replaces the clock of the gateway.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the function that the gateway calls to report progress while it reads a whole vault.
    #[must_use]
    pub fn with_progress(mut self, progress: Option<Arc<dyn Progress>>) -> Self {
        self.progress = progress;
        self
    }

    /// Sets the function that the gateway calls before every write to the vault and to the state folder, so that tests
    /// can fail or kill the process at each of these writes.
    #[must_use]
    pub fn with_failpoints(mut self, failpoints: Arc<dyn Failpoints>) -> Self {
        self.failpoints = Some(failpoints);
        self
    }

    /// Lets the gateway keep the vault's index in memory between calls.
    #[must_use]
    pub fn with_followed(mut self, followed: Arc<Followed>) -> Self {
        self.followed = Some(followed);
        self
    }

    /// Sets the confinement of the process, which each envelope then reports.
    #[must_use]
    pub fn with_confinement(mut self, confinement: Option<Confinement>) -> Self {
        self.confinement = confinement;
        self
    }

    /// Sets the process that starts the official program for the gateway.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_runner(mut self, runner: Option<Arc<Runner>>) -> Self {
        self.obsidian = self.obsidian.with_runner(runner);
        self
    }

    /// Prepares the gateway for an agent whose sessions begin and end while the process runs, as over HTTP: a label
    /// then lasts for the time in the settings, not as long as the process.
    #[must_use]
    pub fn with_sessions(mut self) -> Self {
        self.taint = self.taint.map(|taint| Arc::new(taint.without_session()));
        self
    }

    /// Makes the gateway the successor of `other` after a change of settings. Both share one set of permits, so calls
    /// that still run on `other` count against the limit on parallel runs.
    #[must_use]
    pub fn in_place_of(mut self, other: &Self) -> Self {
        self.obsidian = self.obsidian.sharing_permits_with(&other.obsidian);
        self.confinement.clone_from(&other.confinement);
        if let (Some(taint), Some(other_taint)) = (&self.taint, &other.taint)
            && self.options.agent == other.options.agent
        {
            taint.goes_on_from(other_taint);
        }
        self
    }

    /// Returns a gateway like this one that refuses all calls of agents, for an agent whose rules are gone: it was
    /// revoked, and must not continue under its old rules or the rules for everyone.
    #[must_use]
    pub fn turned_off(&self, agent: &str) -> Self {
        Self {
            enabled: false,
            options: Options {
                agent: Some(agent.to_owned()),
                ..self.options.clone()
            },
            ..self.under_policy(self.policy.clone())
        }
    }

    /// Returns a gateway like this one under another policy.
    pub(super) fn under_policy(&self, policy: Policy) -> Self {
        let obsidian = Obsidian::new(&self.settings, &self.environment);
        Self {
            settings: self.settings.clone(),
            enabled: self.enabled,
            sight: scope::sight_of(&policy),
            policy,
            policy_hash: self.policy_hash.clone(),
            options: self.options.clone(),
            environment: self.environment.clone(),
            clock: Arc::clone(&self.clock),
            progress: self.progress.clone(),
            failpoints: self.failpoints.clone(),
            followed: self.followed.clone(),
            obsidian: obsidian.sharing_permits_with(&self.obsidian),
            known_draft: Mutex::default(),
            stored_draft: Mutex::default(),
            seen_answers: Mutex::default(),
            confinement: self.confinement.clone(),
            taint: self.taint.clone(),
            without_label: self.without_label.clone(),
            restricted: OnceLock::new(),
        }
    }

    /// Returns the deadline of a call. Time spent in the queue counts.
    pub(super) fn deadline(&self, control: &Control) -> Deadline {
        let waited = u64::try_from(control.waited.as_millis()).unwrap_or(u64::MAX);
        Deadline::after_ms(self.settings.timeout_ms.saturating_sub(waited))
    }

    /// Whether a person calls for themselves, and not under the policy of an agent.
    pub fn is_person(&self) -> bool {
        self.options.caller == Caller::Person && self.options.agent.is_none()
    }

    /// Whether the exact bytes for a terminal are needed: for a person, and for a shell in a fence.
    pub(super) fn is_for_person(&self) -> bool {
        self.options.caller == Caller::Person || self.options.in_run
    }

    /// Returns the time by this gateway's clock.
    pub fn now(&self) -> jiff::Zoned {
        (self.clock)()
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the only backend that may answer; `None` if both may.
    pub fn only_backend(&self) -> Option<BackendName> {
        match self.options.backend.unwrap_or(self.settings.backend) {
            BackendChoice::Auto => None,
            BackendChoice::Embedded => Some(BackendName::Embedded),
            BackendChoice::Obsidian => Some(BackendName::Obsidian),
        }
    }

    /// Whether agents may call; under `--agent`, whether that agent may.
    pub fn is_bridge_on(&self) -> bool {
        self.enabled
    }

    /// Returns the policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the official binary and the app.
    pub fn obsidian(&self) -> &Obsidian {
        &self.obsidian
    }
}

/// Applies the range of the setting `timeout_ms` to the option (`threats.toml` E16).
fn checked_timeout(milliseconds: u64) -> Result<u64, Failure> {
    if (1..=settings::MAX_TIMEOUT_MS).contains(&milliseconds) {
        return Ok(milliseconds);
    }
    Err(Code::UsageError.failure(format!(
        "`--timeout-ms` must be a number from 1 to {}.",
        settings::MAX_TIMEOUT_MS
    )))
}
