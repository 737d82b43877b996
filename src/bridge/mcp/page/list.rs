//! Pagination of lists: items, lines of a search, findings of an audit.

use std::collections::BTreeSet;

use cli_output::shown;
use serde_json::{Map, Value, json};

use super::part::{AnswerPart, Page, length};
use crate::issue::Issue;

/// Whether the list is the result of a line search.
pub(in super::super) fn has_matches(data: &Map<String, Value>) -> bool {
    let items = data.get("items").and_then(Value::as_array);
    items.is_some_and(|items| items.iter().any(|item| item.get(MATCHES).is_some()))
}

/// The page of a list from item `offset`.
pub(super) fn list_page(
    stdout: &str,
    mut data: Map<String, Value>,
    offset: usize,
    budget: usize,
) -> Page {
    let items = match data.remove("items") {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    if items.iter().any(|item| item.get(MATCHES).is_some()) {
        return match_page(data, &items, offset, budget);
    }
    // Most commands print one line per item; for the others, show the item's JSON.
    let lines: Vec<&str> = stdout.lines().collect();
    let lines = (lines.len() == items.len()).then_some(lines);
    let part = AnswerPart::new(items.len(), offset, budget, |index| {
        let item = items.get(index)?.to_string();
        let length = item.chars().count();
        let line = lines.as_ref().and_then(|lines| lines.get(index));
        Some((line.map_or(item, |line| (*line).to_owned()), length))
    });
    let first = part.place.offset;
    let told = items.iter().skip(first).take(part.place.returned).cloned();
    let mut told: Vec<Value> = told.collect();
    let mut page = part.page("items");
    if page.omits_some() {
        for item in &mut told {
            cut_texts(item, budget);
            // A part of a note must not come with the hash of the whole note (`faults.md` F15).
            if let Value::Object(fields) = item {
                fields.shift_remove("sha256");
            }
        }
    }
    let is_whole = told.len() == items.len();
    put_items(&mut data, first, told, is_whole);
    page.data = data;
    page
}

/// The key of an item's matching lines.
pub(in super::super) const MATCHES: &str = "matches";

/// A line search is counted in lines, because one note can have any number of them. A note that
/// matched by name alone counts as one line.
fn match_page(mut data: Map<String, Value>, items: &[Value], offset: usize, budget: usize) -> Page {
    // For each line: the index of its note, and the line's index within the note.
    let mut lines: Vec<(usize, Option<usize>)> = Vec::new();
    for (number, item) in items.iter().enumerate() {
        match item.get(MATCHES).and_then(Value::as_array) {
            Some(found) if !found.is_empty() => {
                lines.extend((0..found.len()).map(|line| (number, Some(line))));
            }
            _ => lines.push((number, None)),
        }
    }
    let part = AnswerPart::new(lines.len(), offset, budget, |index| {
        let (number, line) = *lines.get(index)?;
        let item = items.get(number)?;
        let found = line.and_then(|line| item.get(MATCHES)?.get(line));
        let shown = match_line(item, found);
        let length = match found {
            Some(found) => found.to_string().chars().count(),
            None => shown.chars().count(),
        };
        Some((shown, length))
    });
    let told = lines.get(part.place.offset..part.place.offset + part.place.returned);
    let told = told.unwrap_or_default();
    let first = told.first().map_or(items.len(), |(number, _)| *number);
    let is_whole = told.len() == lines.len();
    let mut page = part.page("lines");
    let mut found: Vec<Value> = Vec::new();
    for of_note in told.chunk_by(|(left, _), (right, _)| left == right) {
        let Some(item) = of_note.first().and_then(|(number, _)| items.get(*number)) else {
            continue;
        };
        let mut note = item.clone();
        let kept = of_note
            .iter()
            .filter_map(|(_, line)| item.get(MATCHES)?.get((*line)?));
        note[MATCHES] = kept.cloned().collect();
        if page.omits_some() {
            cut_texts(&mut note, budget);
        }
        found.push(note);
    }
    put_items(&mut data, first, found, is_whole);
    page.data = data;
    page
}

/// A line that a search found, in the app's own format (`official-cli.md` §5); the path alone for a
/// note that matched by its name.
pub(in super::super) fn match_line(item: &Value, found: Option<&Value>) -> String {
    let path = shown::row(item.get("path").and_then(Value::as_str).unwrap_or_default());
    let Some(found) = found else {
        return path.into_owned();
    };
    let text = found.get("text").and_then(Value::as_str);
    let text = text.unwrap_or_default();
    match found.get("line") {
        Some(line) => format!("{path}:{line}: {text}"),
        None => format!("{path}: {text}"),
    }
}

/// Truncates every string in a value to `most` characters.
fn cut_texts(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(most) {
                text.truncate(end);
            }
        }
        Value::Array(items) => {
            for item in items {
                cut_texts(item, most);
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                cut_texts(field, most);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces the list by the items of a page that starts at `offset`.
fn put_items(data: &mut Map<String, Value>, offset: usize, items: Vec<Value>, is_whole: bool) {
    data.insert("returned".to_owned(), json!(items.len()));
    data.insert("offset".to_owned(), json!(offset));
    if !is_whole {
        data.insert("truncated".to_owned(), json!(true));
    }
    data.insert("items".to_owned(), Value::Array(items));
}

/// The page of an audit's findings from `offset`, the most severe first, as its text has them.
/// Removes the findings that are not on the page from `found`. `None` if everything fits, with the
/// numbers in `data`.
pub(crate) fn findings_page(
    stdout: &str,
    found: &mut Vec<Issue>,
    data: &Map<String, Value>,
    offset: usize,
    budget: usize,
) -> Option<Page> {
    let written: Vec<usize> = found
        .iter()
        .map(|issue| json!(issue).to_string().chars().count())
        .collect();
    let length = written.iter().sum::<usize>() + length(data);
    let fits = stdout.chars().count() <= budget && length <= budget.saturating_mul(2);
    if offset == 0 && fits {
        return None;
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|number| {
        let severity = found
            .get(*number)
            .and_then(|issue| issue.details.get("severity"));
        let severity = severity.and_then(Value::as_str);
        ["error", "warning"]
            .iter()
            .position(|grave| Some(*grave) == severity)
            .unwrap_or(2)
    });
    // The last line is the summary.
    let lines: Vec<&str> = stdout.lines().take(found.len()).collect();
    let part = AnswerPart::new(order.len(), offset, budget, |index| {
        let number = *order.get(index)?;
        let line = match lines.get(index) {
            Some(line) if lines.len() == found.len() => (*line).to_owned(),
            _ => shown::row(&found.get(number)?.message).into_owned(),
        };
        Some((line, *written.get(number)?))
    });
    let told = order.get(part.place.offset..part.place.offset + part.place.returned);
    let told: BTreeSet<usize> = told.unwrap_or_default().iter().copied().collect();
    let mut number = 0;
    found.retain(|_| {
        number += 1;
        told.contains(&(number - 1))
    });
    let mut page = part.page("findings");
    page.data.clone_from(data);
    Some(page)
}
