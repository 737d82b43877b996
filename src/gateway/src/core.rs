//! The gateway: a caller, and the state that its calls share. `answer.rs` is the entry of a call.

use std::sync::Arc;

use vault_engine::{Failpoints, Followed, Progress};

use crate::about::About;
use crate::approve::Approvals;
use crate::caller::CallerContext;
use crate::choose::Backends;
use crate::drafts::{DraftCache, Drafts};
use crate::state::Records;
use crate::taint::{Labels, Taint, TaintReport};
use crate::undo::Reversals;
use crate::vault::Vaults;
use allowlist::BackendName;
use changes::options::Options;
use obsidian_cli::Obsidian;
#[cfg(target_os = "linux")]
use obsidian_cli::spawn::Runner;
use protocol::failure::Failure;
use sandbox::Confinement;
use sandbox::clock::Clock;
use sandbox::environment::Environment;
use settings::{BackendChoice, Settings};
use store::journal::Journal;
use tiers::Policy;

/// Checks, runs and reports official commands on one vault.
#[derive(Clone)]
pub struct Gateway {
    pub(super) caller: Arc<CallerContext>,
    pub(super) progress: Option<Arc<dyn Progress>>,
    pub(super) followed: Option<Arc<Followed>>,
    pub(super) obsidian: Arc<Obsidian>,
    /// The draft of this caller, kept between calls.
    pub(super) drafts: Arc<DraftCache>,
    /// The confinement of this process; `None` if it is not confined.
    pub(super) confinement: Option<Confinement>,
    /// The sources of labels, and the labelled notes and agents; `None` if the settings name no source.
    pub(super) taint: Option<Arc<Taint>>,
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
        let caller = CallerContext::new(settings, options, environment)?;
        Ok(Self {
            taint: Taint::from_settings(&caller.settings)?,
            obsidian: Arc::new(Obsidian::new(&caller.settings, &caller.environment)),
            caller: Arc::new(caller),
            progress: None,
            followed: None,
            drafts: Arc::default(),
            confinement: None,
        })
    }

    /// Replaces the clock of the gateway.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.caller = self.caller.changed(|caller| caller.clock = clock);
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
        self.caller = self
            .caller
            .changed(|caller| caller.failpoints = Some(failpoints));
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
        self.obsidian = Arc::new(Arc::unwrap_or_clone(self.obsidian).with_runner(runner));
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
        self.obsidian =
            Arc::new(Arc::unwrap_or_clone(self.obsidian).sharing_permits_with(&other.obsidian));
        self.confinement.clone_from(&other.confinement);
        if let (Some(taint), Some(other_taint)) = (&self.taint, &other.taint)
            && self.caller.options.agent == other.caller.options.agent
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
            drafts: Arc::default(),
            ..self.under(self.caller.changed(|caller| {
                caller.enabled = false;
                caller.options.agent = Some(agent.to_owned());
            }))
        }
    }

    /// Returns this gateway for another caller. Both share the state between calls.
    pub(super) fn under(&self, caller: Arc<CallerContext>) -> Self {
        Self {
            caller,
            ..self.clone()
        }
    }

    /// Refuses every call of an agent if calls by agents are turned off.
    ///
    /// # Errors
    ///
    /// `BRIDGE_DISABLED` if the caller is an agent, and they are.
    pub fn admit_caller(&self) -> Result<(), Failure> {
        self.caller.admit()
    }

    /// Whether a person calls for themselves, and not under the policy of an agent.
    pub fn is_person(&self) -> bool {
        self.caller.is_person()
    }

    /// Returns the time by this gateway's clock.
    pub fn now(&self) -> jiff::Zoned {
        self.caller.now()
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &Settings {
        &self.caller.settings
    }

    /// Returns the only backend that may answer; `None` if both may.
    pub fn only_backend(&self) -> Option<BackendName> {
        match self
            .caller
            .options
            .backend
            .unwrap_or(self.caller.settings.backend)
        {
            BackendChoice::Auto => None,
            BackendChoice::Embedded => Some(BackendName::Embedded),
            BackendChoice::Obsidian => Some(BackendName::Obsidian),
        }
    }

    /// Opens the journal of the pinned vault.
    ///
    /// # Errors
    ///
    /// Fails if the vault cannot be opened, or the state folder is unknown or unsafe.
    pub fn journal(&self) -> Result<Journal, Failure> {
        self.caller.records().journal_of(&self.vaults().open()?)
    }

    /// Returns what opens the vault.
    pub fn vaults(&self) -> Vaults<'_> {
        Vaults {
            caller: &self.caller,
            progress: self.progress.as_ref(),
            followed: self.followed.as_ref(),
            is_confined: self.confinement.is_some(),
        }
    }

    /// Returns the facts about this gateway.
    pub fn about(&self) -> About<'_> {
        About {
            caller: &self.caller,
            backends: self.backends(),
        }
    }

    /// Returns the labelled notes and agents of the vault.
    ///
    /// # Errors
    ///
    /// If the vault cannot be opened or the ledger of labels cannot be read.
    pub fn taint(&self) -> Result<TaintReport, Failure> {
        self.labels().report(&self.vaults().open_safely()?)
    }

    /// Returns the reason why a note is labelled, as the rest of a sentence that starts with "It"; `None` if it is not.
    ///
    /// # Errors
    ///
    /// As [`Self::taint`]; `USAGE_ERROR` if the text is not a path of a file.
    pub fn why_labelled(&self, note: &str) -> Result<Option<String>, Failure> {
        self.labels()
            .why_labelled(&self.vaults().open_safely()?, note)
    }

    pub(crate) fn reversals(&self) -> Reversals<'_> {
        Reversals {
            caller: &self.caller,
            vaults: self.vaults(),
            labels: self.labels(),
        }
    }

    /// Returns the draft of the caller, and the drafts that a person reviews.
    pub fn drafts(&self) -> Drafts<'_> {
        Drafts {
            caller: &self.caller,
            vaults: self.vaults(),
            labels: self.labels(),
            cache: &self.drafts,
        }
    }

    pub(crate) fn labels(&self) -> Labels<'_> {
        Labels {
            caller: &self.caller,
            taint: self.taint.as_ref(),
            is_followed: self.followed.is_some(),
        }
    }

    pub(crate) fn backends(&self) -> Backends<'_> {
        Backends {
            caller: &self.caller,
            obsidian: &self.obsidian,
        }
    }

    /// Returns the approvals that the caller's calls need, for a person who answers them.
    pub fn approvals(&self) -> Approvals<'_> {
        self.caller.approvals()
    }

    /// Returns the records of the caller's runs and calls.
    pub fn records(&self) -> Records<'_> {
        self.caller.records()
    }

    /// Whether agents may call; under `--agent`, whether that agent may.
    pub fn is_bridge_on(&self) -> bool {
        self.caller.enabled
    }

    /// Returns the policy in force.
    pub fn policy(&self) -> &Policy {
        &self.caller.policy
    }

    /// Returns the official binary and the app.
    pub fn obsidian(&self) -> &Obsidian {
        &self.obsidian
    }
}
