//! `vault-gw install CLIENT`: adds this program as an MCP server to a client's configuration and
//! lets agents call.

#[cfg(target_os = "linux")]
mod launcher;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Cli;
use super::report::{TextAndData, VerbEnd, VerbText};
use super::settings::vault_folder;
use clients::{
    Bridge, ClientConfigFile, ClientEntry, ENTRY_NAME, EntryEditor, EntryReport, McpClient,
    ServerArguments, ServerEntry, ServerGrammar, Started, left_in_words, name_option,
    of_this_program,
};
use frontend::{
    CommandLineOptions, Terminal,
    options::word,
    setup::{self, gateway_options, program_words},
};
use gateway::Gateway;
use protocol::{Caller, Code, Failure, Shell, json::object};
use sandbox::Environment;
use settings::{Convention, EVERY_AGENT, Folders, Settings, edit as settings_edit};
use store::labels::copy_agent;

/// The longest name of an entry. Kept short, because clients prefix the names of tools with it.
const MAX_NAME: usize = 32;
/// The option that names the agent of an entry.
const AGENT: &str = "--agent";
/// The options of `install`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct InstallArguments {
    /// The client
    client: McpClient,
    /// The name of the entry; with `--fenced` that of the launcher, usually as `claude-notes`
    #[arg(long, value_name = "NAME", default_value = ENTRY_NAME)]
    name: String,
    /// Take the entry out again, and give back the one that it replaced; agents may call as before
    #[arg(long, conflicts_with = "print")]
    remove: bool,
    /// Print the entry and change nothing
    #[arg(long)]
    print: bool,
    /// Instead of an entry, write a launcher that starts the client in the fence of `vault-gw run` (Linux)
    #[arg(long)]
    fenced: bool,
}

/// Runs the verb for one client.
pub(crate) fn run(
    cli: Cli<'_>,
    arguments: &InstallArguments,
    grammar: &ServerGrammar,
) -> Result<VerbEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let program = program_words(options, environment);
    let job = InstallJob {
        options,
        arguments,
        grammar,
        environment,
        is_vault_in_settings: false,
        again: format!(
            "{program} install {}{}{}",
            arguments.client.word(),
            if arguments.fenced { " --fenced" } else { "" },
            name_option(&arguments.name)
        ),
    };
    let (text, data) = if arguments.fenced {
        job.fenced(terminal)?
    } else {
        job.act()?
    };
    Ok((VerbText::to_paste(text), data).into())
}

/// Adds the server to a client under its usual name, for `setup`. `settings` are the settings after
/// the run: with `--dry-run` they are not in the file yet. They name the vault if the person chose
/// one with `--vault`, and then the entry does not.
///
/// # Errors
///
/// If the server would not start, or the client's file cannot be changed.
pub(super) fn add_to(
    client: McpClient,
    options: &CommandLineOptions,
    settings: &Settings,
    grammar: &ServerGrammar,
    environment: &Environment,
) -> Result<EntryReport, Failure> {
    let is_vault_in_settings = options.vault.is_some();
    let mut options = options.clone();
    options.vault = None;
    let options = &options;
    let program = program_words(options, environment);
    let arguments = InstallArguments {
        client,
        name: ENTRY_NAME.to_owned(),
        remove: false,
        print: false,
        fenced: false,
    };
    let job = InstallJob {
        options,
        arguments: &arguments,
        grammar,
        environment,
        is_vault_in_settings,
        again: format!("{program} setup"),
    };
    let file = ClientConfigFile::find(client, client.file(Convention::native(), environment)?)?;
    let server = job.planned_server(&file)?;
    // An entry that an earlier run gave another settings file keeps it.
    let own = setup::settings_file(options, environment)?;
    let other = match &server.options.settings {
        Some(path) if *path != own => Some(Settings::load(path)?),
        _ => None,
    };
    let settings = other.as_ref().unwrap_or(settings);
    let mut report = job.added(&file, &server, settings)?;
    report.closed_agents = closed_agents(&server.options, settings)?;
    Ok(report)
}

/// Removes the entries that `install` and `setup` wrote for a client and these settings, for `setup --remove`. Returns a
/// report for each.
pub(super) fn remove_from(
    cli: Cli<'_>,
    client: McpClient,
    settings: &Path,
    grammar: &ServerGrammar,
) -> Vec<Result<EntryReport, Failure>> {
    let file = client
        .file(Convention::native(), cli.environment)
        .and_then(|place| ClientConfigFile::find(client, place));
    match file {
        Ok(file) => EntryEditor::take_back(
            &file,
            (settings, cli.options.dry_run),
            grammar,
            cli.environment,
        ),
        Err(failure) => vec![Err(failure)],
    }
}

/// Returns the agents that entries name, if these use the settings file.
pub(super) fn agents_of<'e>(
    entries: impl IntoIterator<Item = &'e ClientEntry>,
    settings_file: &Path,
) -> impl Iterator<Item = String> {
    entries.into_iter().filter_map(move |entry| {
        let options = entry.options.as_ref().ok()?;
        let mut settings = options.settings.iter();
        let is_here = settings.all(|path| path == settings_file);
        options.agent.clone().filter(|_| is_here)
    })
}

/// The server that an entry will start, and the existing entry.
struct PlannedServer {
    server: ServerEntry,
    arguments: ServerArguments,
    /// The parsed options of the server.
    options: CommandLineOptions,
    existing: Option<Map<String, Value>>,
}

impl PlannedServer {
    /// Returns the server in a form that may be shown.
    fn showable_entry(&self) -> ServerEntry {
        ServerEntry {
            command: self.server.command.clone(),
            args: self.arguments.showable_words(),
        }
    }
}

struct InstallJob<'a> {
    options: &'a CommandLineOptions,
    arguments: &'a InstallArguments,
    grammar: &'a ServerGrammar,
    environment: &'a Environment,
    /// Whether the settings name the vault now, so that the entry must not.
    is_vault_in_settings: bool,
    /// The command to repeat with other options.
    again: String,
}

impl InstallJob<'_> {
    /// Installs the launcher of `--fenced`.
    #[cfg(target_os = "linux")]
    fn fenced(&self, terminal: &Terminal) -> Result<TextAndData, Failure> {
        self.check_name()?;
        self.launcher(terminal)
    }

    /// Refuses `--fenced`, which this system does not support.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "this has the form that Linux needs")]
    fn fenced(&self, _terminal: &Terminal) -> Result<TextAndData, Failure> {
        let message = "`--fenced` needs `vault-gw run`, which works only on Linux.";
        Err(Code::SandboxUnavailable.failure(message))
    }

    fn act(&self) -> Result<TextAndData, Failure> {
        let client = self.arguments.client;
        self.check_name()?;
        if self.options.agent.as_deref() == Some(EVERY_AGENT) {
            // `--print` reads no settings, which refuse this name.
            Settings::default().require_agent(EVERY_AGENT)?;
        }
        let place = client.file(Convention::native(), self.environment);
        if self.arguments.print {
            let (server, _) = self.server(ServerArguments::bare())?;
            return self.render_entry(&server, place.ok());
        }
        let file = ClientConfigFile::find(client, place?)?;
        let program = program_words(self.options, self.environment);
        let (report, note) = if self.arguments.remove {
            (self.editor(&file).remove()?, self.agents_stay(&program))
        } else {
            let server = self.planned_server(&file)?;
            let settings = self.settings_of(&server)?;
            let mut report = self.added(&file, &server, &settings)?;
            report.bridge = Some(self.turn_on(&server.options, &settings)?);
            (report, String::new())
        };
        let (mut text, mut data) = (report.text() + &note, report.data());
        if let Some(command) = report.take_back(&program) {
            text += &format!("To take it back:\n  {command}\n");
            data.insert("takeBack".to_owned(), json!([command]));
            let left = report.left_behind();
            text += &left_in_words(&left);
            data.insert("leftBehind".to_owned(), json!(left));
        }
        Ok((text, data))
    }

    /// Returns the server to start: with the options of this run, and otherwise the options of the existing entry.
    fn planned_server(&self, file: &ClientConfigFile) -> Result<PlannedServer, Failure> {
        let existing = self.editor(file).existing()?;
        let started = existing.as_ref().and_then(ServerEntry::of_keys);
        let arguments = started.map_or_else(ServerArguments::bare, |started| {
            ServerArguments::of_entry(&started, self.grammar)
        });
        let (server, arguments) = self.server(arguments)?;
        let options = arguments.options(self.grammar).map_err(|reason| {
            Code::UsageError
                .failure(format!(
                    "The existing entry has arguments that cannot be reused: {reason}."
                ))
                .hint(format!(
                    "Pass the option with a valid value, or remove the entry first: `{}`.",
                    self.removal()
                ))
        })?;
        Ok(PlannedServer {
            server,
            arguments,
            options,
            existing,
        })
    }

    /// Returns the settings that the server will read. The user's own may not exist yet, because `install` creates
    /// them.
    fn settings_of(&self, server: &PlannedServer) -> Result<Settings, Failure> {
        let own = setup::settings_file(self.options, self.environment)?;
        match &server.options.settings {
            Some(path) if *path != own => Settings::load(path),
            _ => setup::settings(self.options, self.environment),
        }
    }

    /// Adds the entry, after checking that the server would start.
    fn added(
        &self,
        file: &ClientConfigFile,
        planned: &PlannedServer,
        settings: &Settings,
    ) -> Result<EntryReport, Failure> {
        self.check_start(file, planned, settings)?;
        self.keep_restricted(planned)?;
        let shown = planned.showable_entry();
        let existing = planned.existing.as_ref();
        let mut report = self.editor(file).set(&planned.server, existing, &shown)?;
        let before = planned.existing.as_ref().and_then(ServerEntry::of_keys);
        let before = before.filter(|before| *before != planned.server);
        report.started = Some(Started {
            before: before.map(|before| before.showable(self.grammar)),
            server: shown,
            kept: planned.arguments.kept_words(),
            left_out: planned.arguments.left_out().to_vec(),
        });
        Ok(report)
    }

    /// Gives the agent of the new entry the label of the agent of the existing entry: it is the same client, which may
    /// still have text from outside in its conversations (`design/labels.md`).
    fn keep_restricted(&self, planned: &PlannedServer) -> Result<(), Failure> {
        let existing = planned.existing.as_ref().and_then(ServerEntry::of_keys);
        let Some(existing) = existing.filter(|_| !self.options.dry_run) else {
            return Ok(());
        };
        let before = ServerArguments::of_entry(&existing, self.grammar);
        let before = before.value(AGENT).unwrap_or_default();
        match &planned.options.agent {
            Some(agent) if agent != before => {
                copy_agent(&Folders::new(self.environment).state()?, before, agent)
            }
            _ => Ok(()),
        }
    }

    fn render_entry(
        &self,
        server: &ServerEntry,
        place: Option<PathBuf>,
    ) -> Result<TextAndData, Failure> {
        let client = self.arguments.client;
        let text = client.entry_text(&self.arguments.name, server)?;
        let place = place.map(|path| path.display().to_string());
        let data = json!({
            "client": client.word(),
            "name": self.arguments.name,
            "file": place,
            "command": server.command,
            "args": server.args,
            "entry": text,
        });
        Ok((text, object(data)))
    }

    /// Returns the hint, when an entry is removed, that agents may still call.
    fn agents_stay(&self, program: &str) -> String {
        match setup::settings(self.options, self.environment) {
            Ok(settings) if settings.enabled => format!(
                "Other clients may still call; `{program} settings set enabled false` ends that.\n"
            ),
            _ => String::new(),
        }
    }

    /// Returns the editor of the entry.
    fn editor<'f>(&'f self, file: &'f ClientConfigFile) -> EntryEditor<'f> {
        EntryEditor {
            file,
            name: &self.arguments.name,
            is_dry_run: self.options.dry_run,
            grammar: self.grammar,
            environment: self.environment,
        }
    }

    /// Returns the command that removes the entry.
    fn removal(&self) -> String {
        let (client, name) = (self.arguments.client, &self.arguments.name);
        let program = program_words(self.options, self.environment);
        format!(
            "{program} install {} --remove{}",
            client.word(),
            name_option(name)
        )
    }

    /// Lets agents call if they may not.
    fn turn_on(
        &self,
        options: &CommandLineOptions,
        settings: &Settings,
    ) -> Result<Bridge, Failure> {
        let path = setup::settings_file(options, self.environment)?;
        if !settings.enabled && !self.options.dry_run {
            settings_edit::set(&path, "enabled", "true").map_err(|failure| {
                failure
                    .begin_with(
                        "The client is configured, but calls by agents could not be turned on.",
                    )
                    .hint("To turn on these calls, run `vault-gw settings set enabled true`.")
            })?;
        }
        Ok(Bridge {
            file: path.display().to_string(),
            was_on: settings.enabled,
            program: self.program_for(options),
            closed_agents: closed_agents(options, settings)?,
        })
    }

    /// Returns the words that call this program with the entry's settings.
    fn program_for(&self, entry: &CommandLineOptions) -> String {
        let own = setup::settings_file(self.options, self.environment).ok();
        if self.options.settings.is_none() && own == entry.settings {
            return program_words(self.options, self.environment);
        }
        program_words(entry, self.environment)
    }

    /// Returns the command for the client: the arguments with this run's options.
    fn server(
        &self,
        mut arguments: ServerArguments,
    ) -> Result<(ServerEntry, ServerArguments), Failure> {
        let program = of_this_program(self.environment)?;
        let options = self.options;
        // Each client is an agent of its own, so that drafts, labels, undo and the audit log tell clients apart.
        let usual = self.arguments.client.word();
        let is_usual = arguments.value(AGENT).is_none_or(|agent| agent == usual);
        let agent = options.agent.clone().or_else(|| is_usual.then_some(usual));
        let vault = options.vault.as_deref();
        let vault = vault.map(|vault| vault_folder(vault, self.environment));
        if self.is_vault_in_settings {
            arguments.drop_option("--vault");
        }
        for (option, value) in [
            ("--vault", vault.transpose()?),
            ("--settings", self.settings_to_name(&arguments)?),
            (AGENT, agent),
            ("--tier", options.tier.as_ref().map(word)),
            ("--backend", options.backend.as_ref().map(word)),
            ("--sandbox", options.sandbox.as_ref().map(word)),
            (
                "--timeout-ms",
                options.timeout_ms.map(|time| time.to_string()),
            ),
        ] {
            if let Some(value) = value {
                arguments.set(option, &value);
            }
        }
        let server = ServerEntry {
            command: text_of(program, "the program's path")?,
            args: arguments.words(),
        };
        Ok((server, arguments))
    }

    /// Returns the settings file to name in the entry; `None` if the entry already names another one. The path is
    /// always explicit: otherwise `HOME` and `XDG_CONFIG_HOME` of the client would choose the settings (`threats.toml`
    /// C09).
    fn settings_to_name(&self, arguments: &ServerArguments) -> Result<Option<String>, Failure> {
        let own = setup::settings_file(self.options, self.environment);
        let named = arguments.value("--settings").map(Path::new);
        // A missing file restricts nothing, because no server starts with it.
        let is_other = named.is_some_and(|named| {
            named.is_absolute() && named.exists() && own.as_ref().map_or(true, |own| named != own)
        });
        if is_other && self.options.settings.is_none() {
            return Ok(None);
        }
        text_of(own?, "the path of the settings file").map(Some)
    }

    /// Checks, before any change, that the server would start with these options.
    fn check_start(
        &self,
        file: &ClientConfigFile,
        planned: &PlannedServer,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let opened_for = |caller| {
            let options = gateway_options(&planned.options, self.environment, caller);
            Gateway::new(settings.clone(), options, self.environment.clone())
                .and_then(|gateway| gateway.vaults().open())
        };
        let vault = opened_for(Caller::Agent).map_err(|failure| {
            // A person reads the reason, so use the message for people.
            let mut failure = opened_for(Caller::Person).err().unwrap_or(failure);
            failure.add_hint(self.about_kept(&planned.arguments));
            failure
        })?;
        file.ensure_outside(vault.root())
    }

    /// Says what to do if an option of the existing entry prevents the server from starting.
    fn about_kept(&self, arguments: &ServerArguments) -> String {
        let kept = arguments.kept_words();
        if kept.is_empty() {
            return String::new();
        }
        let (again, removal) = (&self.again, self.removal());
        let kept_line = Shell::native().joined(&kept);
        let begin_anew = format!("or remove the entry: `{removal}`.");
        if kept
            .iter()
            .any(|word| word == "--vault" || word.starts_with("--vault="))
        {
            format!(
                " The existing entry has {kept_line}. Name the vault: `{again} --vault FOLDER`, {begin_anew}"
            )
        } else {
            format!(
                " The existing entry has {kept_line}. Run `{again}` with another value for that option, {begin_anew}"
            )
        }
    }

    fn check_name(&self) -> Result<(), Failure> {
        let name = &self.arguments.name;
        let fits = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(fits) {
            return Ok(());
        }
        Err(Code::UsageError.failure(format!(
            "`--name` must have 1 to {MAX_NAME} characters: letters, digits, `-` and `_`."
        )))
    }
}

/// Returns the agent of a server if the settings disable it, and `*` if they disable all agents.
fn closed_agents(
    options: &CommandLineOptions,
    settings: &Settings,
) -> Result<Vec<String>, Failure> {
    let tables = settings.tables_of(Caller::Agent, options.agent.as_deref())?;
    let closing = tables
        .iter()
        .filter(|(_, table)| table.enabled == Some(false));
    Ok(closing.map(|(name, _)| (*name).to_owned()).collect())
}

fn text_of(path: PathBuf, what: &str) -> Result<String, Failure> {
    path.into_os_string().into_string().map_err(|_| {
        Code::UsageError.failure(format!(
            "Cannot write the configuration: {what} is not UTF-8."
        ))
    })
}
