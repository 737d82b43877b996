//! Breaks lines between words, by the width of their characters on a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::role::Role;

/// The distance between tab stops, in columns.
const TAB: usize = 8;
/// A word that is longer than a row may be broken after these.
const JOINTS: [char; 9] = ['/', '-', '_', ',', ';', ':', ')', ']', '}'];

/// Returns the number of columns of a text, with tabs.
pub(super) fn width(text: &str) -> usize {
    if text.contains('\t') {
        text.chars().fold(0, after)
    } else {
        text.width()
    }
}

/// Returns the column behind a character that begins at `column`.
fn after(column: usize, character: char) -> usize {
    match character {
        '\t' => column + TAB - column % TAB,
        _ => column + character.width().unwrap_or(0),
    }
}

/// Breaks a line into rows. Later rows are indented by `hang`, or like the line itself. If `hang`
/// would leave them less than half of the columns, the text before it becomes a row of its own, and
/// the later rows are indented a little more than the line.
pub(super) fn rows(
    spans: &[(Role, String)],
    columns: usize,
    hang: Option<usize>,
) -> Vec<Vec<(Role, String)>> {
    let mut cells: Vec<(Role, char)> = spans
        .iter()
        .flat_map(|(role, text)| text.chars().map(|character| (*role, character)))
        .collect();
    let own = cells.iter().take_while(|(_, character)| *character == ' ');
    let own = own.count();
    join_code(&mut cells, columns.saturating_sub(hang.unwrap_or(own)));
    let mut rows = Vec::new();
    let mut rest = cells.as_slice();
    let mut indent = 0;
    let mut hang = hang.unwrap_or(own);
    if hang > columns / 2 {
        let name = before_column(&cells, hang).filter(|_| hang <= columns);
        hang = (own + 2).min(columns / 2);
        if let Some(name) = name {
            rows.push(joined(0, trimmed(name)));
            rest = cells.get(name.len()..).unwrap_or_default();
            indent = hang;
        }
    }
    while !rest.is_empty() {
        let end = first_row(rest, indent, columns);
        let (row, later) = rest.split_at(end);
        let is_last = later.iter().all(|(_, character)| *character == ' ');
        rows.push(joined(indent, if is_last { row } else { trimmed(row) }));
        if is_last {
            break;
        }
        let spaces = later.iter().take_while(|(_, character)| *character == ' ');
        rest = later.get(spaces.count()..).unwrap_or_default();
        indent = hang;
    }
    rows
}

/// The character that replaces a space at which the row must not end.
const JOINED_SPACE: char = '\u{f0020}';

/// Keeps text between backticks on one row if it is at most `widest` columns wide, so that a
/// command can be copied.
fn join_code(cells: &mut [(Role, char)], widest: usize) {
    let ticks: Vec<usize> = cells
        .iter()
        .enumerate()
        .filter_map(|(at, (_, character))| (*character == '`').then_some(at))
        .collect();
    for pair in ticks.chunks_exact(2) {
        let &[start, end] = pair else {
            continue;
        };
        let code = cells.get_mut(start..end).unwrap_or_default();
        if code
            .iter()
            .fold(0, |column, (_, character)| after(column, *character))
            < widest
        {
            for (_, character) in code.iter_mut().filter(|(_, character)| *character == ' ') {
                *character = JOINED_SPACE;
            }
        }
    }
}

/// Returns the text before a column, if something begins there after a space.
fn before_column(cells: &[(Role, char)], wanted: usize) -> Option<&[(Role, char)]> {
    let mut column = 0;
    let at = cells.iter().position(|(_, character)| {
        let is_there = column == wanted;
        column = after(column, *character);
        is_there
    })?;
    let (before, _) = cells.split_at(at);
    let is_gap = before
        .last()
        .is_some_and(|(_, character)| *character == ' ');
    (is_gap && before.iter().any(|(_, character)| *character != ' ')).then_some(before)
}

/// Number of characters that fit on the row: up to a space, otherwise between wide characters,
/// otherwise after a joint of the word, otherwise as many as fit; at least one.
fn first_row(cells: &[(Role, char)], indent: usize, columns: usize) -> usize {
    let mut column = indent;
    let mut fitting = cells.len();
    for (at, (_, character)) in cells.iter().enumerate() {
        column = after(column, *character);
        if column > columns {
            fitting = at;
            break;
        }
    }
    if fitting == cells.len() {
        return fitting;
    }
    let begins = |at: usize| cells.get(at).map_or(' ', |(_, character)| *character);
    let is_wide = |character: char| character.width() == Some(2);
    let text = cells.iter().take_while(|(_, character)| *character == ' ');
    let text = text.count();
    // A row never begins with a character that is drawn on the one before it.
    let is_base = |place: usize| begins(place).width() != Some(0);
    let last = |is_break: &dyn Fn(usize) -> bool| {
        let places = text + 1..=fitting;
        places
            .rev()
            .find(|place| is_break(*place) && is_base(*place))
    };
    last(&|place| begins(place) == ' ')
        .or_else(|| last(&|place| is_wide(begins(place)) || is_wide(begins(place - 1))))
        .or_else(|| last(&|place| JOINTS.contains(&begins(place - 1))))
        .unwrap_or(fitting)
        .max(1)
}

fn trimmed(row: &[(Role, char)]) -> &[(Role, char)] {
    let spaces = row
        .iter()
        .rev()
        .take_while(|(_, character)| *character == ' ');
    let kept = row.len() - spaces.count();
    row.get(..kept).unwrap_or_default()
}

/// Returns the characters as spans, with an indentation.
fn joined(indent: usize, row: &[(Role, char)]) -> Vec<(Role, String)> {
    let mut spans: Vec<(Role, String)> = Vec::new();
    if indent > 0 {
        spans.push((Role::Plain, " ".repeat(indent)));
    }
    for (role, character) in row {
        let character = if *character == JOINED_SPACE {
            &' '
        } else {
            character
        };
        match spans.last_mut() {
            Some((last, text)) if last == role => text.push(*character),
            _ => spans.push((*role, character.to_string())),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrapped(text: &str, columns: usize, hang: Option<usize>) -> Vec<String> {
        rows(&[(Role::Plain, text.to_owned())], columns, hang)
            .into_iter()
            .map(|row| row.into_iter().map(|(_, text)| text).collect())
            .collect()
    }

    #[test]
    fn lines_break_between_words() {
        for (text, rows) in [
            ("one two three", &["one two", "three"][..]),
            ("one    twoooooo", &["one", "twoooooo"]),
            ("  in dented text", &["  in", "  dented", "  text"]),
            ("a/long/path/of/it", &["a/long/", "path/of/it"]),
            ("abcdefghijklmnop", &["abcdefghij", "klmnop"]),
            ("漢字漢字漢字漢字", &["漢字漢字漢", "字漢字"]),
            ("exactly 10", &["exactly 10"]),
            ("one two   ", &["one two   "]),
        ] {
            assert_eq!(wrapped(text, 10, None), rows, "{text}");
        }
        assert_eq!(
            wrapped("say `a b` or `c d e f`, `g", 10, None),
            ["say `a b`", "or", "`c d e f`,", "`g"]
        );
        assert_eq!(
            wrapped("x `a b c d e f g`", 10, None),
            ["x `a b c d", "e f g`"]
        );
        assert_eq!(wrapped("longer `a b` c", 10, None), ["longer", "`a b` c"]);
        assert_eq!(
            wrapped("key  value and more", 10, Some(5)),
            ["key  value", "     and", "     more"]
        );
        assert_eq!(
            wrapped(" a key  value and", 10, Some(8)),
            [" a key", "   value", "   and"]
        );
        assert_eq!(
            wrapped("a key  value", 6, Some(7)),
            ["a key", "  valu", "  e"]
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_word_that_fits_is_broken(text in "[a-z漢 ]{0,80}", columns in 4_usize..30, hang in 0_usize..20) {
            let rows = wrapped(&text, columns, Some(hang));
            let words = |text: &str| -> String { text.split_whitespace().collect() };
            prop_assert_eq!(words(&rows.concat()), words(&text));
            for row in &rows {
                prop_assert!(width(row.trim_end()) <= columns);
            }
            if text.is_ascii() {
                let whole: Vec<&str> = text.split_whitespace().collect();
                let longest = whole.iter().map(|word| word.len()).max().unwrap_or(0);
                // The first word is on the row with the indentation of the line.
                let own = text.len() - text.trim_start().len();
                let longest = longest + (own + 2).max(hang).min(columns / 2).max(own);
                if longest <= columns {
                    let shown: Vec<&str> = rows.iter().flat_map(|row| row.split_whitespace()).collect();
                    prop_assert_eq!(shown, whole);
                }
            }
        }
    }
}
