//! The lines of a note, the start of each line's content inside its containers, and positions.

use std::borrow::Cow;
use std::ops::Range;

use super::facts::{Position, Span};

/// Columns from one tab stop to the next.
pub(super) const TAB: usize = 4;

/// Bytes between two entries of the table from bytes to UTF-16 code units.
const STEP: usize = 64;

/// One line. All numbers are bytes from the start of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineBounds {
    /// The offset of the line.
    pub(super) start: usize,
    /// The offset of its content, inside the containers that are open now.
    pub(super) from: usize,
    /// The first byte from `from` on that is not a space or tab; the end if there is none.
    pub(super) first: usize,
    /// The end, without the line ending.
    pub(super) end: usize,
}

/// A note, cut into lines. A text that ends in a line ending has an empty last line.
pub(super) struct NoteLines<'t> {
    pub(super) text: &'t str,
    list: Vec<LineBounds>,
    /// UTF-16 code units before each multiple of [`STEP`] bytes; empty if they equal the bytes (ASCII) or are not
    /// needed.
    units: Vec<u32>,
    /// Whether to record full facts about links and headings, or only those for an index.
    pub(super) all: bool,
}

impl<'t> NoteLines<'t> {
    pub(super) fn split(text: &'t str) -> Self {
        let units = if text.is_ascii() {
            Vec::new()
        } else {
            units_by_step(text.as_bytes())
        };
        Self {
            units,
            all: true,
            ..Self::split_for_index(text)
        }
    }

    /// Splits the text for an index (`scan_for_index`): without UTF-16 positions and display texts.
    pub(super) fn split_for_index(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut lines = Vec::with_capacity(bytes.len() / 32 + 1);
        let mut start = 0;
        for newline in memchr::memchr_iter(b'\n', bytes) {
            let returns = newline > start && bytes[newline - 1] == b'\r';
            lines.push(line_bounds(bytes, start, newline - usize::from(returns)));
            start = newline + 1;
        }
        lines.push(line_bounds(bytes, start, bytes.len()));
        Self {
            text,
            list: lines,
            units: Vec::new(),
            all: false,
        }
    }

    pub(super) fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Returns a copy of a range of the text; empty if only facts for an index are wanted.
    pub(super) fn copy_if_wanted(&self, stretch: Range<usize>) -> String {
        if self.all {
            self.text[stretch].to_owned()
        } else {
            String::new()
        }
    }

    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    pub(super) fn line(&self, at: usize) -> LineBounds {
        self.list[at]
    }

    /// Returns the content of a line inside the containers that are open now.
    pub(super) fn content(&self, at: usize) -> &'t str {
        let line = self.list[at];
        &self.text[line.from..line.end]
    }

    /// Returns the first byte of a line that is not a space or tab.
    pub(super) fn first_byte(&self, at: usize) -> Option<u8> {
        let line = self.list[at];
        self.bytes()[line.first..line.end].first().copied()
    }

    /// Whether a line contains only spaces and tabs.
    pub(super) fn is_blank(&self, at: usize) -> bool {
        let line = self.list[at];
        line.first == line.end
    }

    /// Whether a line contains only white space of any kind; lists take such a line as empty.
    pub(super) fn is_white(&self, at: usize) -> bool {
        let line = self.list[at];
        line.first == line.end || self.text[line.first..line.end].trim_start().is_empty()
    }

    /// Returns the columns before a line's first character, counted up to `limit` only, which bounds the work in deeply
    /// nested lists.
    pub(super) fn columns(&self, at: usize, limit: usize) -> usize {
        let line = self.list[at];
        let mut columns = 0;
        for &byte in &self.bytes()[line.from..line.first] {
            if columns >= limit {
                break;
            }
            columns = wider(columns, byte);
        }
        columns
    }

    /// Whether a line is indented as code is: four spaces, or a tab right at its start.
    pub(super) fn is_code_indented(&self, at: usize) -> bool {
        let line = self.list[at];
        let indent = &self.bytes()[line.from..line.first];
        indent.starts_with(b"    ") || indent.first() == Some(&b'\t')
    }

    /// Moves the start of a line's content to `from`, after the marker of a container.
    pub(super) fn enter(&mut self, at: usize, from: usize) {
        let end = self.list[at].end;
        let from = from.min(end);
        let first = if from <= self.list[at].first {
            self.list[at].first
        } else {
            skip_blanks(self.bytes(), from, end)
        };
        let line = &mut self.list[at];
        line.from = from;
        line.first = first;
    }

    /// Removes at least `columns` columns of a line's indent (whole tabs), as far as it has that
    /// many.
    pub(super) fn dedent(&mut self, at: usize, columns: usize) {
        let line = self.list[at];
        let mut removed = 0;
        let mut from = line.from;
        while removed < columns && from < line.first {
            removed = wider(removed, self.bytes()[from]);
            from += 1;
        }
        self.list[at].from = from;
    }

    /// Returns the line, and the byte offset in it, at a number of UTF-16 code units after the start of a line's
    /// content; `None` if the contents up to line `end` are shorter.
    pub(super) fn place_behind(
        &self,
        at: usize,
        end: usize,
        units: usize,
    ) -> Option<(usize, usize)> {
        let mut left = units;
        for next in at..end {
            let from = self.list[next].from;
            for (offset, character) in self.content(next).char_indices() {
                match left.checked_sub(character.len_utf16()) {
                    Some(less) => left = less,
                    None => return Some((next, from + offset)),
                }
            }
            // The line feed.
            left = left.saturating_sub(1);
        }
        None
    }

    /// Ends a line earlier, and returns its former bounds.
    pub(super) fn cut(&mut self, at: usize, end: usize) -> LineBounds {
        let whole = self.list[at];
        let line = &mut self.list[at];
        line.end = end;
        line.first = line.first.min(end);
        whole
    }

    /// Restores the bounds that [`Self::cut`] changed.
    pub(super) fn restore(&mut self, at: usize, whole: LineBounds) {
        self.list[at] = whole;
    }

    /// The line that contains a byte, searched from an earlier line on.
    pub(super) fn line_of(&self, byte: usize, mut at: usize) -> usize {
        while self.list.get(at + 1).is_some_and(|next| next.start <= byte) {
            at += 1;
        }
        at
    }

    pub(super) fn position(&self, byte: usize, line: usize) -> Position {
        let utf16 = self.utf16(byte);
        Position {
            byte: narrow(byte),
            utf16: narrow(utf16),
            line: narrow(line),
            column: narrow(utf16 - self.utf16(self.list[line].start)),
        }
    }

    /// Returns the span of two bytes, the first of them on a known line.
    pub(super) fn span(&self, start: usize, end: usize, line: usize) -> Span {
        Span {
            start: self.position(start, line),
            end: self.position(end, self.line_of(end, line)),
        }
    }

    fn utf16(&self, byte: usize) -> usize {
        if self.units.is_empty() {
            return byte;
        }
        let step = byte / STEP;
        self.units[step] as usize + units(&self.bytes()[step * STEP..byte])
    }
}

fn line_bounds(bytes: &[u8], start: usize, end: usize) -> LineBounds {
    LineBounds {
        start,
        from: start,
        first: skip_blanks(bytes, start, end),
        end,
    }
}

/// Returns the first byte from `from` on that is not a space or tab, at most `end`.
pub(super) fn skip_blanks(bytes: &[u8], from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end && matches!(bytes[at], b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Returns the text with a line feed for every lone carriage return, which `pulldown-cmark` and our
/// own scan do not take for the end of a line everywhere. All byte offsets stay.
pub fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let ends_a_line = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    if !memchr::memchr_iter(b'\r', bytes).any(ends_a_line) {
        return Cow::Borrowed(text);
    }
    let mut characters = text.chars().peekable();
    let mut lines = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        let ends_a_line = character == '\r' && characters.peek() != Some(&'\n');
        lines.push(if ends_a_line { '\n' } else { character });
    }
    Cow::Owned(lines)
}

/// Returns the column after a space or a tab at this column.
pub(super) fn wider(columns: usize, byte: u8) -> usize {
    if byte == b'\t' {
        columns + TAB - columns % TAB
    } else {
        columns + 1
    }
}

fn units_by_step(bytes: &[u8]) -> Vec<u32> {
    let mut table = Vec::with_capacity(bytes.len() / STEP + 1);
    let mut before = 0;
    table.push(0);
    // The last partial chunk needs no entry: positions in it count from the entry before.
    for chunk in bytes.chunks_exact(STEP) {
        before += units(chunk);
        table.push(narrow(before));
    }
    table
}

/// The UTF-16 code units of the characters that begin in these bytes: one each, two if UTF-8 takes four bytes.
fn units(bytes: &[u8]) -> usize {
    // The sum fits in a `u8`: at most 2 for each of at most 64 bytes. Small integers let the
    // compiler add many at a time.
    let of = |chunk: &[u8]| {
        chunk.iter().fold(0_u8, |sum, &byte| {
            sum + u8::from(byte & 0xC0 != 0x80) + u8::from(byte >= 0xF0)
        })
    };
    bytes.chunks(STEP).map(|chunk| usize::from(of(chunk))).sum()
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_both_kinds_of_line_ending() {
        let lines = NoteLines::split("a\r\n\tb\n\n");
        let found: Vec<_> = (0..lines.count())
            .map(|at| (lines.line(at).start, lines.content(at)))
            .collect();
        assert_eq!(found, [(0, "a"), (3, "\tb"), (6, ""), (7, "")]);
    }

    #[test]
    fn columns_go_to_the_next_tab_stop() {
        let lines = NoteLines::split("  \t x");
        assert_eq!(lines.columns(0, usize::MAX), 5);
        assert_eq!(lines.columns(0, 2), 2);
    }

    #[test]
    fn dedent_takes_whole_tabs_and_stops_at_text() {
        let mut lines = NoteLines::split("\t- a\n x");
        lines.dedent(0, 2);
        lines.dedent(1, 2);
        assert_eq!((lines.content(0), lines.content(1)), ("- a", "x"));
    }

    #[test]
    fn positions_count_utf16_units_past_many_wide_characters() {
        let text = format!("{}\nü😀x", "😀é".repeat(100));
        let lines = NoteLines::split(&text);
        let place = lines.position(text.len() - 1, 1);
        assert_eq!((place.utf16, place.line, place.column), (304, 1, 3));
    }
}
