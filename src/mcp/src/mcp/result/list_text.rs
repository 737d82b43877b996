//! Lists as short text for a model: each fact once, a line for each item.

use serde_json::{Map, Value};
use vault_answers::{LineMatch, List, SearchContextItem};
use vault_engine::shown;

/// The fields of an item that contain the text of a note.
const NOTE_TEXTS: [&str; 3] = ["content", "body", "text"];

/// Renders items as a table: a line with the names of the fields, then a line for each item, its
/// values separated by tabs. A field that an item does not have, or that is null, is empty.
///
/// Names of fields are written once and not with each item, which is half of the JSON. A title that is the name of its
/// note is left out: the path has it. Items that contain the text of a note or objects are written as JSON, one a line.
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
        let is_in_text = |column: &str| {
            item.as_object()
                .is_some_and(|item| is_in_path(column, item))
        };
        let cells = columns.iter().map(|&column| {
            let value = item.get(column).filter(|_| !is_in_text(column));
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

/// Whether the value fits in a cell: a scalar, or a list of scalars.
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

/// Returns a value as the text of a cell, escaped so that no name in the vault can forge a cell or a line
/// (`threats.toml` B10).
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
/// text. The app prints a line again for each hit (`official-cli.md` §5).
pub(super) fn merge_hits(found: &mut List<SearchContextItem>) -> String {
    let mut text = String::new();
    for note in &mut found.items {
        note.matches.dedup_by(|line, last| {
            let is_same = line.line == last.line;
            if is_same {
                last.hits = Some(last.hits.unwrap_or(1) + 1);
            }
            is_same
        });
        // A note that matched by its name alone has no lines.
        let is_name_alone = note.matches.is_empty();
        let lines = note.matches.iter().map(Some);
        for line in lines.chain(is_name_alone.then_some(None)) {
            text += &match_line(&note.path, line);
            text.push('\n');
        }
    }
    text
}

/// Returns a line that a search found, in the app's own format (`official-cli.md` §5); the path alone for a note that
/// matched by its name.
fn match_line(path: &str, found: Option<&LineMatch>) -> String {
    let path = shown::row(path);
    match found {
        Some(LineMatch { line, text, .. }) => format!("{path}:{line}: {text}"),
        None => path.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn a_line_with_two_hits_is_given_once() {
        let note = |path: &str, lines: &[usize]| {
            let matches = lines.iter();
            SearchContextItem {
                path: path.to_owned(),
                matches: matches
                    .map(|line| LineMatch::new(*line, "x x".to_owned()))
                    .collect(),
            }
        };
        let mut found = List::new(vec![note("a.md", &[1, 1, 2, 1]), note("b.md", &[])]);
        assert_eq!(
            merge_hits(&mut found),
            "a.md:1: x x\na.md:2: x x\na.md:1: x x\nb.md\n"
        );
        let line = |line: u64| json!({ "line": line, "text": "x x" });
        let twice = json!({ "line": 1, "text": "x x", "hits": 2 });
        assert_eq!(
            json!(found.items),
            json!([
                { "path": "a.md", "matches": [twice, line(2), line(1)] },
                { "path": "b.md", "matches": [] },
            ])
        );
    }
}
