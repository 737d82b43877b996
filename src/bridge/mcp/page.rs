//! One part of a long answer: as much as the budget holds, and where to go on (`design.md` §9).
//!
//! Text is counted in characters and cut between them; a list is counted in items and cut between
//! those. What is cut off is never summed up or marked inside of the text, which is the vault's
//! (`faults.md` K02): the numbers stand beside it.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The part of an answer that is given.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    /// The readable text of this part.
    pub(super) text: String,
    /// The parsed result, with the same part of its list or text.
    pub(super) data: Map<String, Value>,
    /// Where this part stands; none where the whole answer is given.
    pub(super) place: Option<Place>,
}

/// Where a part stands in the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place {
    /// What is counted: `items` or `characters`.
    pub(super) unit: &'static str,
    /// The first one given, from 0.
    pub(super) offset: usize,
    /// How many are given.
    pub(super) returned: usize,
    /// How many there are.
    pub(super) total: usize,
    /// Where to go on; none at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
}

/// The part from `offset` on, of about `budget` characters of text and as many of data.
pub(super) fn page(stdout: &str, data: Map<String, Value>, offset: usize, budget: usize) -> Page {
    let fits = stdout.chars().count() <= budget && length(&data) <= budget.saturating_mul(2);
    if offset == 0 && fits {
        return Page {
            text: stdout.to_owned(),
            data,
            place: None,
        };
    }
    if data.get("items").is_some_and(Value::is_array) {
        of_list(stdout, data, offset, budget)
    } else {
        of_text(stdout, data, offset, budget)
    }
}

fn of_list(stdout: &str, mut data: Map<String, Value>, offset: usize, budget: usize) -> Page {
    let mut items = match data.remove("items") {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    let total = items.len();
    let start = offset.min(total);
    let lines: Vec<&str> = stdout.lines().collect();
    // Most lists are printed one item a line; the others are shown as data where they are cut.
    let line_of_item = lines.len() == total;
    let mut used = 0;
    let mut returned = 0;
    let mut text = String::new();
    for (index, item) in items.iter().enumerate().skip(start) {
        let shown = match lines.get(index) {
            Some(line) if line_of_item => (*line).to_owned(),
            _ => item.to_string(),
        };
        used += shown
            .chars()
            .count()
            .max(item.to_string().chars().count() / 2)
            + 1;
        // One item is always given, else nobody could ever go on.
        if used > budget && returned > 0 {
            break;
        }
        text += &shown;
        text.push('\n');
        returned += 1;
    }
    let items: Vec<Value> = items.drain(start..start + returned).collect();
    let next = (start + returned < total).then_some(start + returned);
    data.insert("returned".to_owned(), json!(returned));
    data.insert("offset".to_owned(), json!(start));
    data.insert("truncated".to_owned(), json!(next.is_some() || start > 0));
    data.insert("items".to_owned(), Value::Array(items));
    Page {
        text,
        data,
        place: Some(Place {
            unit: "items",
            offset: start,
            returned,
            total,
            next_offset: next,
        }),
    }
}

fn of_text(stdout: &str, mut data: Map<String, Value>, offset: usize, budget: usize) -> Page {
    // Data that is one long text is cut as the text is; other data is kept whole or left out.
    let whole = match data.get("content").or_else(|| data.get("text")) {
        Some(Value::String(content)) if same_text(content, stdout) => content.clone(),
        _ => stdout.to_owned(),
    };
    let total = whole.chars().count();
    let start = offset.min(total);
    let text: String = whole.chars().skip(start).take(budget).collect();
    let returned = text.chars().count();
    let next = (start + returned < total).then_some(start + returned);
    let cut = ["content", "text"]
        .into_iter()
        .find(|key| data.get(*key).and_then(Value::as_str) == Some(whole.as_str()));
    if let Some(key) = cut {
        data.insert(key.to_owned(), json!(text));
    } else if length(&data) > budget.saturating_mul(2) {
        data.clear();
        data.insert("omitted".to_owned(), json!(true));
    }
    Page {
        text,
        data,
        place: Some(Place {
            unit: "characters",
            offset: start,
            returned,
            total,
            next_offset: next,
        }),
    }
}

/// The app adds a line feed at the end of what it prints.
fn same_text(content: &str, stdout: &str) -> bool {
    content.trim_end_matches('\n') == stdout.trim_end_matches('\n')
}

fn length(data: &Map<String, Value>) -> usize {
    serde_json::to_string(data).map_or(usize::MAX, |text| text.chars().count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(paths: &[&str]) -> Map<String, Value> {
        let items: Vec<Value> = paths.iter().map(|path| json!({ "path": path })).collect();
        let value = json!({
            "total": paths.len(), "returned": paths.len(), "offset": 0, "truncated": false, "items": items,
        });
        value.as_object().unwrap().clone()
    }

    fn content(text: &str) -> Map<String, Value> {
        Map::from_iter([
            ("path".to_owned(), json!("a.md")),
            ("content".to_owned(), json!(text)),
        ])
    }

    #[test]
    fn what_fits_is_given_as_it_is() {
        let page = page("a.md\nb.md\n", list(&["a.md", "b.md"]), 0, 100);
        assert_eq!((page.text.as_str(), page.place), ("a.md\nb.md\n", None));
        assert_eq!(page.data, list(&["a.md", "b.md"]));
    }

    #[test]
    fn lists_are_cut_between_items_and_lines_go_with_them() {
        let data = list(&["a.md", "b.md", "c.md"]);
        let first = page("a.md\nb.md\nc.md\n", data.clone(), 0, 20);
        assert_eq!(first.text, "a.md\nb.md\n");
        assert_eq!(
            first.data["items"],
            json!([{ "path": "a.md" }, { "path": "b.md" }])
        );
        assert_eq!(first.data["total"], 3);
        let place = first.place.unwrap();
        assert_eq!((place.unit, place.next_offset), ("items", Some(2)));
        let last = page("a.md\nb.md\nc.md\n", data.clone(), 2, 20);
        assert_eq!(
            (last.text.as_str(), last.place.unwrap().next_offset),
            ("c.md\n", None)
        );
        // Grouped text does not go by items.
        let grouped = page("group\n  a.md\n  b.md\n  c.md\n", data.clone(), 0, 20);
        assert_eq!(grouped.text, "{\"path\":\"a.md\"}\n");
        let beyond = page("a.md\nb.md\nc.md\n", data, 9, 20);
        assert_eq!(
            (beyond.text.as_str(), beyond.place.unwrap().returned),
            ("", 0)
        );
    }

    #[test]
    fn one_item_larger_than_the_budget_is_still_given() {
        let long = "x".repeat(500);
        let page = page(&format!("{long}\nb\n"), list(&[&long, "b"]), 0, 10);
        assert_eq!(page.place.unwrap().next_offset, Some(1));
        assert_eq!(page.text.len(), 501);
    }

    #[test]
    fn data_that_is_no_text_is_left_out_rather_than_cut() {
        let data = Map::from_iter([("properties".to_owned(), json!({ "a": "y".repeat(100) }))]);
        let page = page(&"z".repeat(100), data, 0, 10);
        assert_eq!(page.text, "z".repeat(10));
        assert_eq!(
            page.data,
            Map::from_iter([("omitted".to_owned(), json!(true))])
        );
    }

    proptest! {
        #[test]
        fn the_parts_of_a_text_are_the_text(text in "(?s).{0,400}", budget in 1_usize..60) {
            let mut offset = 0;
            let mut read = String::new();
            loop {
                let part = page(&text, content(&text), offset, budget);
                prop_assert!(part.text.chars().count() <= budget || part.place.is_none());
                prop_assert_eq!(part.data["content"].as_str().unwrap(), part.text.as_str());
                read += &part.text;
                match part.place.and_then(|place| place.next_offset) {
                    Some(next) => offset = next,
                    None => break,
                }
            }
            prop_assert_eq!(read, text);
        }

        #[test]
        fn the_parts_of_a_list_are_the_list(paths in proptest::collection::vec("[a-z]{1,12}", 0..40), budget in 1_usize..60) {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let stdout: String = paths.iter().map(|path| format!("{path}\n")).collect();
            let mut offset = 0;
            let mut read = String::new();
            loop {
                let part = page(&stdout, list(&paths), offset, budget);
                prop_assert_eq!(part.data["items"].as_array().unwrap().len(), part.text.lines().count());
                read += &part.text;
                match part.place.and_then(|place| place.next_offset) {
                    Some(next) => offset = next,
                    None => break,
                }
            }
            prop_assert_eq!(read, stdout);
        }
    }
}
