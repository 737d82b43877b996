//! The choices of `setup`: from its options, otherwise from the person, otherwise the defaults.

use std::path::{Path, PathBuf};

use vault_engine::Registry;
use vault_engine::plural::count;

use super::found_vaults::{self, FoundVault};
use super::{AgentRights, SetupArguments};
use crate::cli::Cli;
use crate::cli::settings::vault_folder;
use clients::McpClient;
use frontend::{Terminal, escape, setup::program_words};

use gateway::{Gateway, holds_a_note, is_vault, known_vaults};
use protocol::{Caller, Code, Failure, Shell};
use sandbox::Environment;
use settings::{Convention, Settings};

/// Number of times that a question is asked until the answer is valid.
const ATTEMPTS: usize = 3;

/// The answers to the question what agents may do: the word of the option, and what a person reads.
const RIGHTS: [(AgentRights, &str, &str); 3] = [
    (AgentRights::Read, "read", "read only"),
    (
        AgentRights::Propose,
        "propose",
        "propose changes that you review (recommended)",
    ),
    (
        AgentRights::Write,
        "write",
        "change notes directly; you can undo each change",
    ),
];

/// The choices for one run of `setup`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choices {
    /// The vault's folder, absolute and without links.
    pub(super) vault: PathBuf,
    /// The rights that agents get.
    pub(super) rights: AgentRights,
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

/// Makes all choices without changing anything. `rights` is the choice in the settings file, or the usual one.
///
/// # Errors
///
/// - `VAULT_NOT_FOUND`: no vault was found, or the named vault does not exist.
/// - `AMBIGUOUS_TARGET`: several were found without a terminal to ask at.
/// - `USAGE_ERROR`: the person gave no usable answer.
pub(super) fn choose(
    cli: Cli<'_>,
    questions: &Questions<'_>,
    (settings, rights): (&Settings, AgentRights),
    arguments: &SetupArguments,
) -> Result<Choices, Failure> {
    let FoundVault {
        folder: vault,
        source,
    } = match &cli.options.vault {
        Some(named) => FoundVault {
            folder: opened(named, settings, cli.environment)?,
            source: "named by `--vault`",
        },
        None => found(cli, questions, settings)?,
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
    if !is_vault(&vault) {
        questions.terminal.warning(&format!(
            "{} has no folder `.obsidian`, so Obsidian has not opened it as a vault yet. If your notes are in another folder, run `setup` again with `--vault FOLDER`.",
            escape::line(&vault.to_string_lossy())
        ));
    }
    let looks_for_clients = !arguments.no_clients && arguments.clients.is_empty();
    let here = if looks_for_clients {
        clients_here(cli.environment)
    } else {
        each_once(&arguments.clients)
    };
    let rights = if let Some(rights) = arguments.agents {
        rights
    } else {
        let vault = vault.to_string_lossy();
        let facts = format!(
            "Vault: {} ({source})\nClients: {}\n",
            escape::line(&vault),
            titles(&here)
        );
        questions.rights(&facts, rights)?
    };
    Ok(Choices {
        vault,
        rights,
        is_without_clients: looks_for_clients && here.is_empty(),
        clients: here,
    })
}

/// Returns the product names of clients, for people.
pub(super) fn titles(clients: &[McpClient]) -> String {
    if clients.is_empty() {
        return "none".to_owned();
    }
    let titles: Vec<&str> = clients.iter().map(|client| client.title()).collect();
    titles.join(", ")
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
    cli: Cli<'_>,
    questions: &Questions<'_>,
    settings: &Settings,
) -> Result<FoundVault, Failure> {
    let (options, environment) = (cli.options, cli.environment);
    let program = &program_words(options, environment);
    // A name in the settings is looked up in the app's list, like in every call.
    if let Some(name) = &settings.vault
        && !questions.can_ask
    {
        let folder = opened(name, settings, environment).map_err(|failure| {
            let known = known_vaults(environment).unwrap_or_default();
            of_the_settings(name, &failure, &known, program)
        })?;
        let source = found_vaults::IN_SETTINGS;
        return Ok(FoundVault { folder, source });
    }
    let registry = match known_vaults(environment) {
        Ok(registry) => {
            if registry.damaged > 0 {
                let entries = count(registry.damaged, "entry");
                questions.terminal.note(&format!(
                    "Obsidian's list of vaults (`obsidian.json`) has {entries} that cannot be read."
                ));
            }
            registry
        }
        Err(failure) => {
            questions.terminal.note(&failure.for_person());
            Registry::default()
        }
    };
    let can_ask = questions.can_ask;
    let mut found = found_vaults::find(settings, &registry, environment, can_ask);
    // Any folder may have notes, so a person confirms one that is not known to be a vault.
    let is_certain = found
        .iter()
        .all(|vault| vault.source != found_vaults::WITH_NOTES);
    match (found.len(), questions.can_ask) {
        (1, _) if is_certain => Ok(found.remove(0)),
        (_, true) => questions.which_vault(&found, settings, environment),
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
            "The vault `{name}` from the settings cannot be opened."
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
    pub(super) terminal: &'a Terminal,
    /// Whether a person can answer.
    pub(super) can_ask: bool,
}

impl Questions<'_> {
    /// Shows the facts and asks what agents may do; the default without a terminal, or for an empty answer.
    fn rights(&self, facts: &str, default: AgentRights) -> Result<AgentRights, Failure> {
        if !self.can_ask {
            return Ok(default);
        }
        let mut text = format!("{facts}\nWhat may agents do?\n");
        for (number, (_, _, meaning)) in (1..).zip(RIGHTS) {
            text += &format!("  {number}  {meaning}\n");
        }
        let usual = (1..)
            .zip(RIGHTS)
            .find(|(_, (rights, ..))| *rights == default);
        let usual = usual.map_or(1, |(number, _)| number);
        let question = format!("1 to {} [{usual}]: ", RIGHTS.len());
        self.until_it_fits(&text, &question, |answer| {
            if answer.is_empty() {
                return Some(default);
            }
            let answer = answer.to_ascii_lowercase();
            let fits = |(number, (_, word, _)): &(usize, (AgentRights, &str, &str))| {
                answer == *word || answer.parse() == Ok(*number)
            };
            let chosen = (1..).zip(RIGHTS).find(fits);
            if chosen.is_none() {
                self.terminal.warning(
                    "Answer with `1` (or `read`), `2` (or `propose`) or `3` (or `write`).",
                );
            }
            chosen.map(|(_, (rights, ..))| rights)
        })
    }

    /// Lists the vaults and asks for a number or another folder.
    fn which_vault(
        &self,
        found: &[FoundVault],
        settings: &Settings,
        environment: &Environment,
    ) -> Result<FoundVault, Failure> {
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
                    vault.cloned()
                }
                None => match named(answer, settings, environment) {
                    Ok(folder) => Some(FoundVault {
                        folder,
                        source: "chosen by you",
                    }),
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
