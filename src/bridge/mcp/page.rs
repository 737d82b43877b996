//! Pagination of long answers: as much as the budget holds, and the offset of the next page
//! (`design.md` §9).
//!
//! Text is counted and cut in characters, so that a cut never splits a UTF-8 sequence; a list in
//! items; a line search in lines. Nothing inside the text marks the cut, because the text is vault
//! content (`faults.md` K02): the numbers are in the metadata.

mod list;
mod part;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use self::list::list_page;
pub(super) use self::list::{MATCHES, findings_page, has_matches, match_line};
use self::part::length;
pub(super) use self::part::{AnswerPlace, Page};
use crate::frontend::tools::Start;

/// The page from `start`, of about `budget` characters of text and as many of data.
pub(super) fn page(
    stdout: &str,
    mut data: Map<String, Value>,
    start: Start,
    budget: usize,
) -> Page {
    let Start { passed, skip } = start;
    if has_matches(&data) {
        // The command counts files, but pages of a search count lines.
        data.remove("nextOffset");
    }
    let fits = stdout.chars().count() <= budget && length(&data) <= budget.saturating_mul(2);
    let goes_on = data.get("nextOffset").is_some_and(Value::is_u64);
    if start == Start::default() && fits && !goes_on {
        return Page {
            text: stdout.to_owned(),
            data,
            place: None,
            omits_data: false,
        };
    }
    let without_hash = without_hash(stdout, &data);
    let stdout = without_hash.as_ref();
    // The gateway's answer may itself be a page of a longer whole; it knows the total then.
    let whole = ["total", "totalCharacters"].into_iter();
    let known: Vec<Option<usize>> = whole
        .map(|key| {
            data.get(key)?
                .as_u64()
                .and_then(|total| usize::try_from(total).ok())
        })
        .collect();
    let is_list = data.get("items").is_some_and(Value::is_array);
    let is_search = is_list && has_matches(&data);
    let total = known.get(usize::from(!is_list)).copied().flatten();
    let mut page = if is_list {
        list_page(stdout, data, skip, budget)
    } else {
        text_page(stdout, data, skip, budget)
    };
    if let Some(place) = &mut page.place
        && (passed > 0 || goes_on)
        && !is_search
    {
        place.offset += passed;
        place.next_offset = place.next_offset.map(|next| next + passed);
        place.total += passed;
        let end = place.offset + place.returned;
        if goes_on && place.next_offset.is_none() && place.returned > 0 {
            place.next_offset = Some(end);
        }
        place.total = total.unwrap_or(place.total).max(end);
    }
    mark(&mut page, is_list && !is_search);
    page
}

/// The text without the note's hash, which a JSON text also contains: a part is not the whole note
/// (`faults.md` F15).
fn without_hash<'text>(stdout: &'text str, data: &Map<String, Value>) -> Cow<'text, str> {
    match data.get("sha256").and_then(Value::as_str) {
        Some(hash) if stdout.contains(hash) => {
            let without_field = stdout.replace(&format!("\"sha256\":\"{hash}\","), "");
            Cow::Owned(without_field.replace(hash, ""))
        }
        _ => Cow::Borrowed(stdout),
    }
}

/// Copies the position into the data, and removes the note's hash from a partial page: with it, a
/// conditional write would succeed for a caller that has not seen the whole note (`faults.md` F15).
fn mark(page: &mut Page, counts_items: bool) {
    let Some(place) = &page.place else { return };
    if place.offset > 0 || place.next_offset.is_some() || page.omits_data {
        page.data.remove("sha256");
    }
    for key in ["nextOffset", "totalCharacters"] {
        page.data.remove(key);
    }
    if counts_items {
        page.data.insert("offset".to_owned(), json!(place.offset));
    }
    if place.unit == "characters" {
        for key in ["offset", "truncated"] {
            page.data.remove(key);
        }
    }
}

fn text_page(stdout: &str, mut data: Map<String, Value>, offset: usize, budget: usize) -> Page {
    // Data that consists of one long text is cut like the text; other data is kept whole or
    // omitted.
    let field = ["content", "text", "body"]
        .into_iter()
        .find_map(|key| data.get(key));
    let whole = match field {
        Some(Value::String(content)) if same_text(content, stdout) => content.clone(),
        _ => stdout.to_owned(),
    };
    let total = whole.chars().count();
    let start = offset.min(total);
    let text: String = whole.chars().skip(start).take(budget).collect();
    let returned = text.chars().count();
    let next = (start + returned < total).then_some(start + returned);
    let cut = ["content", "text", "body"]
        .into_iter()
        .find(|key| data.get(*key).and_then(Value::as_str) == Some(whole.as_str()));
    let omits_data = cut.is_none() && length(&data) > budget.saturating_mul(2);
    if let Some(key) = cut {
        data.insert(key.to_owned(), json!(text));
    } else if omits_data {
        data.clear();
        data.insert("omitted".to_owned(), json!(true));
    }
    Page {
        text,
        data,
        place: Some(AnswerPlace {
            unit: "characters",
            offset: start,
            returned,
            total,
            next_offset: next,
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::issue::Issue;

    fn page(stdout: &str, data: Map<String, Value>, skip: usize, budget: usize) -> Page {
        super::page(stdout, data, Start { passed: 0, skip }, budget)
    }

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
        // Grouped text is not split by items.
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
        let first = page(&format!("{long}\nb\n"), list(&[&long, "b"]), 0, 10);
        assert_eq!(first.text, format!("{}\n", "x".repeat(10)));
        assert_eq!(first.data["items"], json!([{ "path": "x".repeat(10) }]));
        let place = first.place.unwrap();
        assert_eq!((place.next_offset, place.omitted), (Some(1), Some(490)));
        let second = page(&format!("{long}\nb\n"), list(&[&long, "b"]), 1, 10);
        assert_eq!(second.place.unwrap().omitted, None);
    }

    fn found(notes: &[(&str, &[&str])]) -> (String, Map<String, Value>) {
        let mut stdout = String::new();
        let mut items = Vec::new();
        for (path, lines) in notes {
            let mut matches = Vec::new();
            for (number, text) in lines.iter().enumerate() {
                stdout += &format!("{path}:{}: {text}\n", number + 1);
                matches.push(json!({ "line": number + 1, "text": text }));
            }
            if lines.is_empty() {
                stdout += &format!("{path}\n");
            }
            items.push(json!({ "path": path, "matches": matches }));
        }
        let data = json!({
            "total": items.len(), "returned": items.len(), "offset": 0, "truncated": false, "items": items,
        });
        (stdout, data.as_object().unwrap().clone())
    }

    #[test]
    fn the_lines_that_a_search_found_in_one_note_are_cut_between_lines() {
        let many = ["alpha"; 100];
        let (stdout, data) = found(&[("a.md", &[]), ("log.md", &many), ("z.md", &["alpha"])]);
        let mut offset = 0;
        let (mut read, mut lines, mut pages) = (String::new(), 0, 0);
        loop {
            let part = page(&stdout, data.clone(), offset, 200);
            let place = part.place.unwrap();
            assert!(part.text.chars().count() <= 200, "{}", part.text);
            assert!(length(&part.data) <= 500, "{:?}", part.data);
            assert_eq!((place.unit, place.total), ("lines", 102));
            assert_eq!(part.data["total"], 3);
            for item in part.data["items"].as_array().unwrap() {
                lines += item["matches"].as_array().unwrap().len();
            }
            read += &part.text;
            pages += 1;
            let Some(next) = place.next_offset else { break };
            offset = next;
        }
        assert_eq!((read, lines), (stdout, 101));
        assert!(pages > 5, "{pages}");
        // A line of any length is cut to the budget.
        let (stdout, data) = found(&[("a.md", &[&"é".repeat(1000), "x"])]);
        let part = page(&stdout, data, 0, 100);
        assert_eq!(part.text, format!("a.md:1: {}\n", "é".repeat(92)));
        let place = part.place.unwrap();
        assert_eq!((place.omitted, place.next_offset), (Some(908), Some(1)));
        assert_eq!(part.data["items"][0]["matches"][0]["text"], "é".repeat(100));
    }

    #[test]
    fn findings_are_told_part_by_part_as_their_text_has_them() {
        let finding = |code, path: &str, severity: &str| {
            Issue::new(code, format!("{code} in {path}"))
                .at(path)
                .with("severity", severity)
        };
        let found = vec![
            finding("AMBIGUOUS_LINK", "a.md", "warning"),
            finding("UNRESOLVED_LINK", "b.md", "error"),
            finding("UNRESOLVED_LINK", "c.md", "error"),
            finding("ORPHAN", "a.md", "advice"),
        ];
        let stdout = "error\tb\nerror\tc\nwarning\ta\nadvice\ta\n3 notes looked at\n";
        let data = Map::from_iter([("notes".to_owned(), json!(3))]);
        let mut whole = found.clone();
        assert_eq!(findings_page(stdout, &mut whole, &data, 0, 1000), None);
        assert_eq!(whole, found);
        let part = |offset, budget| {
            let mut told = found.clone();
            let page = findings_page(stdout, &mut told, &data, offset, budget).unwrap();
            let paths: Vec<String> = told.into_iter().filter_map(|issue| issue.path).collect();
            let place = page.place.unwrap();
            assert_eq!((&page.data, place.total), (&data, 4));
            (page.text, paths, place.next_offset)
        };
        let paths = |paths: &[&str]| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
        let first = part(0, 110);
        assert_eq!(
            first,
            (
                "error\tb\nerror\tc\n".to_owned(),
                paths(&["b.md", "c.md"]),
                Some(2)
            )
        );
        assert_eq!(part(2, 110).1, paths(&["a.md", "a.md"]));
        assert_eq!(
            part(3, 110),
            ("advice\ta\n".to_owned(), paths(&["a.md"]), None)
        );
        assert_eq!(part(9, 110), (String::new(), Vec::new(), None));
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
                prop_assert!(!part.omits_data);
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
        fn the_parts_of_a_list_are_the_list(paths in proptest::collection::vec("[a-z]{1,12}", 0..40), budget in 24_usize..80) {
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
