//! Pagination of lists: items, files of a search, findings of an audit.

use std::collections::BTreeSet;

use cli_output::{List, ListNumbers, SearchContextItem, shown};
use serde_json::json;

use super::{Page, cut_item, fits, length};
use crate::gateway::Data;
use crate::issue::Issue;
use crate::paging::{AnswerPlace, cut_list, truncate};

/// An item of a list: its text, and the length of its JSON, in characters.
type ShownItem = (String, usize);

/// Returns the items of a list from `skip` on, with data that contains only these items.
pub(super) fn list_page(stdout: &str, mut data: Data, skip: usize, budget: usize) -> Page {
    let found = data.own::<List<SearchContextItem>>();
    let unit = if found.is_some() { "files" } else { "items" };
    // Most commands print one line per item, and a search a line per match; for the others, show the item's JSON.
    let lines_of_files: Option<Vec<usize>> =
        found.map(|found| found.items.iter().map(|file| file.matches.len().max(1)).collect());
    let Some(list) = data.items() else { return Page::whole(stdout, data) };
    let counts = lines_of_files.unwrap_or_else(|| vec![1; list.numbers().returned]);
    let mut lines = stdout.lines();
    let has_lines = lines.clone().count() == counts.iter().sum::<usize>();
    let items = counts.into_iter().enumerate().filter_map(|(index, count)| {
        let item = list.json(index)?;
        let length = item.chars().count();
        let text: Vec<&str> = lines.by_ref().take(count).collect();
        Some((if has_lines { text.join("\n") } else { item }, length))
    });
    let items: Vec<ShownItem> = items.collect();
    let (text, place) = cut_items(&mut data, unit, &items, skip, budget);
    if place.omitted.is_some() {
        if let Some(found) = data.own_mut::<List<SearchContextItem>>() {
            let lines = text.lines().count();
            found.items.iter_mut().for_each(|file| file.matches.truncate(lines));
        }
        data = cut_item(data.into_map(), budget).into();
    }
    Page { text, data, place: Some(place), omits_data: false }
}

/// Keeps the items from `skip` on that fit in the list of `data`. Returns their text, a line for each, and their place.
/// Twice the budget is reserved for JSON.
fn cut_items(
    data: &mut Data,
    unit: &'static str,
    items: &[ShownItem],
    skip: usize,
    budget: usize,
) -> (String, AnswerPlace) {
    let size = |(text, length): &ShownItem| text.chars().count().max(length / 2) + 1;
    let whole = ListNumbers::new(items.len(), skip.min(items.len()), 0);
    let Some(answer) = data.answer_mut() else {
        return (String::new(), AnswerPlace::from_numbers(unit, whole));
    };
    let before = answer.numbers().map_or(0, |numbers| numbers.offset);
    // A page contains at least one item, or the client could never advance. It is cut to the budget.
    let too_long = items.get(skip).filter(|item| size(item) > budget);
    let limit = too_long.map(|_| 1);
    let most = if limit.is_some() { usize::MAX } else { budget };
    let page = cut_list(answer, skip, limit, most, |page| {
        let numbers = page.numbers().unwrap_or(whole);
        let shown = items.iter().skip(numbers.offset - before).take(numbers.returned);
        let text = shown.clone().map(|(text, _)| format!("{text}\n")).collect();
        (text, shown.map(size).sum())
    });
    let mut text = page.map(|page| page.text).unwrap_or_default();
    let mut place = AnswerPlace::from_numbers(unit, answer.numbers().unwrap_or(whole));
    if let Some((whole, _)) = too_long {
        text.pop();
        // If the item has several lines, the cut is at the end of a line.
        if truncate(&mut text, budget) > 0
            && let Some(end) = text.rfind('\n')
        {
            text.truncate(end);
        }
        place.omitted = Some(whole.chars().count() - text.chars().count());
        text.push('\n');
    }
    (text, place)
}

/// Returns the findings of an audit from `skip` on, the most severe first, as its text has them. Those that are not on
/// the page are removed from `found`.
pub(in super::super) fn findings_page(
    stdout: &str,
    mut data: Data,
    found: &mut Vec<Issue>,
    skip: usize,
    budget: usize,
) -> Page {
    let Some(numbers) = data.list() else { return Page::whole(stdout, data) };
    let written: Vec<usize> =
        found.iter().map(|issue| json!(issue).to_string().chars().count()).collect();
    if skip == 0 && fits(stdout, written.iter().sum::<usize>() + length(&data), budget) {
        let goes_on = numbers.truncated && numbers.returned > 0;
        let mut page = Page::whole(stdout, data);
        page.place = goes_on.then(|| AnswerPlace::from_numbers("findings", numbers));
        return page;
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|number| {
        let severity = found.get(*number).and_then(Issue::severity);
        ["error", "warning"].iter().position(|grave| Some(*grave) == severity).unwrap_or(2)
    });
    // The last line is the summary.
    let lines: Vec<&str> = stdout.lines().take(found.len()).collect();
    let items = order.iter().enumerate().filter_map(|(index, number)| {
        let line = match lines.get(index) {
            Some(line) if lines.len() == found.len() => (*line).to_owned(),
            _ => shown::row(&found.get(*number)?.message.text()).into_owned(),
        };
        Some((line, *written.get(*number)?))
    });
    let items: Vec<ShownItem> = items.collect();
    let (text, place) = cut_items(&mut data, "findings", &items, skip, budget);
    let shown = order.into_iter().skip(place.offset - numbers.offset).take(place.returned);
    let shown: BTreeSet<usize> = shown.collect();
    let mut number = 0;
    found.retain(|_| {
        number += 1;
        shown.contains(&(number - 1))
    });
    Page { text, data, place: Some(place), omits_data: false }
}
