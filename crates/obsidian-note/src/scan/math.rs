//! Formulas between `$$` that are blocks of their own.

use super::lines::{NoteLines, skip_blanks};

/// Returns the number of `$` that open a block of math on a line: two or more after only spaces, no other `$` on the
/// line, and another line below.
pub(super) fn opens(lines: &NoteLines<'_>, at: usize, end: usize) -> Option<usize> {
    let content = lines.content(at).trim_start_matches(' ').as_bytes();
    let length = content.iter().take_while(|&&byte| byte == b'$').count();
    let is_alone = length >= 2 && memchr::memchr(b'$', &content[length..]).is_none();
    (is_alone && at + 1 < end).then_some(length)
}

/// Returns the last line of a block of math: the first that has only the same number of `$`, at its end, or the
/// container's last line.
pub(super) fn last_line(lines: &NoteLines<'_>, length: usize, at: usize, end: usize) -> usize {
    (at + 1..end)
        .find(|&next| closes(lines, length, next))
        .unwrap_or(end - 1)
}

fn closes(lines: &NoteLines<'_>, length: usize, at: usize) -> bool {
    let content = lines.content(at).as_bytes();
    let Some(mark) = memchr::memchr(b'$', content) else {
        return false;
    };
    let count = content[mark..]
        .iter()
        .take_while(|&&byte| byte == b'$')
        .count();
    count >= length && skip_blanks(content, mark + count, content.len()) == content.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> Option<usize> {
        let lines = NoteLines::split(text);
        let length = opens(&lines, 0, lines.count())?;
        Some(last_line(&lines, length, 0, lines.count()))
    }

    #[test]
    fn a_block_of_math_closes_at_the_end_of_a_line() {
        assert_eq!(extent("$$\na\n$$ \nb"), Some(2));
        assert_eq!(extent("$$ a\nb $$\nc"), Some(1));
        assert_eq!(extent("$$\n$a$$\n$$"), Some(2));
        assert_eq!(extent("$$\na"), Some(1));
    }

    #[test]
    fn math_within_one_line_is_no_block() {
        assert_eq!(extent("$$a$$"), None);
        assert_eq!(extent("$a"), None);
        assert_eq!(extent("$$ a"), None);
        assert_eq!(extent(" \t$$\na"), None);
    }
}
