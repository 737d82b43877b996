//! Headings and thematic breaks (`vault-semantics.md` §3.5).

use std::ops::Range;

use super::lines::{NoteLines, skip_blanks};

/// A heading: its level (1 to 6) and the byte range of its text, without hashes.
pub(super) struct FoundHeading {
    pub(super) level: u8,
    pub(super) text: Range<usize>,
}

/// Returns a heading of one line: one to six `#`, then white space or nothing.
pub(super) fn hashes(lines: &NoteLines<'_>, at: usize) -> Option<FoundHeading> {
    let bytes = lines.bytes();
    let line = lines.line(at);
    let count = bytes[line.first..line.end]
        .iter()
        .take_while(|&&byte| byte == b'#')
        .count();
    let level = u8::try_from(count)
        .ok()
        .filter(|level| (1..=6).contains(level))?;
    let after = line.first + count;
    let start = skip_blanks(bytes, after, line.end);
    if start == after && after < line.end {
        return None;
    }
    Some(FoundHeading {
        level,
        text: start..without_closing(bytes, start, line.end),
    })
}

/// Returns the end of a heading's text before the closing hashes: runs of `#` that white space precedes.
fn without_closing(bytes: &[u8], start: usize, end: usize) -> usize {
    let back = |mut at: usize, wanted: fn(u8) -> bool| {
        while at > start && wanted(bytes[at - 1]) {
            at -= 1;
        }
        at
    };
    let mut end = back(end, |byte| matches!(byte, b' ' | b'\t'));
    loop {
        let before = back(end, |byte| byte == b'#');
        let closes = before < end && (before == start || matches!(bytes[before - 1], b' ' | b'\t'));
        if !closes {
            return end;
        }
        end = back(before, |byte| matches!(byte, b' ' | b'\t'));
    }
}

/// Returns a heading of two lines: text, and below it only `=` or only `-`, right from the line's start.
pub(super) fn underlined(lines: &NoteLines<'_>, at: usize, end: usize) -> Option<FoundHeading> {
    if at + 1 >= end {
        return None;
    }
    let underline = lines.content(at + 1).as_bytes();
    let level = match underline.first()? {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    if underline.iter().any(|&byte| byte != underline[0]) {
        return None;
    }
    let line = lines.line(at);
    let mut stop = line.end;
    while stop > line.first && matches!(lines.bytes()[stop - 1], b' ' | b'\t') {
        stop -= 1;
    }
    Some(FoundHeading {
        level,
        text: line.first..stop,
    })
}

/// Whether a line is a thematic break: three or more of one of `*`, `-`, `_`, and spaces.
pub(super) fn is_break(lines: &NoteLines<'_>, at: usize) -> bool {
    let line = lines.line(at);
    let content = &lines.bytes()[line.first..line.end];
    let Some(&marker @ (b'*' | b'-' | b'_')) = content.first() else {
        return false;
    };
    // Fast path: the last character rules out most other lines, such as those of deeply nested
    // lists.
    if !matches!(content.last(), Some(&last) if last == marker || last == b' ') {
        return false;
    }
    let mut count = 0;
    for &byte in content {
        if byte == marker {
            count += 1;
        } else if byte != b' ' {
            return false;
        }
    }
    count >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(line: &str) -> Option<(u8, &str)> {
        let lines = NoteLines::split(line);
        hashes(&lines, 0).map(|found| (found.level, &line[found.text]))
    }

    #[test]
    fn closing_hashes_are_no_text_and_others_are() {
        assert_eq!(text_of("## a b ##  "), Some((2, "a b")));
        assert_eq!(text_of("# a # #"), Some((1, "a")));
        assert_eq!(text_of("# a##"), Some((1, "a##")));
        assert_eq!(text_of("# C# #"), Some((1, "C#")));
        assert_eq!(text_of("#"), Some((1, "")));
        assert_eq!(text_of("### ###"), Some((3, "")));
        assert_eq!(text_of("#\ta"), Some((1, "a")));
    }

    #[test]
    fn a_tag_and_seven_hashes_are_no_headings() {
        assert_eq!(text_of("#a"), None);
        assert_eq!(text_of("####### a"), None);
    }

    #[test]
    fn an_underline_stands_alone_on_its_line() {
        let level = |text: &str| {
            let lines = NoteLines::split(text);
            underlined(&lines, 0, lines.count()).map(|found| found.level)
        };
        assert_eq!(level("a\n="), Some(1));
        assert_eq!(level("a\n---"), Some(2));
        assert_eq!(level("a\n--- "), None);
        assert_eq!(level("a\n -"), None);
        assert_eq!(level("a\n=-"), None);
        assert_eq!(level("a"), None);
    }

    #[test]
    fn breaks_are_three_of_one_kind() {
        let is = |text: &str| is_break(&NoteLines::split(text), 0);
        assert!(is("---") && is(" * * *  ") && is("___"));
        assert!(!is("--") && !is("- - x") && !is("*-*") && !is("+++") && !is("- -\t-"));
    }
}
