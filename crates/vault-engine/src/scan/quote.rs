//! Block quotes and callouts.

use super::{interrupt, lines::NoteLines};

/// The last line of the quote that begins on a line; the start of each line's content moves after
/// its `>`.
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

/// Whether the first line of a quote makes it a callout: `[!type]`, perhaps `+` or `-`, then white
/// space or nothing.
pub(super) fn is_callout(first_line: &str) -> bool {
    let Some((kind, rest)) = first_line
        .trim_start()
        .strip_prefix("[!")
        .and_then(|rest| rest.split_once(']'))
    else {
        return false;
    };
    let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    !kind.trim().is_empty() && (rest.is_empty() || rest.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for line in ["[!note]", "[!note] Title", "[!faq]- x", "[!a b]+"] {
            assert!(is_callout(line), "{line}");
        }
        for line in ["[!]", "[note]", "[!note]x", "a [!note]", ""] {
            assert!(!is_callout(line), "{line}");
        }
    }
}
