//! Reference definitions: `[label]: destination "title"`. What they define are no links into the
//! vault (`vault-semantics.md` §2.2).

use super::lines::{NoteLines, skip_blanks};

/// The last line of the definition on a line. The destination may stand on the line below the
/// label, the title on the line below the destination.
pub(super) fn last_line(lines: &NoteLines<'_>, at: usize, end: usize) -> Option<usize> {
    let line = lines.line(at);
    let bytes = &lines.bytes()[..line.end];
    let label = bytes[line.first..].strip_prefix(b"[")?;
    let close = label_end(label)?;
    if close == 0 || label[0] == b'^' || label.get(close + 1) != Some(&b':') {
        return None;
    }
    let after = line.first + "[".len() + close + "]:".len();
    let mut found = skip_blanks(bytes, after, line.end);
    let mut last = at;
    if found == line.end {
        last = at + 1;
        if last >= end || lines.is_blank(last) {
            return None;
        }
        found = lines.line(last).first;
    }
    let stop = lines.line(last).end;
    let target = destination_end(&lines.bytes()[..stop], found)?;
    let title = skip_blanks(lines.bytes(), target, stop);
    if title < stop {
        let titled = title > target && is_title(&lines.bytes()[title..stop]);
        return titled.then_some(last);
    }
    let below = last + 1;
    let titled = below < end && {
        let line = lines.line(below);
        is_title(&lines.bytes()[line.first..line.end])
    };
    Some(last + usize::from(titled))
}

fn label_end(label: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(&byte) = label.get(at) {
        match byte {
            b']' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

fn destination_end(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = &bytes[start..];
    let enclosed = rest.first() == Some(&b'<');
    let length = rest.iter().position(|&byte| match byte {
        b'[' | b']' => true,
        b'>' => enclosed,
        b' ' | b'\t' => !enclosed,
        _ => false,
    });
    if enclosed {
        let close = length.filter(|&close| close > 1 && rest[close] == b'>')?;
        return Some(start + close + 1);
    }
    let length = length.unwrap_or(rest.len());
    (length > 0).then_some(start + length)
}

/// Whether all of a text, white space at its end apart, is one title.
fn is_title(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let close = match text.first() {
        Some(&quote @ (b'"' | b'\'')) => quote,
        Some(b'(') => b')',
        _ => return false,
    };
    memchr::memchr(close, &text[1..]).is_some_and(|found| found + 2 == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> Option<usize> {
        let lines = NoteLines::split(text);
        last_line(&lines, 0, lines.count())
    }

    #[test]
    fn a_definition_may_take_three_lines() {
        assert_eq!(extent("[a]: b"), Some(0));
        assert_eq!(extent("[a]: <b c> 'd'  \nx"), Some(0));
        assert_eq!(extent("[a]:\n  b\n  (title)\nx"), Some(2));
        assert_eq!(extent("[a]: b\n\"c\" d"), Some(0));
    }

    #[test]
    fn other_brackets_are_no_definition() {
        for text in [
            "[a] b",
            "[^a]: b",
            "[]: b",
            "[a]:",
            "[a]: b c",
            "[a]: [[b]]",
            "[a: b",
        ] {
            assert_eq!(extent(text), None, "{text}");
        }
    }
}
