//! Text of the vault that reads like an error of the app.
//!
//! The app prints its errors where its answers stand (`official-cli.md` §1), and a note, a property or
//! an alias may be the very same sentence. The folder tells them apart: what the engine reads there
//! too is an answer and no error (`faults.md` F10).

use cli_output::{Shape, startup_noise};

use crate::backend::obsidian::ambiguous_output;
use crate::backend::{Payload, Produced, ResolvedCall, embedded};
use crate::failure::Failure;

/// Takes what was classified as an error for an answer where `from_folder`, the engine's answer to
/// the same call, has the same text. The folder is looked at only then.
pub(super) fn recognise(
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
    let is_same = same(&printed, &read) || same(startup_noise::strip(&printed).0, &read);
    if is_same
        && expected.stdout.omitted() == 0
        && matches!(expected.outcome, Ok(Payload::Answer(_)))
    {
        produced.outcome = expected.outcome;
        produced.warnings.push(ambiguous_output());
    }
    produced
}

/// Whether the first line of the answer may be any text of the vault, and the engine can tell it.
fn begins_with_vault_text(resolved: &ResolvedCall) -> bool {
    let command = &resolved.call.command;
    let may_begin = match command.output {
        Shape::NoteText
        | Shape::PropertyValue
        | Shape::Aliases
        | Shape::Links
        | Shape::Unresolved
        | Shape::Templates => true,
        // Of the whole vault it is a list of names.
        Shape::Properties => resolved.note.is_some(),
        _ => false,
    };
    may_begin && embedded::serves(&command.id)
}

/// Whether the app would print `read` as `printed`: with a line feed where it has none.
fn same(printed: &str, read: &str) -> bool {
    printed == read || printed.strip_suffix('\n') == Some(read)
}
