use cli_output::{FileItem, LineMatch, List, NoteText, SearchContextItem, TagFiles};
use proptest::prelude::*;

use super::*;
use crate::issue::Issue;

fn page(stdout: &str, data: Data, skip: usize, budget: usize) -> Page {
    let start = Start { passed: 0, skip };
    super::page(stdout, data, start, budget)
}

fn list_of(paths: &[&str]) -> List<FileItem> {
    let items = paths.iter().map(|path| FileItem { path: (*path).to_owned() });
    items.collect()
}

fn list(paths: &[&str]) -> Data {
    Data::from_answer(list_of(paths))
}

fn content(text: &str) -> Data {
    Data::from_answer(NoteText::new(Some("a.md".to_owned()), text.to_owned()))
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
    assert_eq!(first.data.as_map()["items"], json!([{ "path": "a.md" }, { "path": "b.md" }]));
    assert_eq!(first.data.as_map()["total"], 3);
    let place = first.place.unwrap();
    assert_eq!((place.unit, place.next_offset), ("items", Some(2)));
    let last = page("a.md\nb.md\nc.md\n", data.clone(), 2, 20);
    assert_eq!((last.text.as_str(), last.place.unwrap().next_offset), ("c.md\n", None));
    // Grouped text is not split by items.
    let grouped = page("group\n  a.md\n  b.md\n  c.md\n", data.clone(), 0, 20);
    assert_eq!(grouped.text, "{\"path\":\"a.md\"}\n");
    let beyond = page("a.md\nb.md\nc.md\n", data, 9, 20);
    assert_eq!((beyond.text.as_str(), beyond.place.unwrap().returned), ("", 0));
}

#[test]
fn one_item_larger_than_the_budget_is_still_given() {
    let long = "x".repeat(500);
    let first = page(&format!("{long}\nb\n"), list(&[&long, "b"]), 0, 10);
    assert_eq!(first.text, format!("{}\n", "x".repeat(10)));
    assert_eq!(first.data.as_map()["items"], json!([{ "path": "x".repeat(10) }]));
    let place = first.place.unwrap();
    assert_eq!((place.next_offset, place.omitted), (Some(1), Some(490)));
    let second = page(&format!("{long}\nb\n"), list(&[&long, "b"]), 1, 10);
    assert_eq!(second.place.unwrap().omitted, None);
}

fn found(notes: &[(&str, &[&str])]) -> (String, Data) {
    let mut stdout = String::new();
    let mut items = Vec::new();
    for (path, lines) in notes {
        let mut matches = Vec::new();
        for (number, text) in lines.iter().enumerate() {
            stdout += &format!("{path}:{}: {text}\n", number + 1);
            matches.push(LineMatch::new(number + 1, (*text).to_owned()));
        }
        if lines.is_empty() {
            stdout += &format!("{path}\n");
        }
        items.push(SearchContextItem { path: (*path).to_owned(), matches });
    }
    (stdout, Data::from_answer(List::new(items)))
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
        assert!(json!(part.data).to_string().chars().count() <= 500, "{:?}", part.data);
        assert_eq!((place.unit, place.total), ("lines", 102));
        assert_eq!(part.data.as_map()["total"], 3);
        for item in part.data.as_map()["items"].as_array().unwrap() {
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
    assert_eq!(part.data.as_map()["items"][0]["matches"][0]["text"], "é".repeat(100));
}

#[test]
fn findings_are_paged_like_their_text() {
    let finding = |code, path: &str, severity: &str| {
        Issue::new(code, format!("{code} in {path}")).with_path(path).with("severity", severity)
    };
    let found = vec![
        finding("AMBIGUOUS_LINK", "a.md", "warning"),
        finding("UNRESOLVED_LINK", "b.md", "error"),
        finding("UNRESOLVED_LINK", "c.md", "error"),
        finding("ORPHAN", "a.md", "advice"),
    ];
    let stdout = "error\tb\nerror\tc\nwarning\ta\nadvice\ta\n3 notes looked at\n";
    let mut whole = found.clone();
    assert!(findings_part(stdout, &mut whole, 11, 0, 1000).is_none());
    assert_eq!(whole, found);
    let part = |skip, budget| {
        let mut shown = found.clone();
        let part = findings_part(stdout, &mut shown, 11, skip, budget).unwrap();
        let paths: Vec<String> = shown.into_iter().filter_map(|issue| issue.path).collect();
        assert_eq!(part.place.total, 4);
        (part.text, paths, part.place.next_offset)
    };
    let paths = |paths: &[&str]| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
    let first = part(0, 110);
    assert_eq!(first, ("error\tb\nerror\tc\n".to_owned(), paths(&["b.md", "c.md"]), Some(2)));
    assert_eq!(part(2, 110).1, paths(&["a.md", "a.md"]));
    assert_eq!(part(3, 110), ("advice\ta\n".to_owned(), paths(&["a.md"]), None));
    assert_eq!(part(9, 110), (String::new(), Vec::new(), None));
}

#[test]
fn a_list_that_is_a_part_of_a_longer_one_goes_on() {
    let at = |goes_on: bool, budget| {
        let mut part = List::part(list_of(&["c.md", "d.md"]).items, 2, 9);
        if goes_on {
            part.go_on();
        }
        let (data, start) = (Data::from_answer(part), Start { passed: 2, skip: 0 });
        let place = super::page("c.md\nd.md\n", data, start, budget).place.unwrap();
        (place.offset, place.returned, place.total, place.next_offset)
    };
    assert_eq!(at(true, 100), (2, 2, 9, Some(4)));
    assert_eq!(at(true, 9), (2, 1, 9, Some(3)));
    assert_eq!(at(false, 100), (2, 2, 9, None));
    // A list within the data is cut there.
    let tag =
        TagFiles { tag: "#a".to_owned(), count: None, files: list_of(&["a.md", "b.md", "c.md"]) };
    let page = page("#a\n", Data::from_answer(tag), 1, 24);
    assert_eq!(page.data.as_map()["files"]["items"], json!([{ "path": "b.md" }]));
    assert_eq!(page.place.unwrap().next_offset, Some(2));
}

#[test]
fn data_that_is_no_text_is_left_out_rather_than_cut() {
    let data = Map::from_iter([("properties".to_owned(), json!({ "a": "y".repeat(100) }))]);
    let page = page(&"z".repeat(100), data.into(), 0, 10);
    assert_eq!(page.text, "z".repeat(10));
    assert_eq!(page.data, Map::from_iter([("omitted".to_owned(), json!(true))]).into());
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
            prop_assert_eq!(part.data.as_map()["content"].as_str().unwrap(), part.text.as_str());
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
            prop_assert_eq!(part.data.as_map()["items"].as_array().unwrap().len(), part.text.lines().count());
            read += &part.text;
            match part.place.and_then(|place| place.next_offset) {
                Some(next) => offset = next,
                None => break,
            }
        }
        prop_assert_eq!(read, stdout);
    }
}
