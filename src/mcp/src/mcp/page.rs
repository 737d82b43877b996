//! Pagination of long answers: as much as the budget allows, and the offset of the next page (`design/agents.md`).
//!
//! Text is counted and cut in characters, so that a cut never splits a UTF-8 sequence; a list in
//! items. Nothing inside the text marks the cut, because the text is vault
//! content (`threats.toml` K02): the numbers are in the metadata.

mod list;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

pub(super) use self::list::findings_page;
use self::list::list_page;
use allowlist::paging::{AnswerPlace, Paging, truncate};
use frontend::tools::Start;
use gateway::Data;

/// One page of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    /// The text of this page.
    pub(super) text: String,
    /// The parsed result, cut to the same page.
    pub(super) data: Data,
    /// The position of this page; `None` if the answer is complete.
    pub(super) place: Option<AnswerPlace>,
    /// Whether the data was too long and only the text remains.
    pub(super) omits_data: bool,
}

impl Page {
    /// Builds the page of a complete answer.
    pub(super) fn whole(text: impl Into<String>, data: Data) -> Self {
        Self {
            text: text.into(),
            data,
            place: None,
            omits_data: false,
        }
    }
}

/// Returns the page from `start`, of about `budget` characters of text and as many of data.
pub(super) fn page(
    stdout: &str,
    mut data: Data,
    start: Start,
    budget: usize,
    paging: Paging,
) -> Page {
    let fits = fits(stdout, length(&data), budget);
    let is_whole = fits && start == Start::default();
    if let Some(numbers) = data.list() {
        let goes_on = numbers.truncated && numbers.returned > 0 && paging.continues_lists();
        if !is_whole || goes_on {
            return list_page(stdout, data, start.skip, budget);
        }
    } else if !is_whole || is_cut(&mut data) {
        return text_page(stdout, data, start, budget);
    }
    Page::whole(stdout, data)
}

/// Whether it is a part of a text that continues.
fn is_cut(data: &mut Data) -> bool {
    let place = data.answer_text().and_then(|present| *present.place);
    place.is_some_and(|place| place.truncated)
}

/// Whether an answer fits into a page.
pub(super) fn fits(stdout: &str, data_length: usize, budget: usize) -> bool {
    stdout.chars().count() <= budget && data_length <= budget.saturating_mul(2)
}

/// Returns the length of the JSON in characters.
pub(super) fn length(data: &Data) -> usize {
    serde_json::to_string(data).map_or(usize::MAX, |text| text.chars().count())
}

/// Returns the text without the note's hash, which a JSON text also contains: a part is not the whole note
/// (`threats.toml` F15).
fn without_hash<'text>(stdout: &'text str, hash: Option<&str>) -> Cow<'text, str> {
    match hash {
        Some(hash) if stdout.contains(hash) => {
            let without_field = stdout.replace(&format!("\"sha256\":\"{hash}\","), "");
            Cow::Owned(without_field.replace(hash, ""))
        }
        _ => Cow::Borrowed(stdout),
    }
}

/// Returns the page of an answer that is not a list. Data that contains the text is cut like it; other data is kept
/// whole or omitted.
fn text_page(stdout: &str, mut data: Data, start: Start, budget: usize) -> Page {
    let mut present = data.answer_text();
    let here = present.as_mut().and_then(|present| present.place.take());
    let hash = present.and_then(|present| present.sha256?.clone());
    let stdout = without_hash(stdout, hash.as_deref());
    let whole = match data.answer_text() {
        Some(present) if same_text(present.text, &stdout) => present.text.clone(),
        _ => stdout.into_owned(),
    };
    let total = whole.chars().count();
    let skipped = start.skip.min(total);
    let text: String = whole.chars().skip(skipped).take(budget).collect();
    let returned = text.chars().count();
    // The gateway's answer may itself be a part of a longer text.
    let before = here.map_or(start.passed, |here| here.offset);
    let goes_on = here.is_some_and(|here| here.truncated) && returned > 0;
    let offset = before + skipped;
    let end = offset + returned;
    let next_offset = (skipped + returned < total || goes_on).then_some(end);
    let known = here.and_then(|here| here.total_characters);
    let cut = data.answer_text().filter(|present| *present.text == whole);
    let is_cut = cut.is_some();
    if let Some(present) = cut {
        present.text.clone_from(&text);
    }
    let omits_data = !is_cut && length(&data) > budget.saturating_mul(2);
    // With the hash a conditional write would succeed for a caller that has not seen the whole note
    // (`threats.toml` F15).
    if (offset > 0 || next_offset.is_some())
        && let Some(present) = data.answer_text()
        && let Some(hash) = present.sha256
    {
        *hash = None;
    }
    Page {
        text,
        data: if omits_data {
            Map::from_iter([("omitted".to_owned(), json!(true))]).into()
        } else {
            data
        },
        place: Some(AnswerPlace {
            unit: "characters",
            offset,
            returned,
            total: known.unwrap_or(before + total).max(end),
            next_offset,
            omitted: None,
            next_call: None,
        }),
        omits_data,
    }
}

/// Compares ignoring the line feed that the app adds at the end of its output.
fn same_text(content: &str, stdout: &str) -> bool {
    content.trim_end_matches('\n') == stdout.trim_end_matches('\n')
}

/// Cuts the texts of an item that alone exceeds the budget.
fn cut_item(mut data: Map<String, Value>, budget: usize) -> Map<String, Value> {
    data.values_mut().for_each(|value| cut_texts(value, budget));
    let items = data.get_mut("items").and_then(Value::as_array_mut);
    for item in items.into_iter().flatten() {
        // A part of a note must not come with the hash of the whole note (`threats.toml` F15).
        if let Value::Object(fields) = item {
            fields.shift_remove("sha256");
        }
    }
    data
}

/// Truncates every string in a value to `most` characters.
fn cut_texts(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => {
            truncate(text, most);
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

#[cfg(test)]
pub(super) mod tests;
