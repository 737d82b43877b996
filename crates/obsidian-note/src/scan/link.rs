//! Parses the inside of wikilinks and markdown links: target and display text (`vault-semantics.md`
//! §2.2).

use std::borrow::Cow;
use std::ops::Range;

use super::lines::skip_blanks;
use crate::uri;

/// A wikilink's target and display text.
pub(super) type LinkParts = (String, String);

/// Returns the offset of the `]]` that closes the wikilink whose inside begins at `from`. None if another `[[`, the end
/// of the line or of the text comes first.
pub(super) fn close(bytes: &[u8], from: usize, end: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memchr::memchr3(b'[', b']', b'\n', &bytes[at..end]) {
        at += found;
        let twice = at + 1 < end && bytes[at + 1] == bytes[at];
        match bytes[at] {
            b']' if twice => return Some(at),
            b'[' if twice => return None,
            b'\n' => return None,
            _ => at += 1,
        }
    }
    None
}

/// Parses the text between `[[` and `]]`. The first `|` that is not at the very start divides
/// target from text; in a table it has a backslash before it.
///
/// The display text is built only if `with_text`.
pub(super) fn wikilink(inside: &str, in_table: bool, with_text: bool) -> Option<LinkParts> {
    let bar = inside
        .bytes()
        .skip(1)
        .position(|byte| byte == b'|')
        .map(|bar| bar + 1);
    let (target, text) = match bar {
        Some(bar) => {
            let escaped = in_table && inside[..bar].ends_with('\\');
            (&inside[..bar - usize::from(escaped)], &inside[bar + 1..])
        }
        None => (inside, ""),
    };
    let target = cleaned(target);
    if target.is_empty() {
        return None;
    }
    let text = match text.trim() {
        _ if !with_text => String::new(),
        "" => default_display_text(&target),
        text => text.to_owned(),
    };
    Some((target, text))
}

/// Returns the display text of a target without one of its own: `a#b#c` as `a > b > c`.
fn default_display_text(target: &str) -> String {
    let parts: Vec<_> = target
        .split('#')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() {
        target.to_owned()
    } else {
        parts.join(" > ")
    }
}

fn cleaned(target: &str) -> String {
    let target = target.trim();
    if target.is_ascii() {
        target.to_owned()
    } else {
        target.replace('\u{A0}', " ")
    }
}

/// The destination of a markdown link.
pub(super) struct LinkDestination<'t> {
    /// The destination as written.
    raw: &'t str,
    /// The byte offset of `raw`.
    start: usize,
    /// The byte offset after the `)` that closes it.
    pub(super) end: usize,
}

impl LinkDestination<'_> {
    /// Returns the byte range of the destination as written.
    pub(super) fn written(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    /// Returns the target in the vault; `None` for an external or empty one.
    pub(super) fn target(&self) -> Option<String> {
        let plain = uri::unescaped(self.raw);
        if uri::is_external(&plain) {
            return None;
        }
        let target = match uri::decoded(&plain) {
            Cow::Borrowed(target) => cleaned(target),
            Cow::Owned(target) => cleaned(&target),
        };
        (!target.is_empty()).then_some(target)
    }
}

/// Returns the byte range of the destination whose `(` is at `open`, without its angle brackets.
pub fn written_destination(text: &str, open: usize) -> Option<Range<usize>> {
    Some(destination(text, open, text.len(), &mut false)?.written())
}

/// A destination with deeper nested parentheses is not one, which bounds the search.
const MOST_PARENTHESES: usize = 32;

/// Reads a destination and its title from a `(` on. `no_bracket` remembers that no `)` follows for
/// a title in parentheses, so that it is not searched for again.
pub(super) fn destination<'t>(
    text: &'t str,
    open: usize,
    end: usize,
    no_bracket: &mut bool,
) -> Option<LinkDestination<'t>> {
    let bytes = &text.as_bytes()[..end];
    let start = white(bytes, open + 1);
    let (start, stop, after) = if bytes.get(start) == Some(&b'<') {
        let stop = enclosed(bytes, start + 1)?;
        (start + 1, stop, stop + 1)
    } else {
        let stop = bare(bytes, start)?;
        (start, stop, stop)
    };
    let next = white(bytes, after);
    let close = match bytes.get(next)? {
        b')' => next,
        // White space must separate a title from the destination.
        _ if next == after => return None,
        &quote => {
            let closing = match quote {
                b'"' | b'\'' => quote,
                b'(' if !*no_bracket => b')',
                _ => return None,
            };
            let Some(stop) = unescaped_byte(bytes, next + 1, closing) else {
                *no_bracket |= closing == b')';
                return None;
            };
            white(bytes, stop + 1)
        }
    };
    (bytes.get(close)? == &b')').then_some(LinkDestination {
        raw: &text[start..stop],
        start,
        end: close + 1,
    })
}

/// Returns the `>` of a destination in angle brackets.
fn enclosed(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'>' => return Some(at),
            b'<' | b'\n' => return None,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the end of a destination without angle brackets: white space, or a `)` that nothing in it opens.
fn bare(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    let mut depth = 0;
    loop {
        match bytes.get(at)? {
            b' ' | b'\t' | b'\n' | b'\r' => break,
            b'(' if depth == MOST_PARENTHESES => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            _ => {}
        }
        at += 1;
    }
    (depth == 0).then_some(at)
}

fn unescaped_byte(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr2(wanted, b'\\', bytes.get(at..)?)?;
        if bytes[at] == wanted {
            return Some(at);
        }
        at += 2;
    }
}

/// Skips blanks and at most one line ending.
fn white(bytes: &[u8], from: usize) -> usize {
    let mut at = skip_blanks(bytes, from, bytes.len());
    if bytes.get(at) == Some(&b'\r') {
        at += 1;
    }
    if bytes.get(at) == Some(&b'\n') {
        at = skip_blanks(bytes, at + 1, bytes.len());
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(inside: &str) -> Option<(String, String)> {
        wikilink(inside, false, true)
    }

    fn pair(target: &str, text: &str) -> (String, String) {
        (target.to_owned(), text.to_owned())
    }

    #[test]
    fn the_first_bar_divides_unless_it_comes_first() {
        assert_eq!(parts("a|b"), Some(pair("a", "b")));
        assert_eq!(parts("a||b"), Some(pair("a", "|b")));
        assert_eq!(parts("|"), Some(pair("|", "|")));
        assert_eq!(parts("|b"), Some(pair("|b", "|b")));
        assert_eq!(parts(" a\u{A0}b | c "), Some(pair("a b", "c")));
        assert_eq!(parts(" "), None);
        assert_eq!(parts(" |a"), None);
    }

    #[test]
    fn headings_are_shown_with_an_angle() {
        assert_eq!(parts("a#b#c"), Some(pair("a#b#c", "a > b > c")));
        assert_eq!(parts("#h"), Some(pair("#h", "h")));
        assert_eq!(parts("a#^b"), Some(pair("a#^b", "a > ^b")));
        assert_eq!(parts("#"), Some(pair("#", "#")));
    }

    #[test]
    fn in_a_table_the_bar_has_a_backslash() {
        assert_eq!(wikilink(r"a\|b", true, true), Some(pair("a", "b")));
        assert_eq!(wikilink(r"a\|b", false, true), Some(pair(r"a\", "b")));
    }

    fn target(text: &str) -> Option<(Option<String>, usize)> {
        destination(text, 0, text.len(), &mut false).map(|found| (found.target(), found.end))
    }

    fn leads(target: &str) -> String {
        target.to_owned()
    }

    #[test]
    fn destinations_and_titles() {
        assert_eq!(target("(a.md)"), Some((Some(leads("a.md")), 6)));
        assert_eq!(
            target("( a(b)c \"t) \\\" \" )"),
            Some((Some(leads("a(b)c")), 18))
        );
        assert_eq!(target("(<a b.md> 't')"), Some((Some(leads("a b.md")), 14)));
        assert_eq!(
            target("(a%20b#c%23 (t))"),
            Some((Some(leads("a b#c%23")), 16))
        );
        assert_eq!(target("(a\n\"t\")"), Some((Some(leads("a")), 7)));
    }

    #[test]
    fn nothing_and_the_outside_are_no_targets() {
        assert_eq!(target("()"), Some((None, 2)));
        assert_eq!(target("(<>)"), Some((None, 4)));
        assert_eq!(target("(https://a.b)"), Some((None, 13)));
    }

    #[test]
    fn a_space_outside_angle_brackets_is_an_end() {
        for text in ["(a b)", "(a", "(<a", "(a \"t)", "(a \"t\" b)", "(a(b)"] {
            assert!(target(text).is_none(), "{text}");
        }
    }
}
