//! `outline`.

use std::borrow::Cow;

use cli_output::{Answer, AppError, Arguments, HeadingItem};

use super::target::Target;
use super::{Reply, listed};
use crate::error::EngineError;
use crate::index::MAX_NOTE_BYTES;
use crate::scan::{Heading, NoteFacts, scan};
use crate::surroundings::Surroundings;
use crate::vault::Vault;
use crate::warning::Warning;

/// The headings of one note, in its order.
pub(super) fn outline(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let Target {
        path,
        asked,
        mut warnings,
    } = Target::of(vault, arguments)?;
    if !path.is_note() {
        vault.facts_of_target(&path, &asked)?;
        return Err(EngineError::App(AppError::NotMarkdown));
    }
    let items = if let Some(bytes) = vault.read_up_to(&path, &asked, MAX_NOTE_BYTES)? {
        let text = String::from_utf8_lossy(&bytes);
        if matches!(text, Cow::Owned(_)) {
            warnings.push(Warning::NotUtf8 { path });
        }
        headings(scan(text.strip_prefix('\u{feff}').unwrap_or(&text)))
    } else {
        warnings.push(Warning::NoteTooLarge {
            path,
            limit: MAX_NOTE_BYTES,
        });
        Vec::new()
    };
    Ok(Reply::new(
        listed(items, arguments, Answer::Outline),
        warnings,
    ))
}

/// Those in quotes and lists are not among them (`vault-semantics.md` §3.5).
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
