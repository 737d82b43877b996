//! Code blocks, fenced and indented.

use super::lines::{NoteLines, skip_blanks};

/// The mark that opened a fenced code block.
#[derive(Clone, Copy)]
pub(super) struct Fence {
    marker: u8,
    length: usize,
}

/// Whether a line opens a fenced code block: three or more backticks or tildes; after backticks no
/// further one may follow on the line.
pub(super) fn opens(lines: &NoteLines<'_>, at: usize) -> Option<Fence> {
    let line = lines.line(at);
    let content = &lines.bytes()[line.first..line.end];
    let &marker @ (b'`' | b'~') = content.first()? else {
        return None;
    };
    let length = content.iter().take_while(|&&byte| byte == marker).count();
    if length < 3 || (marker == b'`' && memchr::memchr(b'`', &content[length..]).is_some()) {
        return None;
    }
    Some(Fence { marker, length })
}

/// Returns the last line of a fenced code block: the closing line, or the container's last.
pub(super) fn last_line(lines: &NoteLines<'_>, fence: Fence, at: usize, end: usize) -> usize {
    (at + 1..end)
        .find(|&next| closes(lines, fence, next))
        .unwrap_or(end - 1)
}

fn closes(lines: &NoteLines<'_>, fence: Fence, at: usize) -> bool {
    let content = lines.content(at).as_bytes();
    let indent = content
        .iter()
        .take(4)
        .take_while(|&&byte| byte == b' ')
        .count();
    if indent >= 4 {
        return false;
    }
    let marks = content[indent..]
        .iter()
        .take_while(|&&byte| byte == fence.marker)
        .count();
    marks >= fence.length && skip_blanks(content, indent + marks, content.len()) == content.len()
}

/// Returns the last line of a block of indented code. Blank lines belong to it only between indented ones.
pub(super) fn last_indented(lines: &NoteLines<'_>, at: usize, end: usize) -> usize {
    let mut last = at;
    for next in at + 1..end {
        let bare_end = next + 1 == end && matches!(lines.content(next), "    " | "\t");
        if lines.is_code_indented(next) && !bare_end {
            last = next;
        } else if !lines.is_blank(next) {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> Option<usize> {
        let lines = NoteLines::split(text);
        opens(&lines, 0).map(|fence| last_line(&lines, fence, 0, lines.count()))
    }

    #[test]
    fn a_fence_closes_with_as_many_of_its_own_kind() {
        assert_eq!(extent("```\na\n```\nb"), Some(2));
        assert_eq!(extent("````\n```\n~~~~\n `````  \nb"), Some(3));
        assert_eq!(extent("~~~ a`b\n~~~ x\n    ~~~\n~~~"), Some(3));
    }

    #[test]
    fn an_unclosed_fence_goes_to_the_end() {
        assert_eq!(extent("```\na\n"), Some(2));
    }

    #[test]
    fn a_code_span_is_no_fence() {
        assert_eq!(extent("```a```"), None);
        assert_eq!(extent("``\na"), None);
    }
}
