//! A long-running gateway: reloads the settings when their file changes and keeps the vault's index
//! in memory.
//!
//! The index is a [`vault_engine::Followed`]. After the first question about the whole vault no question walks it,
//! whichever backend is set and however many notes there are: file names come from the index too (`tests/system_calls.rs`
//! counts the system calls). Questions that need names alone do not read the index; until there is one, `Followed` keeps
//! the names.
//!
//! A change of the tokens counts with the next request, and within a second while a request is open
//! (`subscriptions/listen`), which then ends. A call that has begun is completed.

mod credentials;
mod settings_file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use vault_engine::Followed;

use self::credentials::Credentials;
pub(super) use self::credentials::TokenHolder;
use self::settings_file::FileLook;
pub(super) use self::settings_file::SettingsFile;
use super::confine::ServerSandbox;
use crate::lock;
use frontend::{CommandLineOptions, Terminal, setup};

use backend::cancel::Cancel;
use gateway::{Control, Envelope, Gateway, Request};
use protocol::{Caller, Code, Failure, Issue, message};
use sandbox::Environment;
use settings::Settings;
use store::agent_tokens::TokenHash;

/// Time between two checks of the settings file while no request arrives.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Answers agents' requests for as long as the process lives.
///
/// Each request checks the settings file. If the file has become unusable, the last good settings
/// stay in force, and a warning goes to standard error and into each answer. A request finishes
/// under the settings it started with (`threats.toml` H02, H06).
#[derive(Clone)]
pub struct Host {
    shared: Arc<HostShared>,
    watch: Arc<SettingsWatch>,
    /// The token of the requests, and its holder when they arrived; `None` on standard input.
    sender: Option<(TokenHash, TokenHolder)>,
}

/// The thread that watches the settings file and the agents' tokens. Stops when this is dropped.
struct SettingsWatch {
    ends: Cancel,
    is_running: Mutex<bool>,
}

struct HostShared {
    sandbox: ServerSandbox,
    options: gateway::Options,
    environment: Environment,
    terminal: Terminal,
    file: SettingsFile,
    followed: Arc<Followed>,
    state: Mutex<HostState>,
    /// Notifies of each change of the settings and of the agents' tokens.
    changes: watch::Sender<()>,
    /// The accepted tokens, if requests need one.
    credentials: Mutex<Option<Credentials>>,
}

struct HostState {
    look: FileLook,
    /// The lists that the settings name, looked at after they were read. A list that changed between the two is
    /// not settled yet, so it is read again.
    lists: Vec<FileLook>,
    settings: Settings,
    /// Whether the settings had a table for the agent of this server at any time.
    has_had_table: bool,
    /// Whether the settings came from a file. If so, a missing file is an error.
    was_there: bool,
    gateway: Arc<Gateway>,
    /// The gateways of agents with a token that have called since the settings changed.
    of_agents: BTreeMap<String, Arc<Gateway>>,
    /// The reason why the current content of the file is not in force.
    trouble: Option<Issue>,
}

impl Host {
    /// Starts under the current settings, unconfined.
    #[cfg(test)]
    pub(crate) fn start(
        options: &CommandLineOptions,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        Self::start_inside(ServerSandbox::default(), options, environment)
    }

    /// Confines this process, and starts under the current settings.
    ///
    /// # Errors
    ///
    /// If the settings file is unusable, the vault cannot be opened, or the sandbox that the settings
    /// require cannot be applied.
    pub(super) fn start_confined(
        options: &CommandLineOptions,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let sandbox = ServerSandbox::enter(options, environment)?;
        Self::start_inside(sandbox, options, environment)
    }

    fn start_inside(
        sandbox: ServerSandbox,
        options: &CommandLineOptions,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let file = SettingsFile::new(options, environment);
        let look = file.look();
        let settings = match &sandbox.made_from {
            Some(settings) => settings.clone(),
            None => setup::settings(options, environment)?,
        };
        let followed = Arc::new(Followed::new());
        let options = setup::gateway_options(options, environment, Caller::Agent);
        let has_table = |agent| settings.agents.contains_key(agent);
        let has_had_table = options.agent.as_ref().is_some_and(has_table);
        let gateway = Gateway::new(settings.clone(), options.clone(), environment.clone())?
            .with_followed(Arc::clone(&followed));
        let gateway = sandbox.inside(gateway);
        let shared = HostShared {
            sandbox,
            options,
            environment: environment.clone(),
            terminal: Terminal::detect(environment, &[]),
            file,
            followed,
            state: Mutex::new(HostState {
                has_had_table,
                was_there: look.is_there(),
                look,
                lists: SettingsFile::look_at_lists(&settings),
                settings,
                gateway: Arc::new(gateway),
                of_agents: BTreeMap::new(),
                trouble: None,
            }),
            changes: watch::Sender::default(),
            credentials: Mutex::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
            watch: Arc::new(SettingsWatch {
                ends: Cancel::new(),
                is_running: Mutex::new(false),
            }),
            sender: None,
        })
    }

    /// Accepts the token `shared`, and the agents' tokens from their file in the state folder.
    ///
    /// # Errors
    ///
    /// If that file is unusable.
    pub(super) fn accept_tokens(
        &self,
        shared: Option<TokenHash>,
        state: PathBuf,
    ) -> Result<(), Failure> {
        let credentials = Credentials::open(shared, state)?;
        *lock(&self.shared.credentials) = Some(credentials);
        Ok(())
    }

    /// Returns the current holder of a token; `None` if the token is not accepted. The token of an agent without a
    /// table is not accepted. A server that is started for one agent serves no other.
    pub(super) fn holder_of(&self, token: &TokenHash) -> Option<TokenHolder> {
        self.shared.refresh_credentials();
        let holder = lock(&self.shared.credentials).as_ref()?.holder_of(token)?;
        // A request is under the settings of its own time, also if they have just changed.
        self.shared.current(None);
        let state = lock(&self.shared.state);
        let is_open = match &holder {
            TokenHolder::Shared => state.settings.http.shared_token,
            TokenHolder::Agent(name) => {
                let only = self.shared.options.agent.as_ref();
                state.settings.agents.contains_key(name) && only.is_none_or(|only| only == name)
            }
        };
        is_open.then_some(holder)
    }

    /// Returns the same host, for the requests with this token.
    pub(super) fn for_sender(&self, token: TokenHash, holder: TokenHolder) -> Self {
        Self {
            sender: Some((token, holder)),
            ..self.clone()
        }
    }

    /// Whether the token of the requests still has the same holder.
    pub(super) fn is_sender_admitted(&self) -> bool {
        let sender = self.sender.as_ref();
        sender.is_none_or(|(token, holder)| self.holder_of(token).as_ref() == Some(holder))
    }

    fn current(&self) -> (Arc<Gateway>, Option<Issue>) {
        self.shared.current(match &self.sender {
            Some((_, TokenHolder::Agent(agent))) => Some(agent),
            Some((_, TokenHolder::Shared)) | None => None,
        })
    }

    /// Replaces the clock until the settings change.
    #[cfg(test)]
    pub(crate) fn with_clock(self, clock: sandbox::Clock) -> Self {
        let shared = &self.shared;
        let mut state = lock(&shared.state);
        let (options, environment) = (shared.options.clone(), shared.environment.clone());
        let gateway = Gateway::new(state.settings.clone(), options, environment);
        state.gateway = Arc::new(gateway.unwrap().with_clock(clock));
        drop(state);
        self
    }

    /// Returns the gateway under the current settings. Ask again for each request, because a reload
    /// replaces it.
    pub fn gateway(&self) -> Arc<Gateway> {
        self.current().0
    }

    /// Answers a request under the current settings.
    pub fn answer(&self, request: &Request, control: &Control) -> Envelope {
        let (gateway, trouble) = self.current();
        let mut answered = gateway.answer_with(request, control);
        if let Some(trouble) = trouble {
            answered.warn(trouble);
        }
        answered
    }

    /// Receives each later change of the settings and of the agents' tokens.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.shared.changes.subscribe()
    }

    /// Pretends a change of the settings.
    #[cfg(feature = "conformance")]
    pub(super) fn pretend_change(&self) {
        self.shared.changes.send_replace(());
    }

    /// Notices changes of the settings and of the agents' tokens without a request, at most a second later.
    pub(super) fn look_for_changes(&self) {
        let mut watching = lock(&self.watch.is_running);
        if !*watching {
            let (shared, ends) = (Arc::clone(&self.shared), self.watch.ends.clone());
            let thread = std::thread::Builder::new().name("settings".to_owned());
            // If the thread cannot start, the next request notices changes.
            *watching = thread
                .spawn(move || {
                    while !ends.wait(LOOK_AGAIN) {
                        shared.current(None);
                        shared.refresh_credentials();
                    }
                })
                .is_ok();
        }
    }
}

impl Drop for SettingsWatch {
    fn drop(&mut self) {
        self.ends.cancel();
    }
}

impl HostShared {
    /// Returns the gateway under the current settings, for an agent if one is named, and a warning if the file is not
    /// in force.
    fn current(&self, agent: Option<&String>) -> (Arc<Gateway>, Option<Issue>) {
        let mut state = lock(&self.state);
        let look = self.file.look();
        let lists = SettingsFile::look_at_lists(&state.settings);
        let same_lists = state
            .lists
            .iter()
            .zip(&lists)
            .all(|(old, new)| old.holds(new));
        if !(state.look.holds(&look) && same_lists) {
            self.reload(&mut state, look);
        }
        let gateway = match agent {
            Some(agent) => self.gateway_of(agent, &mut state),
            None => Arc::clone(&state.gateway),
        };
        (gateway, state.trouble.clone())
    }

    /// Returns the gateway under the current settings for an agent.
    fn gateway_of(&self, agent: &String, state: &mut HostState) -> Arc<Gateway> {
        if let Some(gateway) = state.of_agents.get(agent) {
            return Arc::clone(gateway);
        }
        let options = gateway::Options {
            agent: Some(agent.clone()),
            ..self.options.clone()
        };
        // A token without a table gives no access.
        let gateway = state
            .settings
            .require_agent(agent)
            .and_then(|()| Gateway::new(state.settings.clone(), options, self.environment.clone()));
        let gateway = gateway.unwrap_or_else(|_| state.gateway.turned_off(agent));
        let gateway = gateway
            .with_sessions()
            .with_followed(Arc::clone(&self.followed))
            .in_place_of(&state.gateway);
        let gateway = Arc::new(gateway);
        state.of_agents.insert(agent.clone(), Arc::clone(&gateway));
        gateway
    }

    /// Reads the agents' tokens again if their file changed.
    fn refresh_credentials(&self) {
        let refreshed = lock(&self.credentials).as_mut().map(Credentials::refresh);
        match refreshed {
            None | Some(Ok(false)) => return,
            Some(Ok(true)) => {}
            Some(Err(failure)) => self.terminal.warning(&failure.for_person()),
        }
        self.changes.send_replace(());
    }

    /// Loads the settings file.
    fn reload(&self, state: &mut HostState, look: FileLook) {
        let is_new = !state.look.is_same_file(&look);
        let is_there = look.is_there();
        state.look = look;
        let loaded = self
            .file
            .load(state.was_there, &self.sandbox)
            .and_then(|settings| {
                let (settings, waiting) = self.sandbox.within(settings);
                state.lists = SettingsFile::look_at_lists(&settings);
                let waiting = needs_restart(&waiting);
                if settings == state.settings {
                    return Ok((None, waiting));
                }
                let has_table = |agent: &String| settings.agents.contains_key(agent);
                let agent = self.options.agent.as_ref();
                let without_table = agent.filter(|agent| !has_table(agent));
                state.has_had_table |= agent.is_some_and(has_table);
                let options = self.options.clone();
                let gateway =
                    match Gateway::new(settings.clone(), options, self.environment.clone()) {
                        // Without its table it would have the rules of all agents, until this server is restarted.
                        Ok(gateway) => match without_table.filter(|_| state.has_had_table) {
                            Some(agent) => state.gateway.turned_off(agent),
                            None => gateway,
                        },
                        Err(failure) => match without_table {
                            Some(agent) => state.gateway.turned_off(agent),
                            None => return Err(failure),
                        },
                    };
                Ok((Some((settings, gateway)), waiting))
            });
        let (gateway, trouble) = match loaded {
            Ok(loaded) => {
                state.was_there = is_there;
                loaded
            }
            Err(failure) => {
                // A list that the new settings name may be fixed without a change of the settings.
                state.look.is_settled = false;
                (None, Some(settings_kept_warning(&failure)))
            }
        };
        if let Some(trouble) = &trouble
            && (is_new || state.trouble.as_ref() != Some(trouble))
        {
            self.terminal.warning(&trouble.message.for_person());
        }
        state.trouble = trouble;
        let Some((settings, gateway)) = gateway else {
            return;
        };
        let gateway = gateway
            .with_followed(Arc::clone(&self.followed))
            .in_place_of(&state.gateway);
        state.settings = settings;
        state.gateway = Arc::new(gateway);
        state.of_agents.clear();
        self.changes.send_replace(());
    }
}

/// Returns the warning that some keys wait for the next start, because the sandbox was made without them.
fn needs_restart(keys: &[&str]) -> Option<Issue> {
    (!keys.is_empty()).then(|| {
        let message = format!(
            "These changed settings are not in effect yet: {}. Restart the server to apply them. All other settings are in effect.",
            keys.join(", ")
        );
        Issue::new("SETTINGS_WAIT_FOR_RESTART", message).with("keys", keys.to_vec())
    })
}

/// Returns the warning that the last good settings stay in force because of `failure`.
fn settings_kept_warning(failure: &Failure) -> Issue {
    let because = match failure.code {
        Code::ConfigMissing => "The settings file no longer exists.".into(),
        _ => failure.message(),
    };
    Issue::new(
        "SETTINGS_NOT_RELOADED",
        message!(
            "The last valid settings stay in effect, because the settings could not be loaded \
            again. {}",
            because
        ),
    )
    .with("code", failure.code.name())
}
