//! The typed data of an answer as rows and columns.

use serde_json::{Map, Value};

/// The field of an item that holds rows of its own, as a found note holds its lines.
const NESTED: &str = "matches";

/// The rows of an answer: the items of its list, or the answer itself as one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AnswerRows {
    /// The names of the fields, in the order in which they come.
    pub(crate) columns: Vec<String>,
    /// The fields of each row.
    pub(crate) rows: Vec<Map<String, Value>>,
    /// Whether the answer is a list.
    pub(crate) is_list: bool,
}

impl AnswerRows {
    /// Reads the rows out of an answer's data. `known` names the columns of a list that may be empty.
    pub(crate) fn of(data: &Map<String, Value>, known: &[String]) -> Self {
        let (rows, is_list) = match list(data) {
            Some(items) => (items.iter().flat_map(rows_of).collect(), true),
            None => (vec![data.clone()], false),
        };
        let mut columns: Vec<String> = Vec::new();
        for row in &rows {
            for name in row.keys() {
                if !columns.contains(name) {
                    columns.push(name.clone());
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

    /// The cell of a column in a row; null where there is none.
    pub(crate) fn cell<'a>(row: &'a Map<String, Value>, column: &str) -> &'a Value {
        row.get(column).unwrap_or(&Value::Null)
    }
}

/// The list of an answer: its items, those of its one part that has some, or the only field that
/// holds objects.
fn list(data: &Map<String, Value>) -> Option<&Vec<Value>> {
    if let Some(items) = data.get("items") {
        return items.as_array();
    }
    let of_a_part = |part: &Value| part.get("items").and_then(Value::as_array).is_some();
    if let Some(part) = data.values().find(|part| of_a_part(part)) {
        return part.get("items").and_then(Value::as_array);
    }
    let mut lists = data.values().filter_map(Value::as_array);
    let first = lists.find(|list| list.iter().any(Value::is_object))?;
    let is_only = !lists.any(|list| list.iter().any(Value::is_object));
    is_only.then_some(first)
}

/// The rows of one item.
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

/// A cell for people: text as it is, a list by its items, nothing for null.
pub(crate) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let cells: Vec<String> = items.iter().map(cell_text).collect();
            cells.join(", ")
        }
        // What names it.
        Value::Object(fields) => {
            let named = fields.values().find(|field| field.is_string());
            named.map_or_else(|| value.to_string(), cell_text)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(data: &Value) -> AnswerRows {
        AnswerRows::of(data.as_object().unwrap(), &["path".to_owned()])
    }

    #[test]
    fn the_list_of_an_answer_is_found() {
        for (data, columns, rows) in [
            (
                json!({"total": 1, "items": [{"tag": "a", "count": 2}]}),
                "tag count",
                1,
            ),
            (json!({"files": {"items": [{"path": "a"}]}}), "path", 1),
            (json!({"pending": [{"id": "x"}], "n": 1}), "id", 1),
            (json!({"items": []}), "path", 0),
            (json!({"a": 1, "b": "c"}), "a b", 1),
            (
                json!({"items": [{"path": "a", "matches": [{"line": 1}, {"line": 2}]}]}),
                "path line",
                2,
            ),
        ] {
            let found = of(&data);
            assert_eq!(found.columns.join(" "), columns, "{data}");
            assert_eq!(found.rows.len(), rows, "{data}");
        }
    }
}
