//! What `setup` has to know: from its options, else from the person, else by default.

use std::path::PathBuf;

use vault_engine::Registry;

use super::SetupArguments;
use super::found_vaults::{self, FoundVault};
use crate::cli::install::client::McpClient;
use crate::cli::settings::vault_folder;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::escape;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::terminal::Terminal;
use crate::gateway::{self, Caller, Gateway, known_vaults};
use crate::settings::{Convention, Settings};

/// How often a question is asked again after an answer that fits no choice.
const ATTEMPTS: usize = 3;

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choices {
    /// The vault's folder, absolute and without links.
    pub(super) vault: PathBuf,
    /// Whether changes are to be allowed; `false` leaves the setting as it is.
    pub(super) allows_writes: bool,
    /// The clients to change.
    pub(super) clients: Vec<McpClient>,
    /// Whether clients were looked for and none is here.
    pub(super) is_without_clients: bool,
}

impl Choices {
    /// The vault's folder as the settings name it.
    pub(super) fn folder(&self) -> String {
        self.vault.to_string_lossy().into_owned()
    }
}

/// Decides everything; changes nothing.
///
/// # Errors
///
/// - `VAULT_NOT_FOUND`: no vault was found, or the one named is not there.
/// - `AMBIGUOUS_TARGET`: several were found without a terminal to ask at.
/// - `USAGE_ERROR`: the person gave no usable answer.
pub(super) fn choose(
    questions: &Questions<'_>,
    settings: &Settings,
    options: &CommandLineOptions,
    arguments: &SetupArguments,
    environment: &Environment,
) -> Result<Choices, Failure> {
    let vault = match &options.vault {
        Some(named) => opened(named, settings, environment)?,
        None => found(questions, settings, environment)?,
    };
    if vault.to_str().is_none() {
        return Err(Failure::new(
            Code::UsageError,
            "The vault's path is not UTF-8, so the settings cannot name it. Rename the folder.",
        ));
    }
    let allows_writes = arguments.allow_writes
        || !settings.allow_mutations
            && questions.yes_or_no(
                "\nMay agents change notes too? Each change can be undone; what loses content asks you first. [y/N] ",
                false,
            )?;
    let looks_for_clients = !arguments.no_clients && arguments.clients.is_empty();
    let here = if looks_for_clients {
        clients_here(environment)
    } else {
        arguments.clients.clone()
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
        allows_writes,
        clients,
        is_without_clients,
    })
}

/// The folder of the vault that an option names.
fn opened(named: &str, settings: &Settings, environment: &Environment) -> Result<PathBuf, Failure> {
    let mut options = gateway::Options::new(Caller::Person);
    options.vault = Some(vault_folder(named, environment)?);
    let gateway = Gateway::new(settings.clone(), options, environment.clone())?;
    Ok(gateway.open_vault()?.root().to_owned())
}

/// The vault among those that were found.
fn found(
    questions: &Questions<'_>,
    settings: &Settings,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    // A name in the settings is looked up in the app's list, as every call does.
    if let Some(name) = &settings.vault
        && !questions.can_ask
    {
        return opened(name, settings, environment);
    }
    let registry = match known_vaults(environment) {
        Ok(registry) => registry,
        Err(failure) => {
            questions.note(&failure.message);
            Registry::default()
        }
    };
    let mut found = found_vaults::find(settings, &registry, environment);
    match (found.len(), questions.can_ask) {
        (_, true) => questions.which_vault(&found, settings, environment),
        (1, false) => Ok(found.remove(0).folder),
        (0, false) => Err(Failure::new(
            Code::VaultNotFound,
            "No vault was found: none is here, and Obsidian knows none. Name the folder: `vault-gw setup --vault FOLDER`.",
        )),
        (_, false) => Err(several(&found)),
    }
}

fn several(found: &[FoundVault]) -> Failure {
    let folders: Vec<String> = found
        .iter()
        .map(|vault| vault.folder.to_string_lossy().into_owned())
        .collect();
    let shown: Vec<String> = folders
        .iter()
        .map(|folder| format!("`{}`", escape::line(folder)))
        .collect();
    Failure::new(
        Code::AmbiguousTarget,
        format!(
            "Several vaults were found: {}. Name one: `vault-gw setup --vault FOLDER`.",
            shown.join(", ")
        ),
    )
    .with("vaults", folders)
}

fn clients_here(environment: &Environment) -> Vec<McpClient> {
    McpClient::all()
        .iter()
        .copied()
        .filter(|client| client.is_here(Convention::native(), environment))
        .collect()
}

/// Whether the server is to be added to these clients.
fn is_wanted(questions: &Questions<'_>, clients: &[McpClient]) -> Result<bool, Failure> {
    let names: Vec<&str> = clients.iter().map(|client| client.title()).collect();
    let question = format!("\nAdd vault-gw to {}? [Y/n] ", names.join(", "));
    questions.yes_or_no(&question, true)
}

/// Asks the person, where there is one.
pub(super) struct Questions<'a> {
    terminal: &'a Terminal,
    can_ask: bool,
}

impl<'a> Questions<'a> {
    pub(super) fn new(terminal: &'a Terminal, can_ask: bool) -> Self {
        Self { terminal, can_ask }
    }

    fn note(&self, text: &str) {
        self.terminal.note(text);
    }

    /// The answer; the default without a terminal to ask at, or if nothing is typed.
    fn yes_or_no(&self, question: &str, default: bool) -> Result<bool, Failure> {
        if !self.can_ask {
            return Ok(default);
        }
        self.until_it_fits("", question, |answer| {
            match answer.to_ascii_lowercase().as_str() {
                "" => Some(default),
                "y" | "yes" => Some(true),
                "n" | "no" => Some(false),
                _ => None,
            }
        })
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
            0 => "No vault was found. The folder of your notes: ".to_owned(),
            1 => "Which vault? [1], or a folder: ".to_owned(),
            count => format!("Which vault? [1] to {count}, or a folder: "),
        };
        self.until_it_fits(&list, &question, |answer| {
            let number = if answer.is_empty() {
                Some(1)
            } else {
                answer.parse::<usize>().ok()
            };
            match number {
                Some(number) => {
                    let index = number.checked_sub(1)?;
                    found.get(index).map(|vault| vault.folder.clone())
                }
                None => match opened(answer, settings, environment) {
                    Ok(folder) => Some(folder),
                    Err(failure) => {
                        self.terminal.warning(&failure.message);
                        None
                    }
                },
            }
        })
    }

    /// Asks until an answer fits.
    fn until_it_fits<T>(
        &self,
        text: &str,
        question: &str,
        fits: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        for _ in 0..ATTEMPTS {
            let answer = self.terminal.ask(text, question)?;
            // The end of the input is no answer, and no default either.
            let Some(answer) = answer.filter(|answer| !answer.is_empty()) else {
                break;
            };
            if let Some(fitting) = fits(answer.trim()) {
                return Ok(fitting);
            }
        }
        Err(Failure::new(
            Code::UsageError,
            "No usable answer was given. Nothing was changed.",
        ))
    }
}
