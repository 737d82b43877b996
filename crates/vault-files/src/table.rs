//! Rows of text cells as JSON, TSV and CSV, as the app's tables have them (`official-cli.md` §5, "Table helper").

use std::borrow::Cow;

use obsidian_note::javascript;
use serde_json::Value;

use crate::format::Format;

/// A table as the app prints it: no header row, and texts even for numbers. Each row has one cell for each column,
/// whose names are only in JSON. Every form but JSON and CSV is TSV.
pub fn render<'row, Row: IntoIterator<Item = Cow<'row, str>>>(
    columns: &[&str],
    rows: impl Iterator<Item = Row>,
    format: Format,
) -> String {
    match format {
        Format::Json => json(columns, rows),
        Format::Csv => delimited(rows, ','),
        _ => delimited(rows, '\t'),
    }
}

fn json<'row, Row: IntoIterator<Item = Cow<'row, str>>>(
    columns: &[&str],
    rows: impl Iterator<Item = Row>,
) -> String {
    let object = |row: Row| {
        let columns = columns.iter().map(ToString::to_string);
        let cells = columns.zip(row.into_iter().map(Value::from));
        Value::Object(cells.collect())
    };
    javascript::pretty_json(&rows.map(object).collect())
}

/// Rows separated by line feeds.
pub fn delimited<'row, Row: IntoIterator<Item = Cow<'row, str>>>(
    rows: impl Iterator<Item = Row>,
    separator: char,
) -> String {
    let mut text = String::new();
    for (number, row) in rows.enumerate() {
        if number > 0 {
            text.push('\n');
        }
        for (number, cell) in row.into_iter().enumerate() {
            if number > 0 {
                text.push(separator);
            }
            text.push_str(&quote(&cell, separator));
        }
    }
    text
}

/// Returns a cell, in quotes if it contains a quote, a line break or the separator.
pub fn quote(cell: &str, separator: char) -> Cow<'_, str> {
    let is_special =
        |byte: u8| matches!(byte, b'"' | b'\r' | b'\n') || char::from(byte) == separator;
    if cell.bytes().any(is_special) {
        Cow::Owned(format!("\"{}\"", cell.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(cell)
    }
}
