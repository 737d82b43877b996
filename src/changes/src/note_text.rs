//! Completes a read of a note: adds its path, its hash and its exact bytes.
//!
//! The app adds a missing final line feed to the note that it prints (`official-cli.md` §3). Its output
//! alone does not show what is stored, so it is compared with the file.

use std::borrow::Cow;

use cli_output::startup_noise;
use vault_answers::{NoteText, RandomNote};
use vault_engine::{EngineError, FilePieces, VaultPath, Warning, byte_order_mark};

use crate::later_part;
use allowlist::paging::WholeText;
use backend::{Captured, Limits, PinnedVault, Produced, ResolvedCall, engine_issue};
use obsidian_cli::Error;
use protocol::{Failure, Issue, digest::sha256};

/// Commands that print a note of the vault as it is stored.
const STORED_TEXT: [&str; 3] = ["read", "daily:read", "random:read"];

/// Completes the answer of a command that printed a stored note, and cuts long text to the requested
/// part. Other answers stay unchanged.
///
/// # Errors
///
/// If the stored note cannot be read.
pub fn complete(
    mut produced: Produced,
    resolved: &ResolvedCall,
    vault: &PinnedVault,
    limits: &Limits,
) -> Result<Produced, Failure> {
    let is_part = produced.stdout.omitted() > 0 || limits.offset > 0;
    let is_stored = STORED_TEXT.contains(&resolved.call.command.id.as_str());
    let answer = produced.backend_answer().filter(|_| is_stored);
    let note = answer.and_then(|answer| match answer.downcast_ref::<RandomNote>() {
        Some(picked) => VaultPath::file(&picked.path).ok(),
        None => resolved.note.clone().filter(|_| answer.is::<NoteText>()),
    });
    let Some(note) = note else {
        if is_part && produced.part.is_none() {
            later_part::cut_text(&mut produced, None, limits)?;
        }
        return Ok(produced);
    };
    if let Some(answer) = note_text(&mut produced) {
        answer.path = Some(note.as_str().to_owned());
    }
    if produced.part.is_some() {
        // The engine has cut the part out of the file itself.
        return Ok(produced);
    }
    if is_part {
        return part(produced, &note, vault, limits);
    }
    Ok(whole(produced, &note, vault))
}

/// Cuts a part of a note that the app printed. Takes it from the file if the printed text is its
/// beginning, because the printed text may be incomplete.
fn part(
    mut produced: Produced,
    note: &VaultPath,
    vault: &PinnedVault,
    limits: &Limits,
) -> Result<Produced, Failure> {
    let printed = produced
        .backend_answer()
        .and_then(|answer| answer.answer_text());
    let Some(printed) = printed.map(|shown| shown.text.clone()) else {
        return Ok(produced);
    };
    let is_cut = produced.stdout.omitted() > 0;
    let stored = vault.engine.read_bytes(note);
    // Too large for the memory: the app's output is compared with the beginning of the file.
    if is_cut
        && matches!(stored, Err(EngineError::TooLargeToHold { .. }))
        && let Some(file) = beginning_with(&printed, note, vault)
    {
        later_part::cut_text(&mut produced, Some(WholeText::InPieces(file)), limits)?;
        return Ok(produced);
    }
    let stored = stored.ok().filter(|stored| {
        // Every text begins with an empty text, so an empty output proves nothing.
        if is_cut && printed.is_empty() {
            return false;
        }
        let text = String::from_utf8_lossy(stored);
        let text_without_mark = byte_order_mark::strip(&text);
        [&text, text_without_mark].into_iter().any(|text| {
            if is_cut {
                text.starts_with(&printed)
            } else {
                is_printed_as(text, &printed)
            }
        })
    });
    if stored.is_none() {
        produced.warnings.push(not_as_stored(note));
    }
    let stored = stored.as_deref().map(WholeText::InMemory);
    later_part::cut_text(&mut produced, stored, limits)?;
    Ok(produced)
}

/// Returns the file of the note, if it begins with the incomplete printed text.
fn beginning_with(printed: &str, note: &VaultPath, vault: &PinnedVault) -> Option<FilePieces> {
    let mut file = vault.engine.pieces(note).ok()?;
    // A byte order mark is not printed, and a character may be cut off at the end.
    let bytes = file.read(0, printed.len() + 8).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let begins = text.starts_with(printed) || byte_order_mark::strip(&text).starts_with(printed);
    (begins && !printed.is_empty()).then_some(file)
}

/// Completes a note that was printed in full.
fn whole(mut produced: Produced, note: &VaultPath, vault: &PinnedVault) -> Produced {
    // The engine returns the bytes that it read. The app's output is compared with the file, which
    // may have changed since.
    let handed_over = produced.exact_text.take();
    let printed_by_app = handed_over.is_none();
    let Some(stored) = handed_over.or_else(|| vault.engine.read_bytes(note).ok()) else {
        produced.warnings.push(not_as_stored(note));
        return produced;
    };
    let is_empty = byte_order_mark::strip_bytes(&stored).is_empty();
    if !is_empty && note_text(&mut produced).is_some_and(|answer| answer.content.is_empty()) {
        produced.outcome = Err(Error::Silent.into());
        return produced;
    }
    let hash = sha256(&stored);
    let text = String::from_utf8_lossy(&stored);
    if printed_by_app && matches!(text, Cow::Owned(_)) {
        // The engine has already warned; the app replaces invalid UTF-8 silently.
        let not_text = Warning::NotUtf8 { path: note.clone() };
        produced.warnings.push(engine_issue(&not_text));
    }
    // The hash is returned only with the exact text. With the hash of a text that it has not seen, a
    // caller could pass `ifHash` and overwrite that text.
    let Ok(Some(answer)) = &mut produced.outcome else {
        return produced;
    };
    if let Some(answer) = answer.downcast_mut::<NoteText>() {
        let content = &mut answer.content;
        let (stdout, warnings) = (&produced.stdout, &mut produced.warnings);
        let exact = adopt(content, &text)
            || printed_by_app && adopt_behind_noise(content, &text, stdout, warnings);
        if exact {
            answer.sha256 = Some(hash);
            produced.exact_text = Some(stored);
        } else {
            produced.warnings.push(not_as_stored(note));
        }
    } else if let Some(answer) = answer.downcast_mut::<RandomNote>() {
        // No exact bytes here: a terminal shows the path above the text, as the app does.
        let exact = adopt(&mut answer.content, &text);
        answer.sha256 = exact.then_some(hash);
    }
    produced
}

/// Returns the answer, if it is the text of a named note.
fn note_text(produced: &mut Produced) -> Option<&mut NoteText> {
    produced.backend_answer()?.downcast_mut()
}

/// Whether the app would print `stored` as `printed`: it adds a missing final line feed.
pub(crate) fn is_printed_as(stored: &str, printed: &str) -> bool {
    printed == stored || printed.strip_suffix('\n') == Some(stored)
}

/// Replaces the printed text by the stored one if they differ at most by the added line feed or a byte
/// order mark. Returns whether they match.
fn adopt(printed: &mut String, stored: &str) -> bool {
    let stored_without_mark = byte_order_mark::strip(stored);
    let exact = is_printed_as(stored, printed) || is_printed_as(stored_without_mark, printed);
    if exact {
        stored.clone_into(printed);
    }
    exact
}

/// Like [`adopt`], for a note that begins with lines like the app's start-up noise, which were
/// removed from the output by mistake.
fn adopt_behind_noise(
    printed: &mut String,
    stored: &str,
    stdout: &Captured,
    warnings: &mut Vec<Issue>,
) -> bool {
    let whole = stdout.text().text;
    let head = [whole.as_str(), whole.strip_suffix('\n').unwrap_or(&whole)]
        .into_iter()
        .find_map(|whole| whole.strip_suffix(stored));
    let Some(head) = head.filter(|head| startup_noise::strip(head).0.is_empty()) else {
        return false;
    };
    stored.clone_into(printed);
    if head.is_empty() {
        // All removed lines belong to the note.
        warnings.retain(|issue| issue.code != "STARTUP_NOISE");
    }
    true
}

fn not_as_stored(note: &VaultPath) -> Issue {
    Issue::new(
        "NOT_AS_STORED",
        "The returned text differs from the file on disk. The app may have unsaved changes, or the file may have changed during the call.",
    )
    .with_path(note.as_str())
}

#[cfg(test)]
mod tests {
    use super::adopt;

    const CASES: &str = include_str!("note_text_cases.txt");

    #[test]
    fn only_an_added_line_feed_or_a_dropped_mark_counts_as_the_same_text() {
        for (printed, stored, same) in
            tables::typed::<(&str, &str, bool)>(CASES, "only an added line feed or a dropped")
        {
            let mut text = printed.to_owned();
            assert_eq!(adopt(&mut text, stored), same, "{printed:?} {stored:?}");
            assert_eq!(text, if same { stored } else { printed });
        }
    }
}
