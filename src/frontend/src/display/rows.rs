//! The typed data of an answer as rows and columns.

use serde_json::{Map, Value};

use gateway::Data;

/// The field of an item that contains nested rows, such as the matches in a found note.
const NESTED: &str = "matches";
/// The field of an item whose parts become columns, such as the requested properties.
pub(super) const SPREAD: &str = "properties";

/// The rows of an answer: the items of its list, or the answer itself as one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerRows {
    /// The names of the fields, in the order of their first occurrence.
    pub columns: Vec<String>,
    /// The fields of each row, by name.
    pub rows: Vec<Map<String, Value>>,
    /// Whether the answer is a list.
    pub is_list: bool,
}

impl AnswerRows {
    /// Reads the rows out of an answer's data. `known` names the columns of a list that may be empty.
    pub fn from_data(data: &Data, known: &[String]) -> Self {
        let (rows, is_list) = match list(data) {
            Some(rows) => (rows, true),
            None => (vec![data.as_map().clone()], false),
        };
        let mut columns: Vec<String> = Vec::new();
        for row in &rows {
            for (name, value) in row {
                let parts = value.as_object().filter(|parts| !parts.is_empty());
                let found = match parts.filter(|_| !is_list || name == SPREAD) {
                    Some(parts) => parts.keys().map(|part| format!("{name}.{part}")).collect(),
                    None => vec![name.clone()],
                };
                for column in found {
                    if !columns.contains(&column) {
                        columns.push(column);
                    }
                }
            }
        }
        if rows.is_empty() {
            columns = known.to_vec();
        }
        Self {
            columns,
            rows,
            is_list,
        }
    }

    /// Returns the rows of a text answer: its lines, or names and values if they are separated by tabs.
    pub fn of_text(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let is_pairs =
            !lines.is_empty() && lines.iter().all(|line| line.matches('\t').count() == 1);
        let columns: &[&str] = if is_pairs {
            &["name", "value"]
        } else {
            &["text"]
        };
        let rows = lines.iter().map(|line| {
            let cells = line.splitn(columns.len(), '\t');
            let names = columns.iter().map(|name| (*name).to_owned());
            names.zip(cells.map(Value::from)).collect()
        });
        Self {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            rows: rows.collect(),
            is_list: true,
        }
    }

    /// Returns the cell of a column in a row; `links.total` selects a part of a field. `null` if the cell does not
    /// exist.
    pub fn cell<'a>(row: &'a Map<String, Value>, column: &str) -> &'a Value {
        let part = || {
            let (field, part) = column.split_once('.')?;
            row.get(field)?.get(part)
        };
        row.get(column).or_else(part).unwrap_or(&Value::Null)
    }
}

/// Fields that contain the main list of an answer, regardless of its other fields.
const LISTS: [&str; 2] = ["items", "nodes"];
/// Fields with paths of files, which become one row each.
const PATHS: [&str; 2] = ["files", "paths"];

/// Returns the rows of an answer that is a list: its items, the items of its only non-empty part, the branches of its
/// tree, the only field that contains objects, its paths, or the properties of a note.
fn list(data: &Data) -> Option<Vec<Map<String, Value>>> {
    let of_items = |items: &[Value]| items.iter().flat_map(rows_of).collect();
    let data = data.as_map();
    if let Some(items) = LISTS.iter().find_map(|name| data.get(*name)?.as_array()) {
        return Some(of_items(items));
    }
    let part = |part: &Value| Some(of_items(part.get("items")?.as_array()?));
    if let Some(rows) = data.values().find_map(part) {
        return Some(rows);
    }
    if let Some(root) = data.get("root").filter(|root| root.get(BRANCHES).is_some()) {
        return Some(branches(root));
    }
    let mut lists = data.values().filter_map(Value::as_array);
    if let Some(first) = lists.find(|list| list.iter().any(Value::is_object)) {
        let is_only = !lists.any(|list| list.iter().any(Value::is_object));
        return is_only.then(|| of_items(first));
    }
    if let Some(paths) = PATHS.iter().find_map(|name| data.get(*name)?.as_array()) {
        let row = |path: &Value| Map::from_iter([("path".to_owned(), path.clone())]);
        return Some(paths.iter().map(row).collect());
    }
    let properties = data
        .get("properties")
        .filter(|_| data.len() == 1)?
        .as_object()?;
    let row = |(name, value): (&String, &Value)| {
        Map::from_iter([
            ("name".to_owned(), name.as_str().into()),
            ("value".to_owned(), value.clone()),
        ])
    };
    Some(properties.iter().map(row).collect())
}

/// The field of a tree's branch that contains the branches below it.
const BRANCHES: &str = "children";

/// Returns the branches below a branch, from top to bottom.
fn branches(branch: &Value) -> Vec<Map<String, Value>> {
    let below = branch.get(BRANCHES).and_then(Value::as_array);
    let below = below.into_iter().flatten().filter_map(Value::as_object);
    below
        .flat_map(|fields| {
            let mut own = fields.clone();
            own.remove(BRANCHES);
            let rows = branches(&Value::Object(fields.clone()));
            std::iter::once(own).chain(rows)
        })
        .collect()
}

/// Returns the rows of one item.
fn rows_of(item: &Value) -> Vec<Map<String, Value>> {
    let Value::Object(fields) = item else {
        return vec![Map::from_iter([("value".to_owned(), item.clone())])];
    };
    let Some(nested) = fields.get(NESTED).and_then(Value::as_array) else {
        return vec![fields.clone()];
    };
    let mut outer = fields.clone();
    outer.remove(NESTED);
    let inner = nested.iter().filter_map(Value::as_object);
    inner
        .map(|fields| {
            let mut row = outer.clone();
            row.extend(fields.clone());
            row
        })
        .collect()
}

/// Returns a cell for people: a text unchanged, a list by its items, an empty text for null.
pub(super) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let cells: Vec<String> = items.iter().map(cell_text).collect();
            cells.join(", ")
        }
        // The field that names the object.
        Value::Object(fields) => {
            let named = fields.values().find(|field| field.is_string());
            named.map_or_else(|| value.to_string(), cell_text)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("rows_cases.txt");

    fn of(data: &str) -> AnswerRows {
        let data: Map<String, Value> = serde_json::from_str(data).unwrap();
        AnswerRows::from_data(&data.into(), &["path".to_owned()])
    }

    #[test]
    fn a_text_is_lines_or_pairs() {
        let rows = AnswerRows::of_text("name\tDefault\nenabled\ttrue\n");
        assert_eq!(rows.columns, ["name", "value"]);
        assert_eq!(AnswerRows::cell(&rows.rows[1], "value"), "true");
        let rows = AnswerRows::of_text("one\ntwo\tthree\tfour\n");
        assert_eq!(rows.columns, ["text"]);
        assert_eq!(AnswerRows::cell(&rows.rows[1], "text"), "two\tthree\tfour");
    }

    #[test]
    fn the_list_of_an_answer_is_found() {
        for (data, columns, rows) in
            tables::typed::<(&str, &str, usize)>(CASES, "the list of an answer is found")
        {
            let found = of(data);
            assert_eq!(found.columns.join(" "), columns, "{data}");
            assert_eq!(found.rows.len(), rows, "{data}");
        }
    }
}
