//! Implements the command `outline`.

use obsidian_note::scan::scan;
use obsidian_note::{Heading, VaultPath, byte_order_mark};
use vault_answers::HeadingItem;
use vault_files::{Call, EngineError, Refusal, Vault};
use vault_index::Target;

use super::reply::{Found, Reply, listed};

/// Returns the headings of one note, in the order of the note.
pub(super) fn outline(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let found = outline_of(vault, Target::from_arguments(vault, arguments)?)?;
    Ok(found.reply(|headings| listed(headings.into_iter().map(item).collect(), arguments)))
}

/// Returns the headings of one note, in the order of the note. Headings in quotes and lists are left out
/// (`vault-semantics.md` §3.5). A note that is too large to be indexed has none, with a warning.
///
/// # Errors
///
/// The app's error if there is no such file or it is not a note; otherwise the error that keeps it from being read.
pub fn outline_of(vault: &Vault, target: Target) -> Result<Found<Vec<Heading>>, EngineError> {
    let mut target = target.must_be(vault, Refusal::NotMarkdown, VaultPath::is_note)?;
    let text = target.indexed_text(vault)?;
    let headings = text.map(|text| scan(byte_order_mark::strip(&text)).headings);
    Ok(Found::new(headings.unwrap_or_default(), target.warnings))
}

fn item(heading: Heading) -> HeadingItem {
    HeadingItem {
        level: Some(heading.level),
        depth: None,
        line: usize::try_from(heading.span.start.line)
            .ok()
            .map(|line| line + 1),
        heading: heading.text,
    }
}
