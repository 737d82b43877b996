//! Pagination of lists: items, files of a search, findings of an audit.
//!
//! If the lines of one file of a search exceed the budget alone, its first lines are returned, `page.omitted` counts
//! the omitted characters, and the next page begins with the next file.

use std::collections::BTreeSet;

use serde_json::json;
use vault_answers::{List, ListNumbers, SearchContextItem};
use vault_engine::shown;

use super::{Page, cut_item, fits, length};
use allowlist::paging::{AnswerPlace, truncate};
use gateway::Data;
use protocol::Issue;

/// An item of a list: its text, and the length of its JSON, in characters.
type ShownItem = (String, usize);

/// Returns the items of a list from `skip` on, with data that contains only these items.
pub(super) fn list_page(stdout: &str, mut data: Data, skip: usize, budget: usize) -> Page {
    let found = data.own::<List<SearchContextItem>>();
    let unit = if found.is_some() { "files" } else { "items" };
    // Most commands print one line per item, and a search a line per match; for the others, show the item's JSON.
    let lines_of_files: Option<Vec<usize>> = found.map(|found| {
        found
            .items
            .iter()
            .map(|file| file.matches.len().max(1))
            .collect()
    });
    let Some(list) = data.items() else {
        return Page::whole(stdout, data);
    };
    let counts = lines_of_files.unwrap_or_else(|| vec![1; list.numbers().returned]);
    let has_lines = stdout.lines().count() == counts.iter().sum::<usize>();
    let skipped: usize = counts.iter().take(skip).sum();
    let mut lines = stdout.lines().skip(skipped);
    let items = counts
        .into_iter()
        .enumerate()
        .skip(skip)
        .map_while(|(index, count)| {
            let item = list.json(index)?;
            let length = item.chars().count();
            let text: Vec<&str> = lines.by_ref().take(count).collect();
            Some((if has_lines { text.join("\n") } else { item }, length))
        });
    let shown = ShownItems::within(budget, items);
    let place = shown.keep_in(&mut data, unit, skip);
    if place.omitted.is_some() {
        if let Some(found) = data.own_mut::<List<SearchContextItem>>() {
            let lines = shown.text.lines().count();
            found
                .items
                .iter_mut()
                .for_each(|file| file.matches.truncate(lines));
        }
        data = cut_item(data.into_map(), budget).into();
    }
    Page {
        place: Some(place),
        ..Page::whole(shown.text, data)
    }
}

/// The items that fit on a page.
#[derive(Default)]
struct ShownItems {
    /// A line for each.
    text: String,
    count: usize,
    /// Number of characters cut from the only item, if it exceeds the budget alone.
    omitted: Option<usize>,
}

impl ShownItems {
    /// Takes as many of the items as fit, and does not look at the others. Twice the budget is reserved for JSON.
    fn within(budget: usize, items: impl Iterator<Item = ShownItem>) -> Self {
        let mut shown = Self::default();
        let mut used = 0;
        for (mut line, length) in items {
            let characters = line.chars().count();
            used += characters.max(length / 2) + 1;
            if used > budget {
                // A page contains at least one item, or the client could never advance. It is cut to the budget.
                if shown.count > 0 {
                    break;
                }
                // If the item has several lines, the cut is at the end of a line.
                if truncate(&mut line, budget) > 0
                    && let Some(end) = line.rfind('\n')
                {
                    line.truncate(end);
                }
                shown.omitted = Some(characters - line.chars().count());
            }
            shown.text += &line;
            shown.text.push('\n');
            shown.count += 1;
        }
        shown
    }

    /// Keeps only these items, which begin at the present item `skip`, in the list of `data`. Returns their place.
    fn keep_in(&self, data: &mut Data, unit: &'static str, skip: usize) -> AnswerPlace {
        let numbers = data.items().map(|list| {
            list.window(skip, self.count);
            list.numbers()
        });
        let numbers = numbers.unwrap_or_else(|| ListNumbers::new(0, 0, 0));
        AnswerPlace {
            omitted: self.omitted,
            ..AnswerPlace::from_numbers(unit, numbers)
        }
    }
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
    let Some(numbers) = data.list() else {
        return Page::whole(stdout, data);
    };
    let written: Vec<usize> = found
        .iter()
        .map(|issue| json!(issue).to_string().chars().count())
        .collect();
    if skip == 0
        && fits(
            stdout,
            written.iter().sum::<usize>() + length(&data),
            budget,
        )
    {
        let goes_on = numbers.truncated && numbers.returned > 0;
        let mut page = Page::whole(stdout, data);
        page.place = goes_on.then(|| AnswerPlace::from_numbers("findings", numbers));
        return page;
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|number| {
        let severity = found.get(*number).and_then(Issue::severity);
        ["error", "warning"]
            .iter()
            .position(|grave| Some(*grave) == severity)
            .unwrap_or(2)
    });
    // The last line is the summary.
    let lines: Vec<&str> = stdout.lines().take(found.len()).collect();
    let items = order
        .iter()
        .enumerate()
        .skip(skip)
        .map_while(|(index, number)| {
            let line = match lines.get(index) {
                Some(line) if lines.len() == found.len() => (*line).to_owned(),
                _ => shown::row(&found.get(*number)?.message.text()).into_owned(),
            };
            Some((line, *written.get(*number)?))
        });
    let shown = ShownItems::within(budget, items);
    let place = shown.keep_in(&mut data, "findings", skip);
    let kept: BTreeSet<usize> = order.into_iter().skip(skip).take(shown.count).collect();
    let mut number = 0;
    found.retain(|_| {
        number += 1;
        kept.contains(&(number - 1))
    });
    Page {
        place: Some(place),
        ..Page::whole(shown.text, data)
    }
}
