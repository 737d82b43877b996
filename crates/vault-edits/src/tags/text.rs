//! Tags in the text of a note. The bytes around them stay.

use std::ops::Range;

use obsidian_note::note_parts::same_length;
use obsidian_note::scan::scan;
use obsidian_note::{Sheet, byte_order_mark};

/// Returns the byte ranges in the note of the tags for which `wanted` is true. `wanted` gets each tag in lower case and
/// without `#`.
pub(super) fn occurrences(
    note: &[u8],
    wanted: impl Fn(&str) -> bool,
) -> impl DoubleEndedIterator<Item = Range<usize>> {
    let mark = byte_order_mark::length(note);
    let text = same_length(&note[mark..]);
    let found: Vec<Range<usize>> = scan(&text)
        .tags
        .into_iter()
        .filter(|tag| wanted(&tag.tag[1..].to_lowercase()))
        .map(|tag| mark + tag.span.start.byte as usize..mark + tag.span.end.byte as usize)
        .collect();
    found.into_iter()
}

/// Returns the note with the tag on a new line at its end, after a blank line if the tag is not read as one otherwise;
/// `None` if it never is, because a block is open there.
pub(super) fn added(note: &[u8], tag: &str) -> Option<Vec<u8>> {
    let body = byte_order_mark::strip_bytes(note);
    let line_end = Sheet::new(note).line_end().as_bytes();
    let is_open = !body.is_empty() && !body.ends_with(b"\n");
    let (before, end) = if is_open {
        (line_end, &b""[..])
    } else {
        (&b""[..], line_end)
    };
    let folded = tag.to_lowercase();
    [&b""[..], line_end].into_iter().find_map(|blank| {
        let after = [note, before, blank, b"#", tag.as_bytes(), end].concat();
        let is_read = occurrences(&after, |found| found == folded)
            .next()
            .is_some();
        is_read.then_some(after)
    })
}

/// Returns the note without the tag and one blank next to each occurrence; a line with nothing else
/// is removed.
pub(super) fn dropped(note: &[u8], tag: &str) -> Vec<u8> {
    let folded = tag.to_lowercase();
    let mut after = note.to_vec();
    for span in occurrences(note, |found| found == folded).rev() {
        after.drain(with_blank(&after, span));
    }
    after
}

/// Returns the range of the tag, with a blank that would otherwise be doubled or at the end of the line.
fn with_blank(note: &[u8], span: Range<usize>) -> Range<usize> {
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    let line_start = memchr::memrchr(b'\n', &note[..span.start]).map_or(0, |end| end + 1);
    let mark = if line_start == 0 {
        byte_order_mark::length(note)
    } else {
        0
    };
    let line_start = line_start + mark;
    let line_end = memchr::memchr(b'\n', &note[span.end..]).map_or(note.len(), |at| span.end + at);
    let content_end = if note[..line_end].ends_with(b"\r") {
        line_end - 1
    } else {
        line_end
    };
    let content_end = content_end.max(span.end);
    let blank = |part: &[u8]| part.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    if blank(&note[line_start..span.start]) && blank(&note[span.end..content_end]) {
        let end = if line_end < note.len() {
            line_end + 1
        } else {
            line_end
        };
        return line_start..end;
    }
    let at_start = span.start == line_start;
    if is_blank(note.get(span.start.wrapping_sub(1))) && !at_start {
        return span.start - 1..span.end;
    }
    if at_start && is_blank(note.get(span.end)) {
        return span.start..span.end + 1;
    }
    span
}

/// Returns the note with a tag and its nested tags renamed.
pub(super) fn renamed(note: &[u8], from: &str, to: &str) -> Vec<u8> {
    let folded = from.to_lowercase();
    let levels = from.split('/').count();
    let mut after = note.to_vec();
    let meant = |found: &str| super::is_or_is_below(found, &folded);
    for span in occurrences(note, meant).rev() {
        // Cut by levels rather than bytes: in another case the old name may differ in length from
        // `from`.
        let written = &note[span.start + 1..span.end];
        let mut slashes = memchr::memchr_iter(b'/', written);
        let end = slashes.nth(levels - 1).unwrap_or(written.len());
        let name = span.start + 1..span.start + 1 + end;
        after.splice(name, to.bytes());
    }
    after
}

/// Whether a text with `#` before it is exactly one tag.
pub fn is_tag(name: &str) -> bool {
    let text = format!("#{name}");
    let tags = scan(&text).tags;
    matches!(tags.as_slice(), [tag] if tag.tag == text) && !name.contains("//")
}
