//! Footnotes' texts: `[^name]: text`.

use super::{
    interrupt,
    lines::{NoteLines, TAB},
};

/// Where the text of a footnote begins on a line that has its name.
pub(super) fn text_start(lines: &NoteLines<'_>, at: usize) -> Option<usize> {
    let line = lines.line(at);
    let rest = lines.bytes()[line.first..line.end].strip_prefix(b"[^")?;
    let close = rest
        .iter()
        .position(|byte| matches!(byte, b']' | b' ' | b'\t'))?;
    let named = close > 0 && rest[close] == b']' && rest.get(close + 1) == Some(&b':');
    named.then_some(line.first + "[^".len() + close + "]:".len())
}

/// The last line of the footnote that begins on a line; the lines' contents move behind its name,
/// and inwards by up to four columns.
pub(super) fn enter(lines: &mut NoteLines<'_>, text: usize, at: usize, end: usize) -> usize {
    let mut last = at;
    let mut after_blank = lines.line(at).end == text;
    for next in at + 1..end {
        if lines.is_blank(next) {
            after_blank = true;
            continue;
        }
        let indented = lines.columns(next, TAB) >= TAB;
        if !indented && (after_blank || interrupt::footnote(lines, next, end)) {
            break;
        }
        after_blank = false;
        last = next;
    }
    lines.enter(at, text);
    for next in at..=last {
        lines.dedent(next, TAB);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &str) -> Option<Vec<&str>> {
        let mut lines = NoteLines::split(text);
        let end = lines.count();
        let start = text_start(&lines, 0)?;
        let last = enter(&mut lines, start, 0, end);
        Some((0..=last).map(|at| lines.content(at)).collect())
    }

    #[test]
    fn indented_lines_belong_across_blank_ones_and_others_do_not() {
        assert_eq!(
            contents("[^a]: b\nlazy\n\n    c\n\nd"),
            Some(vec!["b", "lazy", "", "c"])
        );
        assert_eq!(contents("[^a]: b\n[^c]: d"), Some(vec!["b"]));
    }

    #[test]
    fn a_name_has_no_space_and_a_colon_follows() {
        for text in ["[^a b]: c", "[^]: c", "[^a] b", "[a]: b", "[^a"] {
            assert_eq!(contents(text), None, "{text}");
        }
    }
}
