//! The embedded backend: an adapter over the vault engine that answers as the app would.

use jiff::Zoned;
use vault_engine::{EngineError, Reply, Surroundings, Warning};

use super::{Captured, Limits, PinnedVault, Plan, Produced, engine_failure};
use crate::failure::Failure;
use crate::issue::Issue;

/// Whether the engine answers this command.
pub fn serves(command: &str) -> bool {
    vault_engine::serves(command)
}

/// Answers from the vault's folder.
///
/// An error that the app would print is printed here too, with exit code 0, so that the envelope
/// is the same from both backends (`design.md`, promise 4).
pub fn answer(
    plan: &Plan,
    vault: &PinnedVault,
    limits: &Limits,
    now: &Zoned,
) -> Result<Produced, Failure> {
    let command = &plan.call.command;
    let surroundings = Surroundings {
        now: now.clone(),
        random: random(),
        registry: vault.registry.clone(),
    };
    let arguments = plan.call.as_cli_arguments();
    let mut warnings = plan.warnings.clone();
    let mut exact_text = None;
    let replied = vault_engine::reply(&vault.engine, &command.id, &arguments, &surroundings);
    let (text, outcome) = match replied {
        Ok(Reply {
            answer,
            bytes,
            warnings: more,
        }) => {
            warnings.extend(more.iter().map(issue));
            let text = match (&answer, &bytes) {
                // The exact text, without the line feed that the app's server adds.
                (cli_output::Answer::NoteText(_), Some(bytes)) => bytes.clone(),
                (answer, _) => cli_output::render(answer, command.output, &arguments).into_bytes(),
            };
            exact_text = bytes;
            // The envelope's `data` holds what the text shows, from either backend.
            let answer = cli_output::as_printed(answer, command.output, &arguments);
            (text, Ok(Some(answer)))
        }
        Err(EngineError::App(error)) => (
            format!("{error}\n").into_bytes(),
            Err(engine_failure(EngineError::App(error))),
        ),
        Err(error) => return Err(engine_failure(error)),
    };
    Ok(Produced {
        exit_code: Some(0),
        stdout: Captured::of(text, limits.max_output_bytes),
        exact_text,
        outcome,
        warnings,
        ..Produced::default()
    })
}

fn issue(warning: &Warning) -> Issue {
    let mut issue = Issue::new(warning.code(), warning.to_string());
    issue.line = warning.line().and_then(|line| u64::try_from(line).ok());
    if warning.path().is_root() {
        issue
    } else {
        issue.at(warning.path().as_str())
    }
}

/// Randomness for `random:read`: the random bits of a UUID, from the system's source.
fn random() -> u64 {
    const RANDOM_BITS: u64 = (1 << 62) - 1;
    uuid::Uuid::new_v4().as_u64_pair().1 & RANDOM_BITS
}
