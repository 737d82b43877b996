//! Implements the command `outline`.

use cli_output::HeadingItem;
use obsidian_note::scan::scan;
use obsidian_note::{Heading, NoteFacts, byte_order_mark};
use vault_files::{Call, EngineError, Refusal};
use vault_index::Target;

use super::reply::{Reply, listed};

/// Returns the headings of one note, in the order of the note.
pub(super) fn outline(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let mut target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
    let items = match target.indexed_text(vault)? {
        Some(text) => headings(scan(byte_order_mark::strip(&text))),
        None => Vec::new(),
    };
    Ok(Reply::new(listed(items, arguments), target.warnings))
}

/// Headings in quotes and lists are left out (`vault-semantics.md` §3.5).
fn headings(facts: NoteFacts) -> Vec<HeadingItem> {
    let item = |heading: Heading| HeadingItem {
        level: Some(heading.level),
        depth: None,
        line: usize::try_from(heading.span.start.line)
            .ok()
            .map(|line| line + 1),
        heading: heading.text,
    };
    facts.headings.into_iter().map(item).collect()
}
