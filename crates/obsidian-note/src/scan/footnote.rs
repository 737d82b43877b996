//! The texts of footnotes: `[^name]: text`.

use super::{
    interrupt,
    lines::{NoteLines, TAB},
};

/// Returns the byte offset of a footnote's text, on the line with its name.
pub(super) fn text_start(lines: &NoteLines<'_>, at: usize) -> Option<usize> {
    let line = lines.line(at);
    let rest = lines.bytes()[line.first..line.end].strip_prefix(b"[^")?;
    let close = rest
        .iter()
        .position(|byte| matches!(byte, b']' | b' ' | b'\t'))?;
    let named = close > 0 && rest[close] == b']' && rest.get(close + 1) == Some(&b':');
    named.then_some(line.first + "[^".len() + close + "]:".len())
}

/// The length of the part of a footnote in which the app looks for an end, in UTF-16 code units from the start of the
/// line with its name. After that only a blank line ends it.
const LOOKED_AT: usize = 1024;

/// Returns the last line of the footnote that begins on a line. The contents of its lines begin after its name, and up
/// to four columns further in.
pub(super) fn enter(lines: &mut NoteLines<'_>, text: usize, at: usize, end: usize) -> usize {
    let limit = lines.place_behind(at, end, LOOKED_AT);
    let mut last = at;
    let mut after_blank = lines.line(at).end == text;
    for next in at + 1..end {
        if lines.is_blank(next) {
            after_blank = true;
            continue;
        }
        let indented = lines.columns(next, TAB) >= TAB;
        if !indented && (after_blank || begins_block(lines, next, end, limit)) {
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

/// Whether a line begins something new, as far as a footnote is looked at.
fn begins_block(
    lines: &mut NoteLines<'_>,
    at: usize,
    end: usize,
    limit: Option<(usize, usize)>,
) -> bool {
    let Some((line, byte)) = limit else {
        return interrupt::footnote(lines, at, end);
    };
    let whole = lines.cut(line, byte);
    let begins = at <= line && interrupt::footnote(lines, at, line + 1);
    lines.restore(line, whole);
    begins
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("footnote_cases.txt");

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
        assert_eq!(contents("[^a]: b\n%% c\nd"), Some(vec!["b", "%% c", "d"]));
    }

    #[test]
    fn only_a_blank_line_ends_a_footnote_behind_the_first_1024_units() {
        let lines = |text: &str| contents(text).map(|lines| lines.len());
        let padded = |units: usize, next: &str| format!("[^a]: {}\n{next}", "é".repeat(units - 7));
        for (units, next, expected) in
            tables::typed::<(usize, &str, usize)>(CASES, "only a blank line ends a footnote behind")
        {
            assert_eq!(
                lines(&padded(units, next)),
                Some(expected),
                "{units} {next}"
            );
        }
        let wide = format!("[^a]: {}\n# b", "👍".repeat(600));
        assert_eq!(lines(&wide), Some(2));
    }

    #[test]
    fn a_name_has_no_space_and_a_colon_follows() {
        for text in ["[^a b]: c", "[^]: c", "[^a] b", "[a]: b", "[^a"] {
            assert_eq!(contents(text), None, "{text}");
        }
    }
}
