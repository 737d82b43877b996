//! Hashes of a note's lines.

use std::ops::Range;

use crate::plural;

use super::sheet::Sheet;
use crate::edit_miss::{EditCandidate, EditMiss};
use crate::scan::{SectionKind, Span};
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

/// Returns these lines with as many around them that no block is cut in two; lines count from 0. A list is cut between
/// its items, each of which has its inner items, and a paragraph anywhere. A block has the id that is alone below it.
pub fn whole(sheet: &Sheet<'_>, lines: Range<usize>) -> Range<usize> {
    let facts = sheet.facts();
    let mut whole = lines;
    loop {
        let before = whole.clone();
        for (index, section) in facts.sections.iter().enumerate() {
            let own = of(sheet, &section.span);
            let may_be_cut = matches!(section.kind, SectionKind::Paragraph | SectionKind::List);
            if overlap(&whole, &own) && !may_be_cut {
                widen(&mut whole, &own);
            }
            let below = facts
                .sections
                .get(index + 1)
                .map(|next| of(sheet, &next.span));
            if let Some(id) = &section.id
                && let Some(below) = below
                && sheet.line(below.start).trim().strip_prefix('^') == Some(id)
                && (overlap(&whole, &below) || whole.start <= own.start && own.end <= whole.end)
            {
                widen(&mut whole, &(own.start..below.end));
            }
            if section.kind == SectionKind::List && overlap(&whole, &own) {
                widen_to_items(sheet, &mut whole, &own);
            }
        }
        if whole == before {
            return whole;
        }
    }
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

fn widen(lines: &mut Range<usize>, to: &Range<usize>) {
    *lines = lines.start.min(to.start)..lines.end.max(to.end);
}

/// Adds the rest of each item of a list of which only a part is in the lines.
fn widen_to_items(sheet: &Sheet<'_>, lines: &mut Range<usize>, list: &Range<usize>) {
    let items = sheet.facts().list_items.iter();
    let items = items.filter(|item| list.contains(&(item.span.start.line as usize)));
    // The lines of each item without its inner items, and the number of items around it.
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for item in items {
        let mut outer = found.iter().rev();
        let outer = outer.find(|(own, _)| usize::try_from(item.parent) == Ok(own.start));
        let depth = outer.map_or(0, |(_, depth)| depth + 1);
        found.push((of(sheet, &item.span), depth));
    }
    let first = found.iter().rfind(|(own, _)| own.start <= lines.start);
    if let Some((own, _)) = first.filter(|_| list.contains(&lines.start)) {
        lines.start = own.start;
    }
    let indent = |line: usize| {
        let text = sheet.line(line);
        text.len() - text.trim_start().len()
    };
    for (index, (own, depth)) in found.iter().enumerate() {
        if lines.contains(&own.start) {
            let rest = found.get(index + 1..).unwrap_or_default();
            let inner = rest.iter().take_while(|(_, other)| other > depth);
            let end = inner
                .clone()
                .map(|(inner, _)| inner.end)
                .fold(own.end, usize::max);
            let next = rest
                .get(inner.count())
                .map_or(list.end, |(next, _)| next.start);
            // Text of the item may follow its inner items.
            let goes_on =
                |line: &usize| !sheet.is_blank(*line) && indent(*line) > indent(own.start);
            let inner_text = (end..next).rfind(goes_on);
            let whole_end = inner_text.map_or(end, |line| line + 1);
            lines.end = lines.end.max(whole_end);
        }
    }
}

/// Returns the lines of a part of a note, counted from 0, without blank ones at its end.
pub fn of(sheet: &Sheet<'_>, span: &Span) -> Range<usize> {
    let text = sheet.text.get(..span.end.byte as usize).unwrap_or_default();
    span.start.line as usize..sheet.line_at(text.trim_end().len().saturating_sub(1)) + 1
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_widened_to_whole_blocks() {
        let note = "---\na: 1\n---\n|a|b|\n|-|-|\n|c|d|\n\n> [!note]\n> text\n\n^id\n\n- one\n  - in\n    more\n\n  rest\n- two\n\n```\ncode\n```\ntext\nmore\n\n[^1]: note\n    further\n\nHead\n====\n";
        let sheet = Sheet::new(note.as_bytes());
        for (lines, expected) in [
            (1..2, 0..3),
            (3..4, 3..6),
            (5..8, 3..11),
            (8..9, 7..11),
            (10..11, 7..11),
            (12..13, 12..17),
            (13..14, 13..15),
            (14..15, 13..15),
            (16..17, 13..17),
            (17..18, 17..18),
            (13..18, 13..18),
            (20..21, 19..22),
            (22..23, 22..23),
            (23..26, 23..27),
            (29..30, 28..30),
        ] {
            assert_eq!(whole(&sheet, lines.clone()), expected, "{lines:?}");
        }
    }
}
