//! Comments between `%%` that are blocks of their own.

use memchr::memmem;

use super::lines::NoteLines;

const MARK: &[u8] = b"%%";

/// The last line of the comment that a line opens: the one with the next `%%`, or the container's
/// last where there is none. A comment that ends on its first line is a block only if nothing
/// follows it there; else it is part of a paragraph.
pub(super) fn last_line(lines: &NoteLines<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = lines.bytes();
    let line = lines.line(at);
    let rest = bytes[line.first..line.end].strip_prefix(MARK)?;
    if let Some(close) = memmem::find(rest, MARK) {
        let after = &rest[close + MARK.len()..];
        return after.iter().all(u8::is_ascii_whitespace).then_some(at);
    }
    let stop = lines.line(end - 1).end;
    let close = memmem::find(&bytes[line.end..stop], MARK).map(|found| line.end + found);
    Some(close.map_or(end - 1, |close| lines.line_of(close, at)))
}

/// Whether a line opens such a comment.
pub(super) fn opens(lines: &NoteLines<'_>, at: usize) -> bool {
    // Asked with the line alone, so that a paragraph of many such lines is not searched many times.
    last_line(lines, at, at + 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> Option<usize> {
        let lines = NoteLines::split(text);
        last_line(&lines, 0, lines.count())
    }

    #[test]
    fn a_comment_goes_to_the_line_of_the_next_mark() {
        assert_eq!(extent("%%\na\n%%\nb"), Some(2));
        assert_eq!(extent("%% a\nb %%\nc"), Some(1));
        assert_eq!(extent("%% a %%  \nb"), Some(0));
        assert_eq!(extent("%%\na\nb"), Some(2));
    }

    #[test]
    fn text_behind_a_comment_makes_it_part_of_a_paragraph() {
        assert_eq!(extent("%% a %% b\n%%"), None);
        assert_eq!(extent("% a"), None);
    }
}
