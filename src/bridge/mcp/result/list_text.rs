//! Lists as short text for a model: each fact once, a line for each item.

use cli_output::shown;
use serde_json::{Map, Value, json};

use crate::bridge::mcp::page::{MATCHES, has_matches, match_line};

/// How many hits of the search are on a line, where it is more than one.
const HITS: &str = "hits";
/// The fields of an item that hold the text of a note.
const NOTE_TEXTS: [&str; 3] = ["content", "body", "text"];

/// Renders items as a table: a line with the names of the fields, then a line for each item, its
/// values separated by tabs. A field that an item does not have, or that is null, is empty.
///
/// Names of fields are written once and not with each item, which is half of the JSON. A title that is
/// the name of its note is left out: the path has it. Items that hold the text of a note or objects are written as JSON, one a line.
pub(super) fn table(items: &[Value]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for item in items {
        let fields = item.as_object().filter(|fields| {
            let mut texts = NOTE_TEXTS.iter();
            !texts.any(|text| fields.contains_key(*text)) && fields.values().all(is_flat)
        });
        let Some(fields) = fields else {
            return items.iter().map(|item| format!("{item}\n")).collect();
        };
        for (key, value) in fields {
            // A column in which no item has anything is left out.
            if !is_blank(value) && !is_in_path(key, fields) && !columns.contains(&key.as_str()) {
                columns.push(key);
            }
        }
    }
    let row = |cells: Vec<String>| cells.join("\t") + "\n";
    let head = columns.iter().map(ToString::to_string).collect();
    let rows = items.iter().map(|item| {
        let has_told = |column: &str| {
            item.as_object()
                .is_some_and(|item| is_in_path(column, item))
        };
        let cells = columns.iter().map(|&column| {
            let value = item.get(column).filter(|_| !has_told(column));
            cell(value)
        });
        row(cells.collect())
    });
    if columns.is_empty() {
        return String::new();
    }
    std::iter::once(row(head)).chain(rows).collect()
}

/// Whether this field of an item is a title that repeats the name of the note.
fn is_in_path(field: &str, item: &Map<String, Value>) -> bool {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    field == "title"
        && text("path").is_some_and(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            text("title") == Some(name.strip_suffix(".md").unwrap_or(name))
        })
}

/// Whether a cell can hold the value: a scalar, or a list of scalars.
fn is_flat(value: &Value) -> bool {
    match value {
        Value::Object(_) => false,
        Value::Array(items) => !items.iter().any(|item| item.is_object() || item.is_array()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => false,
    }
}

/// A value in its cell, where no name in the vault can forge a cell or a line (`faults.md` B10).
fn cell(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(value) if is_blank(value) => String::new(),
        Some(Value::String(text)) => shown::row(text).into_owned(),
        // JSON keeps characters that change the direction of what follows.
        Some(value) => shown::row(&value.to_string()).into_owned(),
    }
}

/// Gives each line that a search found once, however many hits are on it, and returns the lines as
/// text; `None` if the data is not that of a line search. The app prints a line again for each hit
/// (`official-cli.md` §5).
pub(super) fn merge_hits(data: &mut Map<String, Value>) -> Option<String> {
    if !has_matches(data) {
        return None;
    }
    let items = data.get_mut("items")?.as_array_mut()?;
    let mut text = String::new();
    for item in items {
        if let Some(Value::Array(found)) = item.get_mut(MATCHES) {
            *found = merged(std::mem::take(found));
        }
        let found = item.get(MATCHES).and_then(Value::as_array);
        let lines = found.into_iter().flatten().map(Some);
        // A note that matched by its name alone has no lines.
        let is_name_alone = found.is_none_or(Vec::is_empty);
        for line in lines.chain(is_name_alone.then_some(None)) {
            text += &match_line(item, line);
            text.push('\n');
        }
    }
    Some(text)
}

fn merged(found: Vec<Value>) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::with_capacity(found.len());
    let mut hits = 1;
    for line in found {
        match merged.last_mut() {
            Some(Value::Object(last)) if is_same_line(last, &line) => {
                hits += 1;
                last.insert(HITS.to_owned(), json!(hits));
            }
            _ => {
                hits = 1;
                merged.push(line);
            }
        }
    }
    merged
}

fn is_same_line(last: &Map<String, Value>, line: &Value) -> bool {
    let number = last.get("line");
    number.is_some_and(Value::is_u64) && number == line.get("line")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_names_each_field_once() {
        let items = [
            json!({ "path": "a.md", "tags": [], "score": 3, "title": null, "open": true }),
            json!({ "path": "b.md", "tags": ["x"], "score": 2.5, "title": "B" }),
        ];
        assert_eq!(
            table(&items),
            "path\tscore\topen\ttags\ttitle\na.md\t3\ttrue\t\t\nb.md\t2.5\t\t[\"x\"]\tB\n"
        );
        assert_eq!(table(&[]), "");
        assert_eq!(table(&[json!("a"), json!(2)]), "\"a\"\n2\n");
    }

    #[test]
    fn a_title_that_is_the_name_is_in_the_path() {
        let items = [
            json!({ "path": "x/A b.md", "title": "A b" }),
            json!({ "path": "B.canvas", "title": "B.canvas" }),
        ];
        assert_eq!(table(&items), "path\nx/A b.md\nB.canvas\n");
        let items = [
            json!({ "path": "x/A.md", "title": "A" }),
            json!({ "path": "B.md", "title": "Bee" }),
        ];
        assert_eq!(table(&items), "path\ttitle\nx/A.md\t\nB.md\tBee\n");
    }

    #[test]
    fn b10_no_text_forges_a_cell_or_a_line() {
        let items = [json!({ "path": "a\tb\nc\u{202e}", "tags": ["x\u{202e}\ny"] })];
        assert_eq!(
            table(&items),
            "path\ttags\na\\u{9}b\\u{a}c\\u{202e}\t[\"x\\u{202e}\\ny\"]\n"
        );
    }

    #[test]
    fn a_text_of_many_lines_is_json() {
        let items = [json!({ "path": "a.md", "body": "x\ny\n" })];
        assert_eq!(table(&items), format!("{}\n", items[0]));
    }

    #[test]
    fn other_lists_are_left_alone() {
        let mut data = Map::from_iter([("items".to_owned(), json!([{ "path": "a.md" }]))]);
        assert_eq!(merge_hits(&mut data), None);
    }

    #[test]
    fn a_line_with_two_hits_is_given_once() {
        let line = |line: u64| json!({ "line": line, "text": "x x" });
        let items = json!([
            { "path": "a.md", "matches": [line(1), line(1), line(2), line(1)] },
            { "path": "b.md", "matches": [] },
            { "path": "c.md" },
        ]);
        let mut data = Map::from_iter([("items".to_owned(), items)]);
        assert_eq!(
            merge_hits(&mut data).unwrap(),
            "a.md:1: x x\na.md:2: x x\na.md:1: x x\nb.md\nc.md\n"
        );
        let twice = json!({ "line": 1, "text": "x x", "hits": 2 });
        assert_eq!(
            data["items"],
            json!([
                { "path": "a.md", "matches": [twice, line(2), line(1)] },
                { "path": "b.md", "matches": [] },
                { "path": "c.md" },
            ])
        );
    }
}
