//! `vault-gw setup`: chooses the vault, writes the settings and adds this program to the clients that
//! are here.
//!
//! It asks for the vault only if several are found, or a folder that has notes and no `.obsidian`. With `--yes` it
//! chooses only a known vault: one with a configuration folder, or that the app or `ob` lists. A client that cannot be
//! changed, or settings that cannot be read, do not stop the removal of the rest. A signal ends it after the current
//! file, and the report says what was done.

mod choices;
mod found_vaults;
mod openness;
mod report;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use vault_engine::VaultPath;

use self::choices::{Choices, Questions};
use self::report::{ClientStep, ClosedAgents, SetupRemoval, SetupReport};
use super::Cli;
use super::error::Error;
use super::install;
use super::report::{self as verb_report, VerbEnd, VerbReport, VerbText};
use super::steps_watch::StepsWatch;
use backend::PinnedVault;
use clients::{EntryReport, McpClient, ServerGrammar};
use frontend::setup::{self, program_words};
use gateway::Gateway;
use protocol::{Caller, Code, FOR_PERSON, Failure, for_person};
use sandbox::{clock, private_dir};
use settings::edit;
use settings::edit::SettingChange;
use settings::{EVERY_AGENT, Settings, table_prefix};
use tiers::{Drafts, Switch};

/// The keys of the settings for the sources of text from outside.
const SOURCES: [&str; 2] = ["taint.sources", "taint.properties"];

/// Returns the key that says whether agents may change what the app shows.
fn agents_ui() -> String {
    format!("{}{}", table_prefix(EVERY_AGENT), Switch::Ui.key())
}

/// The options of `setup`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SetupArguments {
    /// Add vault-gw to this client only; can be repeated [default: every client found here]
    #[arg(long = "client", value_name = "CLIENT")]
    clients: Vec<McpClient>,
    /// Leave all clients as they are
    #[arg(long, conflicts_with = "clients")]
    no_clients: bool,
    /// What agents may do
    #[arg(long, value_name = "RIGHTS")]
    agents: Option<AgentRights>,
    /// The way back: remove the entries from the clients, and let agents make no more calls; with `--client` those of this client alone. The other settings stay
    #[arg(long, conflicts_with_all = ["agents", "no_clients"])]
    remove: bool,
}

/// The rights of agents on the notes that they can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AgentRights {
    /// Read only
    Read,
    /// Propose changes that you review
    Propose,
    /// Change notes directly
    Write,
}

impl AgentRights {
    /// Returns the rights under these settings.
    ///
    /// # Errors
    ///
    /// If the path rules are too large.
    fn from_settings(settings: &Settings) -> Result<Self, Failure> {
        let policy = settings.policy(Caller::Agent, None)?;
        Ok(if policy.writes_directly() {
            Self::Write
        } else if policy.may_change() {
            Self::Propose
        } else {
            Self::Read
        })
    }

    /// Returns the keys and values that express the choice. `is_set` says whether the settings file has a key.
    fn wanted(self, before: &Settings, is_set: [bool; 2]) -> Vec<(String, String)> {
        let [decides_mutations, decides_drafts] = is_set;
        let of_agents = before.agents.get(EVERY_AGENT);
        let key_of_agents = |key: &str| format!("{}{key}", table_prefix(EVERY_AGENT));
        let mut wanted = Vec::new();
        let writes = self == Self::Write;
        let may_write = of_agents.and_then(|table| table.allow_mutations);
        // The restriction comes first, so that agents never have the right in between.
        if may_write.unwrap_or(true) != writes {
            let key = key_of_agents(Switch::Mutations.key());
            wanted.push((key, writes.to_string()));
        }
        // An owner who has closed changes for everyone keeps them closed, unless agents are to write.
        if !decides_mutations || writes && !before.allow_mutations {
            wanted.push((Switch::Mutations.key().to_owned(), "true".to_owned()));
        }
        let drafts = match self {
            Self::Read => Drafts::Off,
            Self::Propose | Self::Write => Drafts::Closed,
        };
        let fits = |present: Drafts| match self {
            Self::Read => present == Drafts::Off,
            Self::Propose => present != Drafts::Off,
            Self::Write => present != Drafts::All,
        };
        let own = of_agents.and_then(|table| table.drafts);
        if own.is_some_and(|own| !fits(own)) {
            wanted.push((key_of_agents(Drafts::KEY), drafts.name().to_owned()));
        }
        // The table of all agents decides if it has a value, but cannot undo `all`.
        let is_in_force = own.is_none() || before.drafts == Drafts::All;
        if is_in_force && !(decides_drafts && fits(before.drafts)) {
            wanted.push((Drafts::KEY.to_owned(), drafts.name().to_owned()));
        }
        wanted
    }
}

/// Runs the verb. On a terminal it asks for what the options leave open; `--yes` takes the defaults
/// instead. Without a terminal it refuses to choose.
pub(crate) fn run(
    cli: Cli<'_>,
    arguments: &SetupArguments,
    grammar: &ServerGrammar,
) -> Result<VerbEnd, Failure> {
    let (terminal, options) = (cli.terminal, cli.options);
    let started = Instant::now();
    let job = SetupJob {
        cli,
        arguments,
        grammar,
    };
    let can_ask = !options.yes && terminal.can_ask();
    let questions = Questions { terminal, can_ask };
    // The report is short, and ends with the way back: a pager would hide it. The differences of a dry run are long.
    let unpaged = terminal.without_pager();
    let terminal = if options.dry_run { terminal } else { &unpaged };
    let (text, data, failure, signal) = if arguments.remove {
        let removal = job.remove()?;
        (
            removal.text(),
            removal.data(),
            removal.failure(),
            removal.signal,
        )
    } else {
        job.check_answered(&questions)?;
        let report = job.act(&questions)?;
        (
            report.text()?,
            report.data(),
            report.failure(),
            report.signal,
        )
    };
    let end = VerbReport {
        failure: failure.clone(),
        ..(VerbText::to_paste(text), data).into()
    };
    let status = verb_report::finish(terminal, options, "setup", started, Ok(end.into()));
    // Printed after the report, which gives the reason.
    if let Some(failure) = failure
        && options.output_mode().reports_failures_as_text()
    {
        terminal.failure(&failure, &[], FOR_PERSON);
    }
    Ok(signal
        .map_or(status, |signal| ExitCode::from(signal.exit_status()))
        .into())
}

struct SetupJob<'a> {
    cli: Cli<'a>,
    arguments: &'a SetupArguments,
    grammar: &'a ServerGrammar,
}

/// The changes to make.
struct PlannedSetup {
    /// The path of the settings file.
    file: PathBuf,
    /// Whether the file does not exist yet.
    is_new_file: bool,
    choices: Choices,
    /// The keys to set, with their values.
    wanted: Vec<(String, String)>,
    /// The settings after the change.
    settings: Settings,
    /// The path of today's note; `None` if it does not exist.
    todays_note: Option<VaultPath>,
}

impl SetupJob<'_> {
    /// Returns an error if a choice is missing and the person cannot be asked.
    fn check_answered(&self, questions: &Questions<'_>) -> Result<(), Failure> {
        let arguments = self.arguments;
        if questions.can_ask || self.cli.options.yes || self.cli.options.dry_run {
            return Ok(());
        }
        let has_clients = arguments.no_clients || !arguments.clients.is_empty();
        let open: Vec<&str> = [
            (self.cli.options.vault.is_some(), "`--vault FOLDER`"),
            (arguments.agents.is_some(), "`--agents read|propose|write`"),
            (has_clients, "`--client CLIENT` or `--no-clients`"),
        ]
        .into_iter()
        .filter_map(|(is_given, option)| (!is_given).then_some(option))
        .collect();
        if open.is_empty() {
            return Ok(());
        }
        Err(Code::UsageError
            .failure(
                "Nothing was changed. `setup` asks questions before it gives agents access to a vault, but it cannot ask without a terminal.",
            )
            .hint(for_person(format!(
                "Answer the questions with options: {}. Or add `--yes` to accept the defaults.",
                open.join(", ")
            ))))
    }

    fn act(&self, questions: &Questions<'_>) -> Result<SetupReport, Failure> {
        let planned = self.planned(questions)?;
        let mut watch = StepsWatch::begin()?;
        Ok(SetupReport {
            is_dry_run: self.cli.options.dry_run,
            program: program_words(self.cli.options, self.cli.environment),
            changes: self.set(&planned.file, &planned.wanted)?,
            clients: self.add_to_clients(&planned, &mut watch),
            planned,
            // No steps are left to interrupt, but the caller has to know of the signal.
            signal: watch.arrived(),
        })
    }

    /// Asks the questions and returns the changes to make; does not change anything.
    fn planned(&self, questions: &Questions<'_>) -> Result<PlannedSetup, Failure> {
        let file = setup::settings_file(self.cli.options, self.cli.environment)?;
        let is_new_file = fs_err::exists(&file).is_ok_and(|is_there| !is_there);
        let before = if is_new_file {
            // `--settings` may name a file that this run creates.
            Settings::default()
        } else {
            setup::settings(self.cli.options, self.cli.environment)?
        };
        let is_set = |key: &str| -> Result<bool, Failure> {
            Ok(!is_new_file && edit::get(&file, key)?.value.is_some())
        };
        let is_decided = [is_set(Switch::Mutations.key())?, is_set(Drafts::KEY)?];
        let rights = match is_decided {
            [false, false] => AgentRights::Propose,
            _ => AgentRights::from_settings(&before)?,
        };
        let choices = choices::choose(self.cli, questions, (&before, rights), self.arguments)?;
        let mut wanted = vec![
            ("vault".to_owned(), choices.folder()),
            ("enabled".to_owned(), "true".to_owned()),
        ];
        wanted.extend(choices.rights.wanted(&before, is_decided));
        // A client that is named may call again after `setup --remove --client`.
        let named = self.arguments.clients.iter().map(|client| {
            let usual = || client.word();
            self.cli.options.agent.clone().unwrap_or_else(usual)
        });
        let closed = named.filter(|agent| is_closed(&before, agent));
        wanted.extend(closed.map(|agent| (key_of_agent(&agent), "true".to_owned())));
        // A file that the app shows can load pages and run plugins, so an agent may not show any by itself.
        let of_agents = before.agents.get(EVERY_AGENT);
        let is_ui_set = of_agents.is_some_and(|table| table.allow_ui.is_some());
        if !is_ui_set && !is_set(Switch::Ui.key())? {
            wanted.push((agents_ui(), "false".to_owned()));
        }
        let (_, settings) = edit::plan(&file, &wanted)?;
        let vault = self.safe_vault(&settings)?;
        let now = clock::system_clock(self.cli.environment)();
        let settings = if is_set(SOURCES[0])? || is_set(SOURCES[1])? {
            settings
        } else {
            wanted.extend(sources::found(&vault));
            edit::plan(&file, &wanted)?.1
        };
        let today = vault.engine.daily_path(&now);
        Ok(PlannedSetup {
            file,
            is_new_file,
            choices,
            wanted,
            settings,
            todays_note: today.ok().filter(|today| vault.engine.facts(today).is_ok()),
        })
    }

    /// Returns the vault of the new settings; checked before anything is written.
    fn safe_vault(&self, settings: &Settings) -> Result<PinnedVault, Failure> {
        let mut options =
            setup::gateway_options(self.cli.options, self.cli.environment, Caller::Person);
        // The vault of the settings, not the vault around the working directory.
        options.vault.clone_from(&settings.vault);
        let gateway = Gateway::new(settings.clone(), options, self.cli.environment.clone())?;
        let vault = gateway.vaults().open_safely()?;
        // The file may not exist yet, so the gateway could not check its location.
        let file = setup::settings_file(self.cli.options, self.cli.environment)?;
        if private_dir::would_lie_within(&file, vault.root()) {
            return Err(Code::ConfigInvalid
                .failure(
                    "The settings file would be inside the vault, so anyone who can write notes \
                 could change the settings.",
                )
                .hint(for_person(
                    "Choose another vault, or use `--settings` to name a settings file outside the vault.",
                )));
        }
        Ok(vault)
    }

    /// Sets keys of the settings file; in a dry run, only computes the changes.
    fn set(&self, file: &Path, wanted: &[(String, String)]) -> Result<Vec<SettingChange>, Failure> {
        if self.cli.options.dry_run {
            return Ok(edit::plan(file, wanted)?.0);
        }
        wanted
            .iter()
            .map(|(key, value)| edit::set(file, key, value))
            .collect()
    }

    /// Removes the entries of this program from the clients, and lets agents make no more calls. With `--client` only
    /// that client changes, and only its agent makes no more calls.
    fn remove(&self) -> Result<SetupRemoval, Failure> {
        if let Some(agent) = &self.cli.options.agent {
            return Err(Error::RemovalOfAgent(agent.clone()).into());
        }
        let file = setup::settings_file(self.cli.options, self.cli.environment)?;
        let mut watch = StepsWatch::begin()?;
        let chosen = &self.arguments.clients;
        // First, so that no client can call in between.
        let closed = match self.close(&file, chosen) {
            // `--settings` names a file that does not exist, so this may not be the intended run.
            Err(failure) if failure.code == Code::ConfigMissing => return Err(failure),
            closed => closed,
        };
        let clients = if chosen.is_empty() {
            McpClient::all()
        } else {
            chosen
        };
        let clients = in_steps(clients, &mut watch, |client| {
            install::remove_from(self.cli, client, &file, self.grammar)
        });
        Ok(SetupRemoval {
            is_dry_run: self.cli.options.dry_run,
            program: program_words(self.cli.options, self.cli.environment),
            file,
            closed,
            named: chosen.clone(),
            clients,
            signal: watch.arrived(),
        })
    }

    /// Sets `enabled` to false: for all agents, or for those of the chosen clients that no other client uses. A client
    /// without an entry may still run a server of an entry that is gone or in another place, with its usual agent.
    fn close(&self, file: &Path, chosen: &[McpClient]) -> Result<ClosedAgents, Failure> {
        let settings = setup::settings(self.cli.options, self.cli.environment)?;
        let mut closed = ClosedAgents::default();
        let mut keys = Vec::new();
        if chosen.is_empty() {
            keys.push(("enabled".to_owned(), !settings.enabled));
        } else {
            let (mut closing, mut used) = (BTreeSet::new(), BTreeMap::<_, Vec<_>>::new());
            for client in McpClient::all() {
                let is_chosen = chosen.contains(client);
                let entries = clients::entries(*client, self.grammar, self.cli.environment);
                let entries = entries.unwrap_or_default();
                let (gone, left): (Vec<_>, Vec<_>) = entries
                    .iter()
                    .partition(|entry| entry.is_from_install && is_chosen);
                for agent in install::agents_of(left, file) {
                    used.entry(agent).or_default().push(*client);
                }
                let gone: Vec<String> = install::agents_of(gone, file).collect();
                if is_chosen && gone.is_empty() {
                    closing.insert(client.word());
                }
                closing.extend(gone);
            }
            for agent in closing {
                match used.remove(&agent) {
                    Some(clients) => closed.in_use.push((agent, clients)),
                    None => keys.push((key_of_agent(&agent), is_closed(&settings, &agent))),
                }
            }
        }
        let (already, open): (Vec<_>, Vec<_>) = keys.into_iter().partition(|(_, is_off)| *is_off);
        closed.already = already.into_iter().map(|(key, _)| key).collect();
        let open = open.into_iter().map(|(key, _)| (key, "false".to_owned()));
        closed.changes = self.set(file, &open.collect::<Vec<_>>())?;
        Ok(closed)
    }

    /// Adds the server to each client.
    fn add_to_clients(&self, planned: &PlannedSetup, watch: &mut StepsWatch) -> Vec<ClientStep> {
        in_steps(&planned.choices.clients, watch, |client| {
            vec![install::add_to(
                client,
                self.cli.options,
                &planned.settings,
                self.grammar,
                self.cli.environment,
            )]
        })
    }
}

/// Returns the key of the settings with which an agent may make calls.
fn key_of_agent(agent: &str) -> String {
    format!("{}enabled", table_prefix(agent))
}

/// Whether the settings have a table of the agent in which it may make no calls.
fn is_closed(settings: &Settings, agent: &str) -> bool {
    let table = settings.agents.get(agent);
    table.is_some_and(|table| table.enabled == Some(false))
}

/// Changes each client. A failure does not affect the other clients; a signal stops before the next one.
fn in_steps(
    clients: &[McpClient],
    watch: &mut StepsWatch,
    change: impl Fn(McpClient) -> Vec<Result<EntryReport, Failure>>,
) -> Vec<ClientStep> {
    let mut steps = Vec::new();
    for client in clients.iter().copied() {
        if watch.arrived().is_some() {
            steps.push(ClientStep::Interrupted(client));
            break;
        }
        steps.extend(change(client).into_iter().map(|done| match done {
            Ok(report) => ClientStep::Done(Box::new(report)),
            Err(failure) => ClientStep::Failed(client, failure),
        }));
    }
    steps
}
