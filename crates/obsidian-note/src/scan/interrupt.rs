//! Recognises lines that end a paragraph, a list or a quote without a blank line before them.

use super::{
    comment, definition, fence, footnote, heading, html, lines::NoteLines, list, math, table,
};

/// Whether a line begins something new below a paragraph, in a container that ends before line `end`.
pub(super) fn paragraph(lines: &NoteLines<'_>, at: usize, end: usize) -> bool {
    match lines.first_byte(at) {
        Some(b'-' | b'*' | b'_') => heading::is_break(lines, at) || list::interrupts(lines, at),
        Some(b'+' | b'0'..=b'9') => list::interrupts(lines, at),
        Some(b'#') => heading::hashes(lines, at).is_some(),
        Some(b'`' | b'~') => fence::opens(lines, at).is_some(),
        Some(b'>') => true,
        Some(b'<') => html::interrupts(lines, at),
        Some(b'%') => comment::opens(lines, at),
        Some(b'$') => math::opens(lines, at, end).is_some(),
        _ => false,
    }
}

/// Whether a line that is not indented enough for the last item begins something else than a list.
/// Math does not.
pub(super) fn list(lines: &NoteLines<'_>, at: usize) -> bool {
    match lines.first_byte(at) {
        Some(b'-' | b'*' | b'_') => heading::is_break(lines, at),
        Some(b'#') => heading::hashes(lines, at).is_some(),
        Some(b'`' | b'~') => fence::opens(lines, at).is_some(),
        Some(b'%') => comment::opens(lines, at),
        _ => false,
    }
}

/// Whether a line without `>` begins something new below a quote.
pub(super) fn quote(lines: &NoteLines<'_>, at: usize, end: usize) -> bool {
    lines.is_code_indented(at)
        || paragraph(lines, at, end)
        || heading::underlined(lines, at, end).is_some()
}

/// Whether a line that is not indented begins something new below a footnote's text. A comment does
/// not.
pub(super) fn footnote(lines: &NoteLines<'_>, at: usize, end: usize) -> bool {
    (lines.first_byte(at) != Some(b'%') && paragraph(lines, at, end))
        || heading::underlined(lines, at, end).is_some()
        || footnote::text_start(lines, at).is_some()
        || definition::last_line(lines, at, end).is_some()
        || table::last_line(lines, at, end).is_some()
}
