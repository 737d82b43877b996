//! Which commands the engine answers, and how a call finds its function.

use cli_output::{Answer, Arguments, Shape};

use super::own::{COMMANDS as OWN_COMMANDS, OwnServe, View};
use super::reply::Reply;
use super::{COMMANDS, Serve};
use crate::edit::own_shapes;
use crate::error::EngineError;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// Whether the engine answers this command.
///
/// ```
/// assert!(vault_engine::serves("backlinks"));
/// assert!(!vault_engine::serves("eval"));
/// ```
pub fn serves(command: &str) -> bool {
    find(command).is_some() || find_own(command).is_some()
}

/// Every command that the engine answers: those of the app, then the gateway's own.
pub fn commands() -> impl Iterator<Item = &'static str> {
    let own = OWN_COMMANDS.iter().filter(|own| own.serve.is_some());
    let app = COMMANDS.iter().map(|(name, _)| *name);
    app.chain(own.map(|own| own.id))
}

/// Every shape that a command's `output` may name: those of the app, then those of own commands.
pub fn shapes() -> impl Iterator<Item = Shape> {
    let own = OWN_COMMANDS.iter().map(|own| Shape::Own(&own.form));
    Shape::APP.iter().copied().chain(own).chain(own_shapes())
}

/// Answers a command as the app would (`official-cli.md` §5.1), from the folder alone.
///
/// Parameters that a command does not have are ignored, empty `file`, `path`, `folder` and `ext`
/// count as absent, all as in the app (`official-cli.md` §4).
///
/// # Errors
///
/// [`EngineError::NotServed`] for a command that needs the app, [`EngineError::App`] where the app would answer
/// with an error, and any other where the folder cannot be read.
///
/// ```
/// use jiff::Zoned;
/// use vault_engine::{Registry, Surroundings, Vault, answer};
///
/// let vault = Vault::open(std::path::Path::new("../../fixtures/vault"))?;
/// let surroundings = Surroundings {
///     now: Zoned::default(),
///     random: 0,
///     registry: Registry::default(),
/// };
/// let answer = answer(&vault, "tags", &Default::default(), &surroundings)?;
/// assert!(!answer.is_empty());
/// # Ok::<(), vault_engine::EngineError>(())
/// ```
pub fn answer(
    vault: &Vault,
    command: &str,
    arguments: &Arguments,
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
    arguments: &Arguments,
    surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    if let Some(serve) = find(command) {
        return serve(vault, arguments, surroundings);
    }
    let serve = find_own(command).ok_or_else(|| EngineError::NotServed {
        command: command.to_owned(),
    })?;
    serve(&View::new(vault), arguments, surroundings)
}

fn find_own(command: &str) -> Option<OwnServe> {
    let own = OWN_COMMANDS.iter().find(|own| own.id == command)?;
    own.serve
}

fn find(command: &str) -> Option<Serve> {
    COMMANDS
        .iter()
        .find(|(name, _)| *name == command)
        .map(|(_, serve)| *serve)
}
