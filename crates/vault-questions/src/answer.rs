//! The commands that the engine answers, and the functions that answer them.

use vault_answers::{Answer, OwnForm};
use vault_files::{Args, Call, EngineError, Surroundings, Vault};

use super::own::COMMANDS as OWN_COMMANDS;
use super::reply::Reply;
use super::{COMMANDS, Serve};

/// Whether the engine answers this command.
///
/// ```
/// assert!(vault_questions::serves("backlinks"));
/// assert!(!vault_questions::serves("eval"));
/// ```
pub fn serves(command: &str) -> bool {
    find(command).is_some()
}

/// Returns every command that the engine answers: the app's commands, then the gateway's own.
pub fn commands() -> impl Iterator<Item = &'static str> {
    let app = COMMANDS.iter().map(|(name, _)| *name);
    app.chain(OWN_COMMANDS.iter().map(|own| own.id))
}

/// Returns the forms of the answers to the gateway's own commands.
pub fn own_forms() -> impl Iterator<Item = &'static OwnForm> {
    OWN_COMMANDS.iter().map(|own| &own.form)
}

/// Answers a command as the app would (`official-cli.md` §5.1), from the folder alone.
///
/// Parameters that a command does not have are ignored; empty `file`, `path`, `folder` and `ext`
/// count as absent. Both are as in the app (`official-cli.md` §4).
///
/// # Errors
///
/// [`EngineError::NotServed`] for a command that needs the app, [`EngineError::Refused`] if the app would answer with an
/// error, and any other error if the folder cannot be read.
///
/// ```
/// use jiff::Zoned;
/// use vault_files::{Registry, Surroundings, Vault};
/// use vault_questions::answer;
///
/// let vault = Vault::open(std::path::Path::new("../../fixtures/vault"))?;
/// let surroundings = Surroundings {
///     now: Zoned::default(),
///     random: 0,
///     registry: Registry::default(),
/// };
/// let answer = answer(&vault, "tags", &Default::default(), &surroundings)?;
/// assert!(!answer.is_empty());
/// # Ok::<(), vault_files::EngineError>(())
/// ```
pub fn answer(
    vault: &Vault,
    command: &str,
    arguments: &Args,
    surroundings: &Surroundings,
) -> Result<Answer, EngineError> {
    reply(vault, command, arguments, surroundings).map(|reply| reply.answer)
}

/// As [`answer`], with the note's bytes and the warnings.
///
/// # Errors
///
/// As [`answer`].
pub fn reply(
    vault: &Vault,
    command: &str,
    arguments: &Args,
    surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let serve = find(command).ok_or_else(|| EngineError::NotServed {
        command: command.to_owned(),
    })?;
    serve(&Call {
        vault,
        arguments,
        surroundings,
    })
}

fn find(command: &str) -> Option<Serve> {
    let app = COMMANDS.iter().find(|(name, _)| *name == command);
    let own = || OWN_COMMANDS.iter().find(|own| own.id == command);
    app.map(|(_, serve)| *serve)
        .or_else(|| own().map(|own| own.serve))
}
