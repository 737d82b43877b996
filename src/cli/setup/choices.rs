//! The choices of `setup`: from its options, otherwise from the person, otherwise the defaults.

use std::path::{Path, PathBuf};

use cli_output::plural::count;
use vault_engine::Registry;

use super::found_vaults::{self, FoundVault};
use super::{SetupArguments, Writers, openness};
use crate::cli::install::client::McpClient;
use crate::cli::settings::vault_folder;
use frontend::escape;
use frontend::options::CommandLineOptions;
use frontend::setup::program_words;
use frontend::terminal::Terminal;

use gateway::{Gateway, holds_a_note, known_vaults};
use protocol::caller::Caller;
use protocol::code::Code;
use protocol::failure::Failure;
use protocol::shell::Shell;
use sandbox::environment::Environment;
use settings::{Convention, Settings};

/// Number of times that a question is asked until the answer is valid.
const ATTEMPTS: usize = 3;

/// The choices for one run of `setup`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choices {
    /// The vault's folder, absolute and without links.
    pub(super) vault: PathBuf,
    /// The callers that may change notes; `None` leaves the settings unchanged.
    pub(super) writers: Option<Writers>,
    /// The clients to change.
    pub(super) clients: Vec<McpClient>,
    /// Whether clients were searched for, and none was found.
    pub(super) is_without_clients: bool,
}

impl Choices {
    /// Returns the vault's folder as the settings name it.
    pub(super) fn folder(&self) -> String {
        self.vault.to_string_lossy().into_owned()
    }
}

/// Makes all choices without changing anything. `writers` is the choice in the settings file.
///
/// # Errors
///
/// - `VAULT_NOT_FOUND`: no vault was found, or the named vault does not exist.
/// - `AMBIGUOUS_TARGET`: several were found without a terminal to ask at.
/// - `USAGE_ERROR`: the person gave no usable answer.
pub(super) fn choose(
    questions: &Questions<'_>,
    (settings, writers): (&Settings, Option<Writers>),
    options: &CommandLineOptions,
    arguments: &SetupArguments,
    environment: &Environment,
) -> Result<Choices, Failure> {
    let vault = match &options.vault {
        Some(named) => opened(named, settings, environment)?,
        None => found(questions, settings, options, environment)?,
    };
    if vault.to_str().is_none() {
        return Err(Code::UsageError
            .failure("The vault's path is not UTF-8, so the settings cannot name it.")
            .hint("Rename the vault's folder."));
    }
    if vault.to_string_lossy().contains(char::is_control) {
        return Err(Code::UsageError
            .failure(
                "The vault's path contains a control character, such as a tab or a line break, so the settings cannot name it.",
            )
            .hint("Rename the vault's folder."));
    }
    let writers = match arguments.allow_writes {
        Some(writers) => Some(writers),
        None => questions.who_may_write(settings, writers.unwrap_or(Writers::Me))?,
    };
    let looks_for_clients = !arguments.no_clients && arguments.clients.is_empty();
    let here = if looks_for_clients {
        clients_here(environment)
    } else {
        each_once(&arguments.clients)
    };
    let is_without_clients = looks_for_clients && here.is_empty();
    let asks = looks_for_clients && !here.is_empty();
    let clients = if asks && !is_wanted(questions, &here)? {
        Vec::new()
    } else {
        here
    };
    Ok(Choices {
        vault,
        writers,
        clients,
        is_without_clients,
    })
}

fn each_once(clients: &[McpClient]) -> Vec<McpClient> {
    let mut once = Vec::new();
    for client in clients {
        if !once.contains(client) {
            once.push(*client);
        }
    }
    once
}

/// Returns the folder of the vault in an option.
fn opened(named: &str, settings: &Settings, environment: &Environment) -> Result<PathBuf, Failure> {
    let mut options = gateway::Options::new(Caller::Person);
    options.vault = Some(vault_folder(named, environment)?);
    let gateway = Gateway::new(settings.clone(), options, environment.clone())?;
    Ok(gateway.vaults().open()?.root().to_owned())
}

/// Chooses among the vaults that were found.
fn found(
    questions: &Questions<'_>,
    settings: &Settings,
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    let program = &program_words(options, environment);
    // A name in the settings is looked up in the app's list, like in every call.
    if let Some(name) = &settings.vault
        && !questions.can_ask
    {
        return opened(name, settings, environment).map_err(|failure| {
            let known = known_vaults(environment).unwrap_or_default();
            of_the_settings(name, &failure, &known, program)
        });
    }
    let registry = match known_vaults(environment) {
        Ok(registry) => {
            if registry.damaged > 0 {
                let entries = count(registry.damaged, "entry");
                questions.note(&format!(
                    "Obsidian's list of vaults, `obsidian.json`, has {entries} that cannot be read."
                ));
            }
            registry
        }
        Err(failure) => {
            questions.note(&failure.for_person());
            Registry::default()
        }
    };
    let can_ask = questions.can_ask;
    let mut found = found_vaults::find(settings, &registry, environment, can_ask);
    match (found.len(), questions.can_ask) {
        (_, true) => questions.which_vault(&found, settings, environment),
        (1, false) => Ok(found.remove(0).folder),
        (0, false) => Err(none(&registry, environment, program)),
        (_, false) => Err(several(&found, program)),
    }
}

/// Returns the failure if the vault of the settings cannot be opened.
fn of_the_settings(name: &str, failure: &Failure, known: &Registry, program: &str) -> Failure {
    let there: Vec<String> = known
        .vaults
        .iter()
        .filter(|vault| vault.path.is_dir())
        .map(|vault| format!("`{}`", vault.path.display()))
        .collect();
    let known = match there.as_slice() {
        [] => String::new(),
        there => format!(" Obsidian knows {}.", there.join(", ")),
    };
    Code::VaultNotFound
        .failure(format!(
            "The vault in the settings, `{name}`, cannot be opened."
        ))
        .hint(format!(
            "Name the vault to use: `{program} setup --vault FOLDER`.{known}"
        ))
        .with("reason", failure.code.name())
}

fn none(registry: &Registry, environment: &Environment, program: &str) -> Failure {
    let known = if registry.vaults.is_empty() {
        "this folder is not in a vault, and Obsidian lists no vaults."
    } else {
        "this folder is not in a vault, and the folders of the vaults that Obsidian lists do not exist."
    };
    let here = environment.working_directory();
    let advice = if here.is_some_and(holds_a_note) {
        format!(
            "This folder contains notes. To use it as the vault, run `{program} setup --vault .`."
        )
    } else {
        format!("Name the folder of your notes with `{program} setup --vault FOLDER`.")
    };
    Code::VaultNotFound.failure(format!("No vault was found: {known} {advice}"))
}

fn several(found: &[FoundVault], program: &str) -> Failure {
    let folders: Vec<String> = found
        .iter()
        .map(|vault| vault.folder.to_string_lossy().into_owned())
        .collect();
    let shown: Vec<String> = folders.iter().map(|folder| format!("`{folder}`")).collect();
    Code::AmbiguousTarget
        .failure(format!("Several vaults were found: {}.", shown.join(", ")))
        .hint(format!(
            "Name the vault to use: `{program} setup --vault FOLDER`."
        ))
        .with("vaults", folders)
}

fn clients_here(environment: &Environment) -> Vec<McpClient> {
    McpClient::all()
        .iter()
        .copied()
        .filter(|client| client.is_here(Convention::native(), environment))
        .collect()
}

/// Whether the server should be added to these clients.
fn is_wanted(questions: &Questions<'_>, clients: &[McpClient]) -> Result<bool, Failure> {
    let names: Vec<&str> = clients.iter().map(|client| client.title()).collect();
    let question = format!("\nAdd vault-gw to {}? [Y/n] ", names.join(", "));
    questions.yes_or_no(&question, true)
}

/// Returns the vault of a person's answer: a folder, possibly quoted for a shell, or a name.
fn named(answer: &str, settings: &Settings, environment: &Environment) -> Result<PathBuf, Failure> {
    let is_folder = |words: &str| environment.absolute(Path::new(words)).is_dir();
    let plain = match Shell::native().split(answer) {
        Ok(words) if !is_folder(answer) && words.len() == 1 => words.concat(),
        _ => answer.to_owned(),
    };
    let vault = opened(&plain, settings, environment);
    if vault.is_err() && is_folder(&plain) {
        let here = environment.absolute(Path::new(&plain));
        return opened(&here.to_string_lossy(), settings, environment);
    }
    vault
}

/// Asks the person, if there is a terminal.
pub(super) struct Questions<'a> {
    terminal: &'a Terminal,
    can_ask: bool,
}

impl<'a> Questions<'a> {
    pub(super) fn new(terminal: &'a Terminal, can_ask: bool) -> Self {
        Self { terminal, can_ask }
    }

    /// Whether a person can answer.
    pub(super) fn can_ask(&self) -> bool {
        self.can_ask
    }

    fn note(&self, text: &str) {
        self.terminal.note(text);
    }

    /// Returns the answer; the default without a terminal, or for an empty answer.
    pub(super) fn yes_or_no(&self, question: &str, default: bool) -> Result<bool, Failure> {
        if !self.can_ask {
            return Ok(default);
        }
        self.until_it_fits("", question, |answer| {
            match answer.to_ascii_lowercase().as_str() {
                "" => Some(default),
                "y" | "yes" => Some(true),
                "n" | "no" => Some(false),
                _ => {
                    self.terminal.warning("Answer `y` or `n`.");
                    None
                }
            }
        })
    }

    /// Asks who may change notes; `None` without a terminal.
    fn who_may_write(
        &self,
        settings: &Settings,
        default: Writers,
    ) -> Result<Option<Writers>, Failure> {
        if !self.can_ask {
            return Ok(None);
        }
        let mut list = format!(
            "\nAgents that start this program will be able to read notes.\nWho may change notes? Each change can be undone; {}.\n",
            openness::about_losses(settings)
        );
        let choices = [
            (Writers::All, "you and agents", "all"),
            (Writers::Me, "only you", "me"),
            (Writers::Nobody, "nobody", "nobody"),
        ];
        for (index, (_, who, _)) in choices.iter().enumerate() {
            list += &format!("  {}  {who}\n", index + 1);
        }
        let usual = choices.iter().position(|(writers, ..)| *writers == default);
        let usual = usual.map_or(1, |index| index + 1);
        let question = format!("1 to {} [{usual}]: ", choices.len());
        let chosen = self.until_it_fits(&list, &question, |answer| {
            if answer.is_empty() {
                return Some(default);
            }
            let answer = answer.to_ascii_lowercase();
            let fits = choices
                .iter()
                .enumerate()
                .find(|(index, (_, who, word))| {
                    answer == *who || answer == *word || answer.parse() == Ok(index + 1)
                });
            if fits.is_none() {
                self.terminal.warning(
                    "Answer `1` or `all` (you and agents), `2` or `me` (only you), `3` or `nobody`.",
                );
            }
            fits.map(|(_, (writers, ..))| *writers)
        });
        chosen.map(Some)
    }

    /// Lists the vaults and asks for a number or another folder.
    fn which_vault(
        &self,
        found: &[FoundVault],
        settings: &Settings,
        environment: &Environment,
    ) -> Result<PathBuf, Failure> {
        let mut list = String::new();
        for (index, vault) in found.iter().enumerate() {
            let folder = vault.folder.to_string_lossy();
            let (folder, source) = (escape::line(&folder), vault.source);
            list += &format!("  {}  {folder}  ({source})\n", index + 1);
        }
        let question = match found.len() {
            0 => "No vault was found. Type the folder of your notes: ".to_owned(),
            1 => "Which vault? Number or folder [1]: ".to_owned(),
            count => format!("Which vault? 1 to {count}, or a folder [1]: "),
        };
        self.until_it_fits(&list, &question, |answer| {
            let number = if answer.is_empty() {
                if found.is_empty() {
                    return None;
                }
                Some(1)
            } else {
                answer.parse::<usize>().ok()
            };
            match number {
                Some(number) => {
                    let index = number.checked_sub(1);
                    let vault = index.and_then(|index| found.get(index));
                    if vault.is_none() {
                        let message = format!("The list has no vault {number}.");
                        self.terminal.warning(&message);
                    }
                    vault.map(|vault| vault.folder.clone())
                }
                None => match named(answer, settings, environment) {
                    Ok(folder) => Some(folder),
                    Err(failure) => {
                        self.terminal.warning(&failure.for_person());
                        None
                    }
                },
            }
        })
    }

    /// Asks until an answer is valid.
    fn until_it_fits<T>(
        &self,
        text: &str,
        question: &str,
        fits: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        let mut attempts = 0;
        while attempts < ATTEMPTS {
            let answer = self.terminal.ask(text, question)?;
            // The end of the input is neither an answer nor the default.
            let Some(answer) = answer.filter(|answer| !answer.is_empty()) else {
                break;
            };
            let answer = answer.trim();
            if let Some(fitting) = fits(answer) {
                return Ok(fitting);
            }
            // An empty answer does not count as an attempt.
            attempts += usize::from(!answer.is_empty());
        }
        Err(Code::UsageError.failure("The question was not answered. Nothing was changed."))
    }
}
