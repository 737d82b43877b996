//! Vault text that looks like an error message of the app.
//!
//! The app prints errors to standard output (`official-cli.md` §1), and a note, property or alias may
//! contain the same sentence. If the engine reads the same text from the vault, it is an answer and not
//! an error (`threats.toml` F10).

use cli_output::{Shape, startup_noise};

use crate::note_text::is_printed_as;
use backend::{Produced, ResolvedCall, embedded};
use obsidian_cli::ambiguous_output;
use protocol::Failure;

/// Turns a supposed error into an answer if `from_folder`, the engine's answer to the same call, has the
/// same text. `from_folder` is called only for a supposed error.
pub fn recognise(
    mut produced: Produced,
    resolved: &ResolvedCall,
    from_folder: impl FnOnce() -> Result<Produced, Failure>,
) -> Produced {
    let looks_like_error = produced.outcome.is_err()
        && produced.exit_code == Some(0)
        && produced.stdout.total > 0
        && produced.stdout.omitted() == 0;
    if !looks_like_error || !begins_with_vault_text(resolved) {
        return produced;
    }
    let Ok(expected) = from_folder() else {
        return produced;
    };
    let printed = produced.stdout.text().text;
    let read = expected.stdout.text().text;
    let is_same =
        is_printed_as(&read, &printed) || is_printed_as(&read, startup_noise::strip(&printed).0);
    if is_same && expected.stdout.omitted() == 0 && matches!(expected.outcome, Ok(Some(_))) {
        produced.outcome = expected.outcome;
        produced.warnings.push(ambiguous_output());
    }
    produced
}

/// Whether the answer may begin with arbitrary vault text, and the engine can answer the command too.
fn begins_with_vault_text(resolved: &ResolvedCall) -> bool {
    let command = &resolved.call.command;
    let may_begin = match command.output {
        Shape::NoteText
        | Shape::PropertyValue
        | Shape::Aliases
        | Shape::Links
        | Shape::Unresolved
        | Shape::Templates => true,
        // For the whole vault the answer is only a list of property names.
        Shape::Properties => resolved.note.is_some(),
        _ => false,
    };
    may_begin && embedded::serves(&command.id)
}
