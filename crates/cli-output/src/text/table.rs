//! Reads rows of text cells from JSON, TSV and CSV (`official-cli.md` §5, "Table helper").

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};

use vault_answers::List;
pub(crate) use vault_files::table::{delimited, quote, render};

use crate::text::body::Body;
use crate::text::error::{Fault, Reason};

/// Reads a table of `columns` columns, or the sentence that there are no rows.
pub(crate) fn read<'a, T>(
    body: Body<'a>,
    separator: char,
    columns: usize,
    mut item: impl FnMut(Vec<Cow<'a, str>>) -> Result<T, Reason>,
) -> Result<List<T>, Fault> {
    if body.says_nothing_found()? {
        return Ok(List::default());
    }
    rows(body.text, body.first, separator)
        .map(|(line, cells)| {
            let reason = match cells.len() {
                1 if columns > 0 && cells.iter().all(|cell| cell.is_empty()) => Reason::EmptyLine,
                found if found != columns => Reason::Cells {
                    expected: columns,
                    found,
                },
                _ => return item(cells).map_err(|reason| Fault::at_line(line, reason)),
            };
            Err(Fault::at_line(line, reason))
        })
        .collect()
}

/// Reads a table with the names of its columns in the first row: that row, and the others.
pub(crate) fn read_with_header(body: Body<'_>, separator: char) -> Result<Vec<Vec<String>>, Fault> {
    let mut expected = None;
    rows(body.text, body.first, separator)
        .map(|(line, cells)| {
            let found = cells.len();
            let expected = *expected.get_or_insert(found);
            if found != expected {
                return Err(Fault::at_line(line, Reason::Cells { expected, found }));
            }
            Ok(cells.into_iter().map(Cow::into_owned).collect())
        })
        .collect()
}

/// Reads the JSON form: an array of objects, pretty or compact, or the sentence that there are no
/// rows.
pub(crate) fn read_json<R: DeserializeOwned, T>(
    body: Body<'_>,
    item: impl FnMut(R) -> T,
) -> Result<List<T>, Fault> {
    if body.says_nothing_found()? {
        return Ok(List::default());
    }
    let rows: Vec<R> = from_json(body)?;
    Ok(rows.into_iter().map(item).collect())
}

/// Reads any JSON value of a body.
pub(crate) fn from_json<R: DeserializeOwned>(body: Body<'_>) -> Result<R, Fault> {
    serde_json::from_str(body.text).map_err(|error| {
        let line = body.first + error.line().saturating_sub(1);
        Fault::at_line(
            line,
            Reason::Json {
                message: error.to_string(),
            },
        )
    })
}

/// Returns the rows of a delimited text, with the line each begins on. Linear: a quoted cell that does not end as one is
/// taken unchanged, and then no second scan can cover the same text, for runs of quotes inside the failed cell all have
/// even length.
fn rows(
    text: &str,
    first: usize,
    separator: char,
) -> impl Iterator<Item = (usize, Vec<Cow<'_, str>>)> {
    let mut line = first;
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let begin = line;
        let mut cells = Vec::new();
        let mut text = rest.take()?;
        loop {
            let (cell, length, end) = cell(text, separator);
            line += text.get(..length).unwrap_or_default().matches('\n').count();
            text = text.get(length..).unwrap_or_default();
            cells.push(cell);
            match end {
                End::Cell => continue,
                End::Row => rest = Some(text),
                End::Text => {}
            }
            return Some((begin, cells));
        }
    })
}

/// The end of a cell.
enum End {
    Cell,
    Row,
    Text,
}

/// Returns the first cell of a text, its length in bytes with its end, and the kind of that end.
fn cell(text: &str, separator: char) -> (Cow<'_, str>, usize, End) {
    if let Some((cell, length)) = quoted_cell(text)
        && let Some((end, skip)) = end(text.get(length..).unwrap_or_default(), separator)
    {
        return (cell, length + skip, end);
    }
    let length = text.find([separator, '\n']).unwrap_or(text.len());
    let (cell, after) = text.split_at(length);
    let (end, skip) = end(after, separator).unwrap_or((End::Text, 0));
    let cell = match end {
        End::Cell => cell,
        End::Row | End::Text => cell.strip_suffix('\r').unwrap_or(cell),
    };
    (Cow::Borrowed(cell), length + skip, end)
}

/// Returns the end of a cell, and its length in bytes.
fn end(after: &str, separator: char) -> Option<(End, usize)> {
    if after.is_empty() || after == "\r" {
        Some((End::Text, after.len()))
    } else if after.starts_with(separator) {
        Some((End::Cell, separator.len_utf8()))
    } else if after.starts_with("\r\n") {
        Some((End::Row, 2))
    } else if after.starts_with('\n') {
        Some((End::Row, 1))
    } else {
        None
    }
}

/// A cell in quotes at the head of a text: its value, and its length in bytes with the quotes.
fn quoted_cell(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let inner = text.strip_prefix('"')?;
    let mut quotes = inner.match_indices('"').map(|(at, _)| at).peekable();
    let mut doubled = false;
    while let Some(at) = quotes.next() {
        if quotes.next_if_eq(&(at + 1)).is_some() {
            doubled = true;
            continue;
        }
        let value = inner.get(..at)?;
        let value = if doubled {
            Cow::Owned(value.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(value)
        };
        return Some((value, at + 2));
    }
    None
}

/// A whole number that the app prints as a text in one table and as a number in another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count(pub(crate) usize);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, or its text")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
                usize::try_from(number).map(Count).map_err(E::custom)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Count, E> {
                text.trim().parse().map(Count).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::body::Empty;
    use proptest::prelude::*;

    const CASES: &str = include_str!("table_cases.txt");

    fn rows(text: &str, separator: char) -> Vec<(usize, Vec<String>)> {
        let body = Body::new(text, Empty::Unrecorded);
        super::rows(body.text, body.first, separator)
            .map(|(line, cells)| (line, cells.into_iter().map(Cow::into_owned).collect()))
            .collect()
    }

    fn expect(pairs: &[(usize, &[&str])]) -> Vec<(usize, Vec<String>)> {
        let owned = |cells: &[&str]| cells.iter().map(ToString::to_string).collect();
        pairs
            .iter()
            .map(|(line, cells)| (*line, owned(cells)))
            .collect()
    }

    #[test]
    fn quotes_are_undone_and_lines_counted() {
        assert_eq!(
            rows("\n\"a \"\"b\"\"\r\nc\"\tx\r\n\"\"\ty\n", '\t'),
            expect(&[(2, &["a \"b\"\r\nc", "x"]), (4, &["", "y"])])
        );
    }

    #[test]
    fn a_quote_that_does_not_end_a_cell_stands_for_itself() {
        assert_eq!(
            rows("\"a\" b,c\n\"open\nx,\"y\"z\"", ','),
            expect(&[
                (1, &["\"a\" b", "c"]),
                (2, &["\"open"]),
                (3, &["x", "\"y\"z\""])
            ])
        );
    }

    #[test]
    fn rows_of_another_width_are_refused_with_their_line() {
        let read = |text| read(Body::new(text, Empty::Unrecorded), '\t', 2, |_| Ok(()));
        let fault = read("a\tb\nc\n").unwrap_err();
        assert_eq!((fault.line, fault.reason), (2, Reason::NO_TAB));
        let fault = read("a\tb\n\nc\td\n").unwrap_err();
        assert_eq!((fault.line, fault.reason), (2, Reason::EmptyLine));
    }

    #[test]
    fn reading_hostile_quotes_is_linear() {
        for unit in tables::lines(CASES, "reading hostile quotes is linear") {
            let text = unit.repeat(200_000 / unit.len());
            let cells: usize = rows(&text, '\t').iter().map(|(_, cells)| cells.len()).sum();
            assert!(cells > 0, "{unit}");
        }
    }

    proptest! {
        #[test]
        fn delimited_text_reads_back(
            table in prop::collection::vec(
                prop::collection::vec("[a,\t\"\r\n é]{0,6}", 2), 1..5),
            comma in any::<bool>(),
        ) {
            let separator = if comma { ',' } else { '\t' };
            let cells = table.iter().map(|row| row.iter().map(Cow::from));
            let text = delimited(cells, separator);
            let rows = super::rows(&text, 1, separator);
            let read: Vec<Vec<Cow<'_, str>>> = rows.map(|(_, cells)| cells).collect();
            prop_assert_eq!(read, table);
        }
    }
}
