//! Pagination of lists: items, lines of a search, findings of an audit.

use std::collections::BTreeSet;

use cli_output::{Items, LineMatch, List, SearchContextItem, shown};
use serde_json::json;

use super::fits;
use crate::issue::Issue;
use crate::paging::AnswerPart;

/// Returns the items of a list from `skip` on. The list keeps just these.
pub(super) fn list_part(
    stdout: &str,
    list: &mut dyn Items,
    goes_on: bool,
    skip: usize,
    budget: usize,
) -> AnswerPart {
    let numbers = list.numbers();
    // Most commands print one line per item; for the others, show the item's JSON.
    let lines: Vec<&str> = stdout.lines().collect();
    let lines = (lines.len() == numbers.returned).then_some(lines);
    let part = AnswerPart::new("items", numbers.returned, skip, budget, |index| {
        let item = list.json(index)?;
        let length = item.chars().count();
        let line = lines.as_ref().and_then(|lines| lines.get(index));
        Some((line.map_or(item, |line| (*line).to_owned()), length))
    });
    list.window(part.place.offset, part.place.returned);
    part.within(numbers, goes_on)
}

/// Returns the lines of a search from `skip` on. They are the unit, because one note can have any number of them. A
/// note that matched by its name alone counts as one line. The list keeps just these lines.
pub(super) fn search_part(
    found: &mut List<SearchContextItem>,
    skip: usize,
    budget: usize,
) -> AnswerPart {
    // For each line: the index of its note, and the line's index within the note.
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for (number, note) in found.items.iter().enumerate() {
        lines.extend((0..note.matches.len().max(1)).map(|line| (number, line)));
    }
    let part = AnswerPart::new("lines", lines.len(), skip, budget, |index| {
        let (number, line) = *lines.get(index)?;
        let note = found.items.get(number)?;
        let found = note.matches.get(line);
        let shown = match_line(&note.path, found);
        let length = match found {
            Some(found) => serde_json::to_string(found).ok()?.chars().count(),
            None => shown.chars().count(),
        };
        Some((shown, length))
    });
    let answer = lines.get(part.place.offset..part.place.offset + part.place.returned);
    let of_notes: Vec<&[(usize, usize)]> =
        answer.unwrap_or_default().chunk_by(|(left, _), (right, _)| left == right).collect();
    let first = of_notes.first().and_then(|lines| lines.first());
    let first = first.map_or(found.items.len(), |(number, _)| *number);
    found.window(first, of_notes.len());
    for (note, lines) in found.items.iter_mut().zip(of_notes) {
        let kept = lines.iter().filter_map(|(_, line)| note.matches.get(*line));
        note.matches = kept.cloned().collect();
    }
    part
}

/// Returns a line that a search found, in the app's own format (`official-cli.md` §5); the path alone for a note that
/// matched by its name.
pub(in super::super) fn match_line(path: &str, found: Option<&LineMatch>) -> String {
    let path = shown::row(path);
    match found {
        Some(LineMatch { line, text, .. }) => format!("{path}:{line}: {text}"),
        None => path.into_owned(),
    }
}

/// Returns the findings of an audit from `skip` on, the most severe first, as its text has them. Those that are not on
/// the page go out of `found`. `None` if everything fits, with the numbers in the data.
pub(in super::super) fn findings_part(
    stdout: &str,
    found: &mut Vec<Issue>,
    data_length: usize,
    skip: usize,
    budget: usize,
) -> Option<AnswerPart> {
    let written: Vec<usize> =
        found.iter().map(|issue| json!(issue).to_string().chars().count()).collect();
    if skip == 0 && fits(stdout, written.iter().sum::<usize>() + data_length, budget) {
        return None;
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|number| {
        let severity = found.get(*number).and_then(Issue::severity);
        ["error", "warning"].iter().position(|grave| Some(*grave) == severity).unwrap_or(2)
    });
    // The last line is the summary.
    let lines: Vec<&str> = stdout.lines().take(found.len()).collect();
    let part = AnswerPart::new("findings", order.len(), skip, budget, |index| {
        let number = *order.get(index)?;
        let line = match lines.get(index) {
            Some(line) if lines.len() == found.len() => (*line).to_owned(),
            _ => shown::row(&found.get(number)?.message.text()).into_owned(),
        };
        Some((line, *written.get(number)?))
    });
    let answer = order.into_iter().skip(part.place.offset);
    let answer: BTreeSet<usize> = answer.take(part.place.returned).collect();
    let mut number = 0;
    found.retain(|_| {
        number += 1;
        answer.contains(&(number - 1))
    });
    Some(part)
}
