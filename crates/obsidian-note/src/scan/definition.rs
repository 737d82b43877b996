//! Reference definitions: `[label]: destination "title"`. They do not count as links into the vault
//! (`vault-semantics.md` §2.2).

use super::lines::NoteLines;

/// The maximum number of bytes in which the end of a label or title is searched. Both may span lines, and a text
/// with many openings must not be searched again for each.
const LONGEST: usize = 1000;

/// Returns the last line of the definition on a line. Blank lines may come before the destination and the title; a
/// title and a destination in angle brackets may span several lines.
pub(super) fn last_line(lines: &NoteLines<'_>, at: usize, end: usize) -> Option<usize> {
    let text = lines.bytes();
    let label = lines.line(at).first + "[".len();
    if text.get(label - 1) != Some(&b'[') || text.get(label) == Some(&b'^') {
        return None;
    }
    let close = label + label_length(&text[label..])?;
    if close == label || text.get(close + 1) != Some(&b':') {
        return None;
    }
    let line = lines.line_of(close, at);
    let mut place = DefinitionReader {
        lines,
        end,
        line: (line < end).then_some(line)?,
        at: close + "]:".len(),
    };
    place.skip_white();
    destination(&mut place)?;
    let behind = place;
    place.skip_white();
    let close = match place.peek() {
        Some(quote @ (b'"' | b'\'')) => quote,
        Some(b'(') => b')',
        _ => return behind.ends_line(),
    };
    if (place.line, place.at) == (behind.line, behind.at) {
        return None;
    }
    place.take();
    title(&mut place, close)?;
    place.ends_line()
}

/// Returns the distance to the `]` that closes a label. Container marks contain no `]` or
/// backslash, so they need not be distinguished from its text.
fn label_length(text: &[u8]) -> Option<usize> {
    let near = &text[..text.len().min(LONGEST)];
    memchr::memchr_iter(b']', near).find(|&close| {
        let before = near[..close].iter().rev();
        before.take_while(|&&byte| byte == b'\\').count() % 2 == 0
    })
}

/// Reads past a destination.
fn destination(place: &mut DefinitionReader<'_, '_>) -> Option<()> {
    let enclosed = place.peek() == Some(b'<');
    if enclosed {
        place.take();
    }
    let mut length = 0;
    loop {
        match place.peek() {
            Some(b'>') if enclosed => {
                place.take();
                break;
            }
            Some(b' ' | b'\t' | b'\n') if !enclosed => break,
            Some(b'[' | b']') | None if enclosed => return None,
            Some(b'[' | b']') | None => break,
            Some(_) => {
                place.take();
                length += 1;
            }
        }
    }
    (length > 0).then_some(())
}

/// Reads past the mark that closes a title. A title contains no blank line.
fn title(place: &mut DefinitionReader<'_, '_>, close: u8) -> Option<()> {
    let end = place.at + LONGEST;
    while place.at < end {
        match place.take()? {
            byte if byte == close => return Some(()),
            b'\n'
                if place
                    .peek()
                    .is_none_or(|next| next == b'\n' || next == close) =>
            {
                return None;
            }
            _ => {}
        }
    }
    None
}

/// A position in the contents of a container's lines, which are joined by line feeds.
#[derive(Clone, Copy)]
struct DefinitionReader<'a, 't> {
    lines: &'a NoteLines<'t>,
    end: usize,
    line: usize,
    at: usize,
}

impl DefinitionReader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        if self.at < self.lines.line(self.line).end {
            return self.lines.bytes().get(self.at).copied();
        }
        (self.line + 1 < self.end).then_some(b'\n')
    }

    fn take(&mut self) -> Option<u8> {
        let next = self.peek()?;
        if self.at < self.lines.line(self.line).end {
            self.at += 1;
        } else {
            self.line += 1;
            self.at = self.lines.line(self.line).from;
        }
        Some(next)
    }

    fn skip_white(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n')) {
            self.take();
        }
    }

    /// Returns the line of this position, if only blanks follow on it.
    fn ends_line(mut self) -> Option<usize> {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.take();
        }
        self.peek()
            .is_none_or(|next| next == b'\n')
            .then_some(self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("definition_cases.txt");

    fn extent(text: &str) -> Option<usize> {
        let lines = NoteLines::split(text);
        last_line(&lines, 0, lines.count())
    }

    #[test]
    fn a_definition_may_take_several_lines() {
        assert_eq!(extent("[a]: b"), Some(0));
        assert_eq!(extent("[a]: <b c> 'd'  \nx"), Some(0));
        assert_eq!(extent("[a]:\n  b\n  (title)\nx"), Some(2));
        assert_eq!(extent("[a]: b\n\"c\" d"), None);
        assert_eq!(extent("[a\nb]: c"), Some(1));
        assert_eq!(extent("[a]: b\n\n'c\nd'\ne"), Some(3));
        assert_eq!(extent("[a]:\n\nb\n\nc"), Some(2));
        assert_eq!(extent("[a\\]b\\\\]: c"), Some(0));
        assert_eq!(extent("[a]: <b\n\nc>\nd"), Some(2));
    }

    #[test]
    fn other_brackets_are_no_definition() {
        for text in tables::lines(CASES, "other brackets are no definition") {
            assert_eq!(extent(text), None, "{text}");
        }
    }
}
