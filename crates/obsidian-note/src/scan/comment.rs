//! Comments between `%%` that are blocks of their own.

use memchr::memmem;

use super::lines::NoteLines;

const MARK: &[u8] = b"%%";

/// Whether a line opens such a comment: `%%` after only spaces, and no other `%` on the line. With a further one the
/// line is part of a paragraph.
pub(super) fn opens(lines: &NoteLines<'_>, at: usize) -> bool {
    let content = lines.content(at).trim_start_matches(' ').as_bytes();
    content
        .strip_prefix(MARK)
        .is_some_and(|rest| memchr::memchr(b'%', rest).is_none())
}

/// Returns the offset where the comment of a line ends, and the line of it: after the next `%%` on a later line,
/// anywhere in that line, or at the end of the container.
pub(super) fn end(lines: &NoteLines<'_>, at: usize, end: usize) -> (usize, usize) {
    let from = lines.line(at).end;
    let stop = lines.line(end - 1).end;
    match memmem::find(&lines.bytes()[from..stop], MARK) {
        Some(found) => {
            let close = from + found + MARK.len();
            (lines.line_of(close, at), close)
        }
        None => (end - 1, stop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("comment_cases.txt");

    fn extent(text: &str) -> Option<(usize, &str)> {
        let lines = NoteLines::split(text);
        let found = |(last, close): (usize, usize)| (last, &text[close..]);
        opens(&lines, 0).then(|| found(end(&lines, 0, lines.count())))
    }

    #[test]
    fn a_comment_ends_behind_the_next_mark_on_a_later_line() {
        assert_eq!(extent("%%\na\n%%\nb"), Some((2, "\nb")));
        assert_eq!(extent("  %% a\nb \\%% c\nd"), Some((1, " c\nd")));
        assert_eq!(extent("%%\na\nb"), Some((2, "")));
    }

    #[test]
    fn another_percent_sign_on_the_line_makes_it_a_paragraph() {
        for text in tables::lines(CASES, "another percent sign on the line makes") {
            assert_eq!(extent(text), None, "{text}");
        }
    }
}
