//! Block quotes and callouts.

use super::{interrupt, lines::NoteLines};

/// Returns the last line of the quote that begins on a line; the start of each line's content moves after its `>`.
///
/// A line without `>` belongs to the quote as long as it is not blank and begins nothing new.
pub(super) fn enter(lines: &mut NoteLines<'_>, at: usize, end: usize) -> usize {
    let mut last = at;
    for next in at..end {
        let line = lines.line(next);
        if lines.first_byte(next) == Some(b'>') {
            let space = lines.bytes().get(line.first + 1) == Some(&b' ');
            lines.enter(next, line.first + 1 + usize::from(space));
        } else if lines.is_white(next) || interrupt::quote(lines, next, end) {
            break;
        }
        last = next;
    }
    last
}

/// Returns the byte offset of the title in a quote's first line, if that makes it a callout: after
/// `[!type]`, an optional `+` or `-`, and one space or tab; nothing may follow the marker.
pub(super) fn title_of_callout(first_line: &str) -> Option<usize> {
    let (kind, rest) = first_line.strip_prefix("[!")?.split_once(']')?;
    let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let is_callout = !kind.is_empty() && (rest.is_empty() || rest.starts_with([' ', '\t']));
    let marker = first_line.len() - rest.len();
    is_callout.then_some(marker + usize::from(!rest.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("quote_cases.txt");

    fn contents(text: &str) -> Vec<&str> {
        let mut lines = NoteLines::split(text);
        let end = lines.count();
        let last = enter(&mut lines, 0, end);
        (0..=last).map(|at| lines.content(at)).collect()
    }

    #[test]
    fn the_mark_and_one_space_are_taken_off() {
        assert_eq!(contents(" > a\n>b\n>  c\n\nd"), ["a", "b", " c"]);
    }

    #[test]
    fn lazy_lines_belong_unless_they_begin_something() {
        assert_eq!(contents("> a\nb\n> c\n# d"), ["a", "b", "c"]);
        assert_eq!(contents("> a\n- b"), ["a"]);
        assert_eq!(contents("> a\n    b"), ["a"]);
        assert_eq!(contents("> a\nb\n==="), ["a"]);
    }

    #[test]
    fn callouts_have_a_type() {
        for [line, title] in tables::section(CASES, "callouts have a type") {
            let found = title_of_callout(line).map(|at| &line[at..]);
            assert_eq!(found, Some(title), "{line}");
        }
        for line in tables::lines(CASES, "callouts have a type, 2") {
            assert_eq!(title_of_callout(line), None, "{line}");
        }
    }
}
