//! `vault-gw install CLIENT`: adds this program as an MCP server to a client's configuration and
//! enables the bridge.

pub(super) mod client;
mod edit;
mod file;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};
use similar::TextDiff;

use self::client::{McpClient, ServerEntry};
use self::edit::{Edited, EntryAction};
use self::file::ClientConfigFile;
use super::report;
use crate::clock;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::setup::{self, gateway_options, vault_choice};
use crate::frontend::terminal::Terminal;
use crate::gateway::{Caller, Gateway};
use crate::settings::{Convention, Settings, edit as settings_edit};

/// How often to retry if the client writes to its file at the same time.
const ATTEMPTS: usize = 3;
/// The longest name of an entry. Kept short, because clients prefix the names of tools with it.
const MAX_NAME: usize = 32;
/// The usual name of an entry.
const ENTRY_NAME: &str = "vault-gw";

/// The options of `install`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct InstallArguments {
    /// The client
    client: McpClient,
    /// The name of the entry
    #[arg(long, value_name = "NAME", default_value = ENTRY_NAME)]
    name: String,
    /// Take the entry out again; the bridge stays as it is
    #[arg(long, conflicts_with = "print")]
    remove: bool,
    /// Print the entry and change nothing
    #[arg(long)]
    print: bool,
}

/// Runs the verb.
pub(crate) fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    arguments: &InstallArguments,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    let job = InstallJob {
        options,
        arguments,
        environment,
    };
    match job.act() {
        Ok((text, data)) => report::verb(terminal, options, "install", started, &text, data),
        Err(failure) => report::failure(terminal, options, "install", failure),
    }
}

/// What was done, in words and as data.
pub(super) type InstallReport = (String, Map<String, Value>);

/// Adds the server to a client under its usual name, for `setup`. `settings` are those that the
/// server will read: with `--dry-run` they are not in the file yet.
///
/// # Errors
///
/// If the server would not start, or the client's file cannot be changed.
pub(super) fn add_to(
    client: McpClient,
    options: &CommandLineOptions,
    settings: &Settings,
    environment: &Environment,
) -> Result<InstallReport, Failure> {
    let arguments = InstallArguments {
        client,
        name: ENTRY_NAME.to_owned(),
        remove: false,
        print: false,
    };
    let job = InstallJob {
        options,
        arguments: &arguments,
        environment,
    };
    let file = ClientConfigFile::find(client.file(Convention::native(), environment)?)?;
    let (mut text, data) = job.added(&file, settings)?;
    text += &job.takes_effect(&data);
    Ok((text, data))
}

struct InstallJob<'a> {
    options: &'a CommandLineOptions,
    arguments: &'a InstallArguments,
    environment: &'a Environment,
}

impl InstallJob<'_> {
    fn act(&self) -> Result<InstallReport, Failure> {
        let client = self.arguments.client;
        self.check_name()?;
        let place = client.file(Convention::native(), self.environment);
        if self.arguments.print {
            let server = self.server()?;
            return self.printed(&server, place.ok());
        }
        let file = ClientConfigFile::find(place?)?;
        if self.arguments.remove {
            return self.removed(&file);
        }
        let settings = setup::settings(self.options, self.environment)?;
        let (mut text, mut data) = self.added(&file, &settings)?;
        text += &self.turn_on(&settings, &mut data)?;
        text += &self.takes_effect(&data);
        Ok((text, data))
    }

    /// Adds the entry, after checking that the server would start.
    fn added(
        &self,
        file: &ClientConfigFile,
        settings: &Settings,
    ) -> Result<InstallReport, Failure> {
        let client = self.arguments.client;
        let server = self.server()?;
        self.check_start(file, settings)?;
        let mut data = self.facts(file);
        data.insert("command".to_owned(), json!(server.command));
        data.insert("args".to_owned(), json!(server.args));
        let entry = client.entry(&server);
        let mut text = self.change(file, Some(&entry), &mut data)?;
        text += &format!("  runs: {}\n", shown_line(&server));
        Ok((text, data))
    }

    /// When the client will see the change, if there is one.
    fn takes_effect(&self, data: &Map<String, Value>) -> String {
        if self.options.dry_run || data["action"] == EntryAction::Unchanged.name() {
            return String::new();
        }
        format!("{}\n", self.arguments.client.takes_effect())
    }

    fn printed(
        &self,
        server: &ServerEntry,
        place: Option<PathBuf>,
    ) -> Result<InstallReport, Failure> {
        let client = self.arguments.client;
        let entry = client.entry(server);
        let text = edit::alone(client, &self.arguments.name, &entry).map_err(|unusable| {
            Failure::new(Code::InternalError, format!("The entry {unusable}."))
        })?;
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

    fn removed(&self, file: &ClientConfigFile) -> Result<InstallReport, Failure> {
        let mut data = self.facts(file);
        let text = self.change(file, None, &mut data)?;
        let bridge = match setup::settings(self.options, self.environment) {
            Ok(settings) if settings.enabled => {
                "The bridge stays on; `vault-gw settings set enabled false` turns it off.\n"
            }
            _ => "",
        };
        Ok((text + bridge, data))
    }

    fn facts(&self, file: &ClientConfigFile) -> Map<String, Value> {
        object(json!({
            "client": self.arguments.client.word(),
            "name": self.arguments.name,
            "file": file.path().display().to_string(),
            "linked": file.is_linked(),
            "dryRun": self.options.dry_run,
        }))
    }

    /// Sets or removes the entry in the client's file; with `--dry-run`, only shows the change.
    fn change(
        &self,
        file: &ClientConfigFile,
        entry: Option<&[(&'static str, Value)]>,
        data: &mut Map<String, Value>,
    ) -> Result<String, Failure> {
        let client = self.arguments.client;
        let name = &self.arguments.name;
        for _ in 0..ATTEMPTS {
            let old = file.read()?;
            let edited = edit::edited(client, old.as_deref().unwrap_or_default(), name, entry)
                .map_err(|reason| file::unusable(file.path(), &reason.to_string()))?;
            data.insert("action".to_owned(), json!(edited.action.name()));
            if self.options.dry_run {
                let diff = diff(file, old.as_deref(), &edited);
                data.insert("diff".to_owned(), json!(diff));
                return Ok(diff + &self.done(file, edited.action));
            }
            if !edited.action.changes() {
                return Ok(self.done(file, edited.action));
            }
            let now = clock::system_clock(self.environment)().timestamp();
            let Some(replaced) = file.replace(old.as_deref(), &edited.text, now)? else {
                continue;
            };
            let mut text = self.done(file, edited.action);
            if let Some(backup) = &replaced.backup {
                let backup = backup.display().to_string();
                text += &format!("  what was there: {backup}\n");
                data.insert("backup".to_owned(), json!(backup));
            }
            return Ok(text);
        }
        Err(Failure::new(
            Code::Busy,
            format!(
                "{} keeps changing. Quit {} and try again.",
                file.path().display(),
                client.title()
            ),
        ))
    }

    fn done(&self, file: &ClientConfigFile, action: EntryAction) -> String {
        let would = if self.options.dry_run && action.changes() {
            "Would have "
        } else {
            ""
        };
        let (did, link) = match action {
            EntryAction::Added => ("added", "to"),
            EntryAction::Updated => ("updated", "in"),
            EntryAction::Removed => ("removed", "from"),
            EntryAction::Unchanged => ("is there already:", "in"),
            EntryAction::Absent => ("is not there:", "in"),
        };
        let name = &self.arguments.name;
        let title = self.arguments.client.title();
        let path = file.path().display();
        match action {
            EntryAction::Unchanged | EntryAction::Absent => {
                format!("`{name}` {did} {title}, {path}\n")
            }
            _ if would.is_empty() => {
                format!("{} `{name}` {link} {title}, {path}\n", capital(did))
            }
            _ => format!("{would}{did} `{name}` {link} {title}, {path}\n"),
        }
    }

    /// Enables the bridge if it is disabled.
    fn turn_on(
        &self,
        settings: &Settings,
        data: &mut Map<String, Value>,
    ) -> Result<String, Failure> {
        let path = setup::settings_file(self.options, self.environment)?;
        let shown = path.display().to_string();
        let written = !settings.enabled && !self.options.dry_run;
        if written {
            settings_edit::set(&path, "enabled", "true").map_err(|failure| Failure {
                message: format!(
                    "The client is configured, but the bridge could not be turned on. {}",
                    failure.message
                ),
                ..failure
            })?;
        }
        data.insert(
            "bridge".to_owned(),
            json!({ "file": shown, "before": settings.enabled, "written": written }),
        );
        let mut text = match (settings.enabled, self.options.dry_run) {
            (true, _) => "The bridge is on already.\n".to_owned(),
            (false, true) => {
                format!("Would have turned the bridge on: enabled = true in {shown}\n")
            }
            (false, false) => format!(
                "Turned the bridge on: enabled = true in {shown}\n  any agent that can start this \
                 program may call now, as far as the settings are open (`vault-gw context`)\n"
            ),
        };
        let agent = self.options.agent.as_deref();
        if let Some(name) = agent.filter(|name| is_off(settings, name)) {
            text += &format!(
                "Agent `{name}` may still not call: `vault-gw settings set agents.{name}.enabled true`\n"
            );
        }
        Ok(text)
    }

    /// The command for the client, with this run's options that restrict it.
    fn server(&self) -> Result<ServerEntry, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(
                Code::IoError,
                format!("Cannot find the path of this program: {error}."),
            )
        })?;
        // On macOS this may be a relative path, as the program was started.
        let program = self.environment.absolute(&program);
        let options = self.options;
        let mut args = vec!["mcp".to_owned()];
        let mut add = |option: &str, value: Option<String>| {
            if let Some(value) = value {
                args.extend([option.to_owned(), value]);
            }
        };
        let vault = options.vault.as_deref();
        add(
            "--vault",
            vault.map(|vault| vault_choice(vault, self.environment)),
        );
        add("--agent", options.agent.clone());
        // Always explicit: otherwise `HOME` and `XDG_CONFIG_HOME` of the client would choose the
        // settings (`faults.md` C09).
        let settings = text_of(
            setup::settings_file(self.options, self.environment)?,
            "the path of the settings file",
        )?;
        add("--settings", Some(settings));
        add("--tier", options.tier.map(|tier| tier.name().to_owned()));
        let backend = options
            .backend
            .and_then(|backend| json!(backend).as_str().map(str::to_owned));
        add("--backend", backend);
        add(
            "--timeout-ms",
            options.timeout_ms.map(|time| time.to_string()),
        );
        Ok(ServerEntry {
            command: text_of(program, "the program's path")?,
            args,
        })
    }

    /// Checks, before any change, that the server would start with these options.
    fn check_start(&self, file: &ClientConfigFile, settings: &Settings) -> Result<(), Failure> {
        let options = gateway_options(self.options, self.environment, Caller::Agent);
        let gateway = Gateway::new(settings.clone(), options, self.environment.clone())?;
        let vault = gateway.open_vault()?;
        file.ensure_outside(vault.root())
    }

    fn check_name(&self) -> Result<(), Failure> {
        let name = &self.arguments.name;
        let fits = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(fits) {
            return Ok(());
        }
        Err(Failure::new(
            Code::UsageError,
            format!("`--name` takes 1 to {MAX_NAME} letters, digits, `-` and `_`."),
        ))
    }
}

fn is_off(settings: &Settings, agent: &str) -> bool {
    let agent = settings.agents.get(agent);
    agent.is_some_and(|agent| agent.enabled == Some(false))
}

fn diff(file: &ClientConfigFile, old: Option<&str>, edited: &Edited) -> String {
    let path = file.path().display().to_string();
    let before = if old.is_some() {
        path.as_str()
    } else {
        "/dev/null"
    };
    TextDiff::from_lines(old.unwrap_or_default(), &edited.text)
        .unified_diff()
        .context_radius(3)
        .header(before, &path)
        .to_string()
}

fn text_of(path: PathBuf, what: &str) -> Result<String, Failure> {
    path.into_os_string().into_string().map_err(|_| {
        Failure::new(
            Code::UsageError,
            format!("Cannot write the configuration: {what} is not UTF-8."),
        )
    })
}

fn shown_line(server: &ServerEntry) -> String {
    let words = std::iter::once(&server.command).chain(&server.args);
    let words: Vec<String> = words
        .map(|word| {
            if word.contains(char::is_whitespace) {
                format!("{word:?}")
            } else {
                word.clone()
            }
        })
        .collect();
    words.join(" ")
}

fn capital(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
