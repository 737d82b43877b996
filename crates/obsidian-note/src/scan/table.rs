//! Tables.

use std::ops::Range;

use super::lines::{NoteLines, skip_blanks};

/// Returns the last row of the table whose header is on a line. A row has a `|` after its first character, and the
/// second row consists only of `|`, `-` and `:`. Either every row begins with `|`, or none does; with a space before
/// it, a `|` does not count as the beginning.
pub(super) fn last_line(lines: &NoteLines<'_>, at: usize, end: usize) -> Option<usize> {
    let is_piped = lines.content(at).starts_with('|');
    let is_row = |row: usize| is_row(lines, row) && lines.content(row).starts_with('|') == is_piped;
    let delimits = at + 1 < end
        && is_delimiter(lines.content(at + 1).as_bytes())
        && is_row(at + 1)
        && is_row(at);
    delimits.then(|| {
        (at + 2..end)
            .take_while(|&row| is_row(row))
            .last()
            .unwrap_or(at + 1)
    })
}

/// Whether the lines of a paragraph contain rows of a table directly below text. Whether the app
/// reads them as a table is unknown. But an author who wrote `\|` in a link there did, and no file
/// name can contain `\`, so its links are read as in a table.
pub(super) fn is_within(lines: &NoteLines<'_>, first: usize, last: usize) -> bool {
    (first + 1..last).any(|row| last_line(lines, row, last + 1).is_some())
}

fn is_row(lines: &NoteLines<'_>, at: usize) -> bool {
    lines
        .content(at)
        .as_bytes()
        .split_first()
        .is_some_and(|(_, rest)| memchr::memchr(b'|', rest).is_some())
}

fn is_delimiter(row: &[u8]) -> bool {
    let mut columns = 0;
    let mut in_column = false;
    let mut bars = 0;
    for &byte in row {
        match byte {
            b'|' => {
                if in_column {
                    columns += 1;
                } else if bars > 0 {
                    return false;
                }
                bars += 1;
                in_column = false;
            }
            b'-' | b':' => in_column = true,
            b' ' | b'\t' => {}
            _ => return false,
        }
    }
    columns > 0 || in_column
}

/// Returns the cells of a row without the white space around them. `\|` does not separate cells.
pub(super) fn cells(
    bytes: &[u8],
    start: usize,
    end: usize,
) -> impl Iterator<Item = Range<usize>> + use<'_> {
    let mut next = Some(start);
    std::iter::from_fn(move || {
        let from = next?;
        let bar = bar(bytes, from, end);
        next = bar.map(|bar| bar + 1);
        let mut stop = bar.unwrap_or(end);
        let from = skip_blanks(bytes, from, stop);
        while stop > from && matches!(bytes[stop - 1], b' ' | b'\t') {
            stop -= 1;
        }
        Some(from..stop)
    })
}

fn bar(bytes: &[u8], from: usize, end: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memchr::memchr2(b'|', b'\\', bytes.get(at..end)?) {
        if bytes[at + found] == b'|' {
            return Some(at + found);
        }
        at += found + 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("table_cases.txt");

    fn extent(text: &str) -> Option<usize> {
        let lines = NoteLines::split(text);
        last_line(&lines, 0, lines.count())
    }

    #[test]
    fn a_table_has_a_header_and_a_delimiter_row() {
        assert_eq!(extent("|a|b|\n|-|-|\n|c|d|\n\n"), Some(2));
        assert_eq!(extent("a|b\n:-:|--\nc"), Some(1));
        assert_eq!(extent("|a|\n|---|"), Some(1));
        assert_eq!(extent("|a|\n|-|\n |b|\n"), Some(1));
        assert_eq!(extent("a|b\n-|-\n    c|d\n|e|f|"), Some(2));
        assert_eq!(extent(" |a|\n |-|"), Some(1));
    }

    #[test]
    fn lines_with_bars_alone_are_no_table() {
        for text in tables::lines(CASES, "lines with bars alone are no table") {
            assert_eq!(extent(text), None, "{text}");
        }
    }

    #[test]
    fn rows_below_a_text_are_found_in_its_paragraph() {
        let within = |text: &str| {
            let lines = NoteLines::split(text);
            is_within(&lines, 0, lines.count() - 1)
        };
        assert!(within("text\n|a|b|\n|-|-|\n|c|d|"));
        assert!(within("text\n|a|\n|-|"));
        for text in ["text", "text\n|a|b|\n|c|d|", "text\n|-|-|", "|-|-|\ntext"] {
            assert!(!within(text), "{text}");
        }
    }

    #[test]
    fn cells_are_cut_at_bars_that_are_not_escaped() {
        let row = r"| a \| b |c|";
        let found: Vec<_> = cells(row.as_bytes(), 0, row.len())
            .map(|cell| &row[cell])
            .collect();
        assert_eq!(found, ["", r"a \| b", "c", ""]);
    }
}
