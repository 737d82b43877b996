//! Parts of lists: items, the lines that a search found, and the findings of an audit.

use std::collections::BTreeSet;

use cli_output::shown;
use serde_json::{Map, Value, json};

use super::part::{AnswerPart, Page, length};
use crate::issue::Issue;

/// Whether the list is that of a search for lines.
pub(super) fn has_matches(data: &Map<String, Value>) -> bool {
    let items = data.get("items").and_then(Value::as_array);
    items.is_some_and(|items| items.iter().any(|item| item.get(MATCHES).is_some()))
}

/// The part of a list from the item `offset` on.
pub(super) fn of_list(
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
        return of_matches(data, &items, offset, budget);
    }
    // Most lists are printed one item a line; the others are shown as data where they are cut.
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
        }
    }
    let is_whole = told.len() == items.len();
    put_items(&mut data, first, told, is_whole);
    page.data = data;
    page
}

/// The lines of an item that a search found.
const MATCHES: &str = "matches";

/// A search for lines is counted in lines: one note can have any number of them. What was found by
/// its name alone counts as one.
fn of_matches(mut data: Map<String, Value>, items: &[Value], offset: usize, budget: usize) -> Page {
    // Of each line the note, and its number among the note's lines.
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
        let path = shown::row(item.get("path").and_then(Value::as_str).unwrap_or_default());
        let Some(found) = line.and_then(|line| item.get(MATCHES)?.get(line)) else {
            return Some((path.to_string(), path.chars().count()));
        };
        let text = found
            .get("text")
            .and_then(Value::as_str)
            .unwrap_or_default();
        // As the app prints it (`official-cli.md` §5).
        let shown = match found.get("line") {
            Some(line) => format!("{path}:{line}: {text}"),
            None => format!("{path}: {text}"),
        };
        Some((shown, found.to_string().chars().count()))
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

/// Cuts every text in a value after so many characters.
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

/// Puts the items of a part in the place of all, from this one on.
fn put_items(data: &mut Map<String, Value>, offset: usize, items: Vec<Value>, is_whole: bool) {
    data.insert("returned".to_owned(), json!(items.len()));
    data.insert("offset".to_owned(), json!(offset));
    if !is_whole {
        data.insert("truncated".to_owned(), json!(true));
    }
    data.insert("items".to_owned(), Value::Array(items));
}

/// The part of an audit's findings from `offset` on, the gravest first, as its text has them; it keeps
/// those of `found` that are told. None where they fit, with the numbers in `data`.
pub(in crate::bridge::mcp) fn of_findings(
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
    // The last line counts them all.
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
