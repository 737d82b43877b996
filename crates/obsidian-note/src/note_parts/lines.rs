//! Hashes of a note's lines.

use cli_output::plural;

use super::sheet::Sheet;
use crate::edit_miss::{EditCandidate, EditMiss};
use crate::sha256::sha256;

/// Returns the hash of whole lines, for an edit that replaces them: the first 16 hexadecimal digits of the SHA-256 of
/// their text as it is in the note, without the end of the last line.
pub fn hash_of_lines(lines: &[u8]) -> String {
    let text = lines.strip_suffix(b"\n").unwrap_or(lines);
    let text = if text.len() < lines.len() {
        text.strip_suffix(b"\r").unwrap_or(text)
    } else {
        text
    };
    digest(text)
}

/// As [`hash_of_lines`], for a text whose last line end is removed already.
pub fn digest(text: &[u8]) -> String {
    let mut hash = sha256(text);
    hash.truncate(16);
    hash
}

/// The lines `first` to `last`, counted from 0, as a candidate, with their hash if they are shown in full.
pub fn candidate(sheet: &Sheet<'_>, first: usize, last: usize) -> EditCandidate {
    let range = sheet.line_start(first)..sheet.line_range(last).end;
    let hash = digest(&sheet.bytes()[range.clone()]);
    let shown = EditCandidate::text(first, sheet.text.get(range).unwrap_or_default());
    EditCandidate {
        lines_hash: Some(hash).filter(|_| !shown.is_cut),
        ..shown
    }
}

/// Fails if the note does not have this line, counted from 1.
///
/// # Errors
///
/// An [`EditMiss`] that names the last line.
pub fn check(sheet: &Sheet<'_>, line: usize) -> Result<(), EditMiss> {
    let count = sheet.line_count();
    if line <= count {
        return Ok(());
    }
    let last = count.checked_sub(1);
    let candidates = last.map(|last| EditCandidate::new(last, sheet.line(last)));
    Err(EditMiss::not_found(
        format!(
            "the note has {}, so line {line} does not exist",
            plural::count(count, "line")
        ),
        candidates.into_iter().collect(),
    )
    .advising("Pass lines that exist in the note. `candidates` contains the last line."))
}
