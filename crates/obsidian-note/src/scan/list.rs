//! Lists: the lines of each item, and the part of them that is its content (`vault-semantics.md`
//! §3.4).
//!
//! A list is split into items line by line, without parsing their contents. A line belongs to the
//! last item if it is indented to that item's text, or if it is not blank, follows no blank line
//! and begins nothing that ends a list. A block id alone below the last item ends the list too,
//! because it names the whole list.

use super::{
    block_id, interrupt,
    lines::{NoteLines, TAB, wider},
};

/// The lines of an item, and what its first line begins with.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListItemLines {
    /// The item's first line.
    pub(super) first: usize,
    /// Its last line with content.
    pub(super) last: usize,
    /// The start of the item, indent included (in bytes from the start of the text).
    pub(super) start: usize,
    /// Whether a blank line comes between it and the next item. The item then includes the line
    /// ending before that blank line.
    pub(super) blank_after: bool,
    /// The columns up to its text.
    indent: usize,
}

/// The marker of an item.
#[derive(Clone, Copy)]
struct Marker {
    /// The sign that distinguishes lists: the bullet, or the character after the number.
    kind: u8,
    /// The bytes of bullet, or of number and what follows it.
    length: usize,
    /// Whether the number is 1; only such a list ends a paragraph.
    first: bool,
}

/// Returns a possible marker at the start of a line; the white space after it may be missing.
fn marker(lines: &NoteLines<'_>, at: usize) -> Option<Marker> {
    let line = lines.line(at);
    let content = &lines.bytes()[line.first..line.end];
    let &byte = content.first()?;
    if matches!(byte, b'-' | b'*' | b'+') {
        return Some(Marker {
            kind: byte,
            length: 1,
            first: true,
        });
    }
    let digits = content
        .iter()
        .take(10)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let &kind = content.get(digits)?;
    let numbered = (1..=9).contains(&digits) && matches!(kind, b'.' | b')');
    numbered.then(|| Marker {
        kind,
        length: digits + 1,
        first: &content[..digits] == b"1",
    })
}

/// Returns the byte behind a marker, if the line continues.
fn after(lines: &NoteLines<'_>, at: usize, marker: Marker) -> Option<u8> {
    let line = lines.line(at);
    lines.bytes()[line.first..line.end]
        .get(marker.length)
        .copied()
}

fn begins(lines: &NoteLines<'_>, at: usize) -> Option<Marker> {
    let marker = marker(lines, at)?;
    matches!(after(lines, at, marker), None | Some(b' ' | b'\t')).then_some(marker)
}

/// Whether a line begins a list.
pub(super) fn opens(lines: &NoteLines<'_>, at: usize) -> bool {
    begins(lines, at).is_some()
}

/// Whether a line begins a list that ends a paragraph.
pub(super) fn interrupts(lines: &NoteLines<'_>, at: usize) -> bool {
    begins(lines, at).is_some_and(|marker| marker.first)
}

/// Finds the items of the list that begins on a line, and returns its last line. The start of each
/// line's content moves to its item's text.
pub(super) fn enter(
    lines: &mut NoteLines<'_>,
    at: usize,
    end: usize,
    items: &mut Vec<ListItemLines>,
) -> usize {
    items.clear();
    let last = split(lines, at, end, items);
    for item in &*items {
        strip(lines, item);
    }
    last
}

fn split(lines: &NoteLines<'_>, at: usize, end: usize, items: &mut Vec<ListItemLines>) -> usize {
    let kind = marker(lines, at).map(|marker| marker.kind);
    let mut last = at;
    let mut blanks = false;
    let mut was_white = false;
    for next in at..end {
        let indent = items.last().map(|item| item.indent);
        let mut columns = lines.columns(next, indent.unwrap_or(usize::MAX));
        let mut indented = indent.is_some_and(|indent| columns >= indent);
        let mut item = None;
        if !indented && let Some(found) = marker(lines, next) {
            columns += found.length;
            item = text_column(lines, next, found, columns).map(|columns| (found.kind, columns));
        }
        if let Some((found, columns)) = item {
            if Some(found) != kind || super::heading::is_break(lines, next) {
                break;
            }
            if blanks && let Some(before) = items.last_mut() {
                before.blank_after = true;
            }
            let start = lines.line(next).from;
            items.push(ListItemLines {
                first: next,
                last: next,
                start,
                blank_after: false,
                indent: columns,
            });
            (last, blanks, was_white) = (next, false, false);
            continue;
        }
        // A marker counts as indent here even if no space follows it.
        indented = indented || indent.is_some_and(|indent| columns >= indent) || columns > TAB;
        let white = lines.is_white(next);
        if !indented && white {
            blanks = true;
        } else if !indented
            && (was_white || interrupt::list(lines, next) || is_id_of_list(lines, next, end))
        {
            break;
        } else if let Some(item) = items.last_mut() {
            item.last = next;
            (last, blanks) = (next, false);
        }
        was_white = white;
    }
    last
}

/// Whether a line that is not indented to an item's text is the block id of the whole list: it is
/// alone on the line, and the list does not continue below it (`vault-semantics.md` §2.2).
fn is_id_of_list(lines: &NoteLines<'_>, at: usize, end: usize) -> bool {
    let is_last = at + 1 >= end || lines.is_white(at + 1) || {
        let begins_block = interrupt::paragraph(lines, at + 1, end);
        begins_block && !opens(lines, at + 1)
    };
    is_last && block_id::at_end(lines.content(at)).is_some_and(|found| found.alone)
}

/// Returns the column of an item's text, if the marker that ends at `columns` is followed by white space or nothing:
/// behind up to four spaces, behind one if there are more, or behind a tab.
fn text_column(lines: &NoteLines<'_>, at: usize, marker: Marker, columns: usize) -> Option<usize> {
    match after(lines, at, marker) {
        None => Some(columns),
        Some(b'\t') => Some(wider(columns, b'\t')),
        Some(b' ') => Some(columns + spaces(lines, at, marker)),
        Some(_) => None,
    }
}

/// Returns the spaces behind a marker that belong to it.
fn spaces(lines: &NoteLines<'_>, at: usize, marker: Marker) -> usize {
    let line = lines.line(at);
    let from = (line.first + marker.length).min(line.end);
    let count = lines.bytes()[from..line.end]
        .iter()
        .take(5)
        .take_while(|&&byte| byte == b' ')
        .count();
    if count > TAB { 1 } else { count }
}

/// Moves the contents of an item's lines to its text: the first after the marker, the others in by
/// the indent that they all share. A line without indent, a lazy continuation, does not prevent
/// that.
fn strip(lines: &mut NoteLines<'_>, item: &ListItemLines) {
    let Some(marker) = marker(lines, item.first) else {
        return;
    };
    let line = lines.line(item.first);
    let gap = match after(lines, item.first, marker) {
        Some(b'\t') => 1,
        Some(b' ') => spaces(lines, item.first, marker),
        _ => 0,
    };
    let text = line.first + marker.length + gap;
    let mut width = lines.columns(item.first, usize::MAX) + marker.length;
    // As in the app's parser: a number below ten counts as one digit wider if that makes the width
    // even.
    if marker.kind == b'.' && (text - line.from) % 2 == 1 && is_below_ten(lines, item.first, marker)
    {
        width += 1;
    }
    let from = (line.first + marker.length).min(line.end);
    for &byte in &lines.bytes()[from..(from + gap).min(line.end)] {
        width = wider(width, byte);
    }
    lines.enter(item.first, text);
    let common = (item.first + 1..=item.last)
        .filter(|&at| !lines.is_white(at))
        .map(|at| lines.columns(at, width))
        .filter(|&columns| columns > 0)
        .min()
        .map_or(width, |columns| columns.min(width));
    if common > 0 {
        for at in item.first + 1..=item.last {
            lines.dedent(at, common);
        }
    }
}

fn is_below_ten(lines: &NoteLines<'_>, at: usize, marker: Marker) -> bool {
    let first = lines.line(at).first;
    let digits = &lines.bytes()[first..first + marker.length - 1];
    digits.iter().rev().skip(1).all(|&digit| digit == b'0')
}

/// Returns the character in the box that the text of a task begins with, and the text behind it: `[`, any one
/// character, `]`, then a space or a tab. The app's pattern is `/^\[(.)][ \t]/`, whose `.` is one UTF-16 code unit:
/// `[👍]` is not a box (`vault-semantics.md` §3.4).
pub fn task_box(text: &str) -> Option<(char, &str)> {
    let mut inside = text.strip_prefix('[')?.chars();
    let status = inside.next()?;
    let behind = inside
        .as_str()
        .strip_prefix(']')?
        .strip_prefix([' ', '\t'])?;
    let is_one_unit = status.len_utf16() == 1;
    let ends_line = matches!(status, '\r' | '\n' | '\u{2028}' | '\u{2029}');
    (is_one_unit && !ends_line).then_some((status, behind))
}

/// Removes the box from the start of a task, and returns its character.
pub(super) fn take_task(lines: &mut NoteLines<'_>, at: usize) -> Option<char> {
    let (status, behind) = task_box(lines.content(at))?;
    let text = lines.line(at).end - behind.len();
    lines.enter(at, text);
    Some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the contents of the items' lines, as they are after the markers are off.
    fn items(text: &str) -> Vec<Vec<&str>> {
        let mut lines = NoteLines::split(text);
        let end = lines.count();
        let mut items = Vec::new();
        enter(&mut lines, 0, end, &mut items);
        items
            .iter()
            .map(|item| {
                (item.first..=item.last)
                    .map(|at| lines.content(at))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn lines_indented_to_the_text_or_lazy_belong_to_the_item() {
        assert_eq!(items("- a\n  b\nc\n- d"), [vec!["a", "b", "c"], vec!["d"]]);
        assert_eq!(
            items("- a\n  - b\n\n    c\n\nd"),
            [vec!["a", "- b", "", "  c"]]
        );
        assert_eq!(items("- a\n\tb"), [vec!["a", "b"]]);
    }

    #[test]
    fn another_marker_a_break_or_a_heading_ends_the_list() {
        assert_eq!(items("- a\n* b"), [vec!["a"]]);
        assert_eq!(items("1. a\n1) b"), [vec!["a"]]);
        assert_eq!(items("- a\n---"), [vec!["a"]]);
        assert_eq!(items("- a\n# b"), [vec!["a"]]);
        assert_eq!(items("- a\n\n\n- b"), [vec!["a"], vec!["b"]]);
    }

    #[test]
    fn small_numbers_indent_as_if_they_were_two_digits_wide() {
        assert_eq!(items("1. a\n    1. b"), [vec!["a", "1. b"]]);
        assert_eq!(items("1. a\n   1. b"), [vec!["a", "1. b"]]);
        assert_eq!(items("1) a\n    1) b"), [vec!["a", " 1) b"]]);
        assert_eq!(items("10. a\n     1. b"), [vec!["a", " 1. b"]]);
    }

    #[test]
    fn the_box_of_a_task_is_taken_off() {
        let task = |text: &str| {
            let mut lines = NoteLines::split(text);
            let status = take_task(&mut lines, 0)?;
            Some((status, lines.content(0).to_owned()))
        };
        assert_eq!(task("[ ] a"), Some((' ', "a".to_owned())));
        assert_eq!(task("[é]\t a"), Some(('é', " a".to_owned())));
        assert_eq!(task("[/] "), Some(('/', String::new())));
        assert_eq!(task("[x]"), None);
        assert_eq!(task("[👍] a"), None);
        assert_eq!(task("[\u{2028}] a"), None);
        assert_eq!(task("[ ]\u{a0}a"), None);
        assert_eq!(task("[x]a"), None);
        assert_eq!(task("[xy] a"), None);
        assert_eq!(task("[] a"), None);
    }

    #[test]
    fn a_marker_needs_white_space() {
        let opens = |text: &str| opens(&NoteLines::split(text), 0);
        assert!(opens("-") && opens("- a") && opens("999999999) a") && opens("+\ta"));
        assert!(!opens("-a") && !opens("1.a") && !opens("1234567890. a") && !opens("1"));
    }
}
