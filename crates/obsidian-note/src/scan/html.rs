//! HTML: blocks, and tags within running text.

use crate::uri::is_scheme_byte;
use memchr::memmem;

use super::lines::{NoteLines, skip_blanks};

/// The end of an HTML block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HtmlBlockEnd {
    /// The line that contains this text (one of them), in any case.
    With(&'static [&'static str]),
    /// The line before an empty one.
    AtEmptyLine {
        /// Whether such a block may end a paragraph.
        interrupts: bool,
    },
}

const RAW: &str = "pre script style";
const RAW_ENDS: [&str; 3] = ["</pre>", "</script>", "</style>"];

/// The elements whose tags begin a block wherever they open a line (`CommonMark` §4.6, kind 6).
const BLOCKS: &str = "address article aside base basefont blockquote body caption center col colgroup dd details \
    dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 \
    h6 head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup \
    option p param section source summary table tbody td tfoot th thead title tr ul";

/// Whether a line opens an HTML block, and what ends it.
pub(super) fn opens(lines: &NoteLines<'_>, at: usize) -> Option<HtmlBlockEnd> {
    let line = lines.line(at);
    let bytes = &lines.bytes()[..line.end];
    let rest = bytes[line.first..].strip_prefix(b"<")?;
    if let Some(ends) = opens_special(rest) {
        return Some(ends);
    }
    let (slash, name) = match rest.strip_prefix(b"/") {
        Some(name) => (true, name),
        None => (false, rest),
    };
    let length = name
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let (name, after) = name.split_at(length);
    let ends_name = |allowed: &[u8]| {
        after
            .first()
            .is_none_or(|byte| byte.is_ascii_whitespace() || allowed.contains(byte))
    };
    if !slash && is_one_of(name, RAW) && ends_name(b">") {
        return Some(HtmlBlockEnd::With(&RAW_ENDS));
    }
    if is_one_of(name, BLOCKS) && (ends_name(b">") || after.starts_with(b"/>")) {
        return Some(HtmlBlockEnd::AtEmptyLine { interrupts: true });
    }
    let end = tag(bytes, line.first, line.end).ok()?;
    let alone = bytes[end..].iter().all(u8::is_ascii_whitespace);
    alone.then_some(HtmlBlockEnd::AtEmptyLine { interrupts: false })
}

fn opens_special(rest: &[u8]) -> Option<HtmlBlockEnd> {
    if rest.starts_with(b"!--") {
        Some(HtmlBlockEnd::With(&["-->"]))
    } else if rest.starts_with(b"?") {
        Some(HtmlBlockEnd::With(&["?>"]))
    } else if rest.starts_with(b"![CDATA[") {
        Some(HtmlBlockEnd::With(&["]]>"]))
    } else if rest.first() == Some(&b'!') && rest.get(1).is_some_and(u8::is_ascii_alphabetic) {
        Some(HtmlBlockEnd::With(&[">"]))
    } else {
        None
    }
}

fn is_one_of(name: &[u8], names: &str) -> bool {
    let mut names = names.split(' ');
    names.any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a line ends a paragraph by opening an HTML block.
pub(super) fn interrupts(lines: &NoteLines<'_>, at: usize) -> bool {
    !matches!(
        opens(lines, at),
        None | Some(HtmlBlockEnd::AtEmptyLine { interrupts: false })
    )
}

/// Returns the last line of an HTML block.
pub(super) fn last_line(lines: &NoteLines<'_>, ends: HtmlBlockEnd, at: usize, end: usize) -> usize {
    match ends {
        HtmlBlockEnd::With(texts) => (at..end)
            .find(|&next| {
                texts
                    .iter()
                    .any(|text| holds(lines.content(next).as_bytes(), text))
            })
            .unwrap_or(end - 1),
        HtmlBlockEnd::AtEmptyLine { .. } => (at + 1..end)
            .take_while(|&next| !lines.content(next).is_empty())
            .last()
            .unwrap_or(at),
    }
}

fn holds(line: &[u8], text: &str) -> bool {
    if text.starts_with("</") {
        let name = text.as_bytes();
        return memmem::find_iter(line, b"</").any(|at| {
            line.get(at..at + name.len())
                .is_some_and(|found| found.eq_ignore_ascii_case(name))
        });
    }
    memmem::find(line, text.as_bytes()).is_some()
}

/// Returns the end of an opening or closing tag that begins at a `<`. The error is the offset at which it turned out to
/// be no tag.
pub(super) fn tag(bytes: &[u8], at: usize, end: usize) -> Result<usize, usize> {
    let text = &bytes[..end];
    let closing = text.get(at + 1) == Some(&b'/');
    let name = at + 1 + usize::from(closing);
    if !text.get(name).is_some_and(u8::is_ascii_alphabetic) {
        return Err(name);
    }
    let mut at = run(text, name, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'-'
    });
    if closing {
        at = white(text, at);
        return if text.get(at) == Some(&b'>') {
            Ok(at + 1)
        } else {
            Err(at)
        };
    }
    loop {
        let next = white(text, at);
        match text.get(next) {
            Some(b'>') => return Ok(next + 1),
            Some(b'/') if text.get(next + 1) == Some(&b'>') => return Ok(next + 2),
            Some(byte) if next > at && (byte.is_ascii_alphabetic() || b"_:".contains(byte)) => {
                at = attribute(text, next)?;
            }
            _ => return Err(next),
        }
    }
}

fn attribute(text: &[u8], at: usize) -> Result<usize, usize> {
    let name = run(text, at, |byte| {
        byte.is_ascii_alphanumeric() || b"_:.-".contains(&byte)
    });
    let equals = white(text, name);
    if text.get(equals) != Some(&b'=') {
        return Ok(name);
    }
    let value = white(text, equals + 1);
    if let Some(&quote @ (b'"' | b'\'')) = text.get(value) {
        let close = memchr::memchr(quote, &text[value + 1..]);
        return close.map(|close| value + 1 + close + 1).ok_or(text.len());
    }
    let end = run(text, value, |byte| {
        byte > b' ' && !b"\"'=<>`".contains(&byte)
    });
    if end > value { Ok(end) } else { Err(value) }
}

/// Returns the end of an address between `<` and `>`: with a scheme, or of mail.
pub(super) fn address(bytes: &[u8], at: usize, end: usize) -> Option<usize> {
    let text = &bytes[at + 1..end];
    let stop = text
        .iter()
        .position(|&byte| byte <= b' ' || matches!(byte, b'<' | b'>'))?;
    let inside = &text[..stop];
    let scheme = inside.iter().position(|byte| !is_scheme_byte(*byte));
    let has_scheme = scheme.is_some_and(|length| {
        length >= 2 && inside[length] == b':' && inside[0].is_ascii_alphabetic()
    });
    let is_address = text[stop] == b'>' && (has_scheme || inside.contains(&b'@'));
    is_address.then_some(at + 1 + stop + 1)
}

fn run(text: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text[from..]
        .iter()
        .position(|&byte| !belongs(byte))
        .map_or(text.len(), |length| from + length)
}

fn white(text: &[u8], from: usize) -> usize {
    let mut at = skip_blanks(text, from, text.len());
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("html_cases.txt");

    fn extent(text: &str) -> Option<usize> {
        let lines = NoteLines::split(text);
        opens(&lines, 0).map(|ends| last_line(&lines, ends, 0, lines.count()))
    }

    #[test]
    fn blocks_end_where_their_kind_says() {
        assert_eq!(extent("<!-- a\n\nb --> c\nd"), Some(2));
        assert_eq!(extent("<div>\na\n\nb"), Some(1));
        assert_eq!(extent("<SCRIPT>\n\n</Script> x\ny"), Some(2));
        assert_eq!(extent("</p>\na"), Some(1));
        assert_eq!(extent("<x-y a='b'>\na"), Some(1));
        assert_eq!(extent("<?a\n?>\nb"), Some(1));
    }

    #[test]
    fn text_that_begins_with_a_tag_is_no_block() {
        for text in ["<b>a</b>", "<divx> a", "< div>", "<https://a.b>", "<1>"] {
            assert_eq!(extent(text), None, "{text}");
        }
    }

    #[test]
    fn only_some_blocks_end_a_paragraph() {
        assert!(interrupts(&NoteLines::split("<p>"), 0));
        assert!(!interrupts(&NoteLines::split("<x>"), 0));
    }

    #[test]
    fn tags_have_well_formed_attributes() {
        for text in tables::lines(CASES, "tags have well formed attributes, 2") {
            assert_eq!(
                tag(text.as_bytes(), 0, text.len()),
                Ok(text.len()),
                "{text}"
            );
        }
        for text in tables::lines(CASES, "tags have well formed attributes") {
            assert!(tag(text.as_bytes(), 0, text.len()).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_hold_no_space() {
        for text in ["<https://a#b>", "<mailto:a>", "<a@b.c>"] {
            assert_eq!(
                address(text.as_bytes(), 0, text.len()),
                Some(text.len()),
                "{text}"
            );
        }
        for text in ["<a:b c>", "<abc>", "<a:b", "<:a>"] {
            assert_eq!(address(text.as_bytes(), 0, text.len()), None, "{text}");
        }
    }
}
