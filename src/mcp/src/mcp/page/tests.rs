use cli_output::PageUnit;
use proptest::prelude::*;
use vault_answers::{FileItem, LineMatch, List, NoteText, SearchContextItem, TagFiles};
use vault_engine::{AuditReport, Finding, Severity};

use super::*;
use protocol::Issue;

const PAGING: Paging = Paging::Request(PageUnit::Items);

fn page(stdout: &str, data: Data, skip: usize, budget: usize) -> Page {
    let start = Start { passed: 0, skip };
    super::page(stdout, data, start, budget, PAGING)
}

/// Returns the text of all pages.
fn read_all(mut at: impl FnMut(usize) -> Page) -> String {
    let (mut offset, mut read) = (0, String::new());
    loop {
        let page = at(offset);
        read += &page.text;
        match page.place.and_then(|place| place.next_offset) {
            Some(next) => offset = next,
            None => return read,
        }
    }
}

fn list_of(paths: &[&str]) -> List<FileItem> {
    let items = paths.iter().map(|path| FileItem {
        path: (*path).to_owned(),
    });
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
    assert_eq!(
        first.data.as_map()["items"],
        json!([{ "path": "a.md" }, { "path": "b.md" }])
    );
    assert_eq!(first.data.as_map()["total"], 3);
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
    assert_eq!(
        first.data.as_map()["items"],
        json!([{ "path": "x".repeat(10) }])
    );
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
        items.push(SearchContextItem {
            path: (*path).to_owned(),
            matches,
        });
    }
    (stdout, Data::from_answer(List::new(items)))
}

#[test]
fn a_search_is_cut_between_files_and_the_lines_of_a_long_file_are_cut() {
    let (stdout, data) = found(&[("a.md", &[]), ("b.md", &["x", "y"]), ("z.md", &["alpha"])]);
    let mut count = 0;
    let read = read_all(|offset| {
        let part = page(&stdout, data.clone(), offset, 40);
        let place = part.place.as_ref().unwrap();
        assert_eq!((place.unit, place.total), ("files", 3));
        assert_eq!(place.omitted, None);
        let numbers = part.data.as_map();
        assert_eq!(numbers["truncated"], json!(place.next_offset.is_some()));
        assert_eq!(
            numbers.get("nextOffset").cloned(),
            place.next_offset.map(|next| json!(next))
        );
        count += 1;
        part
    });
    assert_eq!((read, count > 1), (stdout, true));
    // The lines of one file that exceed the budget are cut, and the next page begins with the next file.
    let many = ["alpha"; 100];
    let (stdout, data) = found(&[("log.md", &many), ("z.md", &["alpha"])]);
    let part = page(&stdout, data, 0, 200);
    let lines = part.text.lines().count();
    assert!(lines > 5 && stdout.starts_with(&part.text), "{}", part.text);
    assert!(part.text.chars().count() <= 201, "{}", part.text);
    assert_eq!(
        part.data.as_map()["items"][0]["matches"]
            .as_array()
            .unwrap()
            .len(),
        lines
    );
    let place = part.place.unwrap();
    let of_file = stdout.rfind("z.md").unwrap();
    assert_eq!(
        (place.omitted, place.next_offset),
        (Some(of_file - part.text.len()), Some(1))
    );
    // A line of any length is cut to the budget.
    let (stdout, data) = found(&[("a.md", &[&"é".repeat(1000), "x"])]);
    let part = page(&stdout, data, 0, 100);
    assert_eq!(part.text, format!("a.md:1: {}\n", "é".repeat(92)));
    let place = part.place.unwrap();
    assert_eq!(
        (place.omitted, place.next_offset),
        (Some(908 + "\na.md:2: x".len()), None)
    );
    assert_eq!(
        part.data.as_map()["items"][0]["matches"][0]["text"],
        "é".repeat(100)
    );
}

/// Returns the data of an audit with this number of findings.
pub(crate) fn audit_of(count: usize) -> Data {
    let finding = Finding {
        severity: Severity::Error,
        code: "UNRESOLVED_LINK",
        path: String::new(),
        line: None,
        message: String::new(),
        candidates: Vec::new(),
    };
    let findings = List::new(vec![finding; count]);
    Data::from_answer(AuditReport {
        findings,
        ..AuditReport::default()
    })
}

#[test]
fn findings_are_paged_like_their_text() {
    let finding = |code, path: &str, severity: &str| {
        Issue::new(code, format!("{code} in {path}"))
            .with_path(path)
            .with("severity", severity)
    };
    let found = vec![
        finding("AMBIGUOUS_LINK", "a.md", "warning"),
        finding("UNRESOLVED_LINK", "b.md", "error"),
        finding("UNRESOLVED_LINK", "c.md", "error"),
        finding("ORPHAN", "a.md", "advice"),
    ];
    let stdout = "error\tb\nerror\tc\nwarning\ta\nadvice\ta\n3 notes looked at\n";
    let data = audit_of(4);
    let mut whole = found.clone();
    assert!(
        findings_page(stdout, data.clone(), &mut whole, 0, 1000)
            .place
            .is_none()
    );
    assert_eq!(whole, found);
    let part = |skip, budget| {
        let mut shown = found.clone();
        let part = findings_page(stdout, data.clone(), &mut shown, skip, budget);
        let paths: Vec<String> = shown.into_iter().filter_map(|issue| issue.path).collect();
        let place = part.place.unwrap();
        assert_eq!(place.total, 4);
        (part.text, paths, place.next_offset)
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
fn a_list_that_is_a_part_of_a_longer_one_goes_on() {
    let at = |paging, budget| {
        let part = List::part(list_of(&["c.md", "d.md"]).items, 2, 9);
        let (data, start) = (Data::from_answer(part), Start { passed: 2, skip: 0 });
        let place = super::page("c.md\nd.md\n", data, start, budget, paging)
            .place
            .unwrap();
        (place.offset, place.returned, place.total, place.next_offset)
    };
    assert_eq!(at(PAGING, 100), (2, 2, 9, Some(4)));
    assert_eq!(at(PAGING, 9), (2, 1, 9, Some(3)));
    assert_eq!(at(Paging::Whole, 9), (2, 1, 9, Some(3)));
    // A list within the data is cut there.
    let tag = TagFiles {
        tag: "#a".to_owned(),
        count: None,
        files: list_of(&["a.md", "b.md", "c.md"]),
    };
    let page = page("#a\n", Data::from_answer(tag), 1, 24);
    assert_eq!(
        page.data.as_map()["files"]["items"],
        json!([{ "path": "b.md" }])
    );
    assert_eq!(page.place.unwrap().next_offset, Some(2));
}

#[test]
fn data_that_is_no_text_is_left_out_rather_than_cut() {
    let data = Map::from_iter([("properties".to_owned(), json!({ "a": "y".repeat(100) }))]);
    let page = page(&"z".repeat(100), data.into(), 0, 10);
    assert_eq!(page.text, "z".repeat(10));
    assert_eq!(
        page.data,
        Map::from_iter([("omitted".to_owned(), json!(true))]).into()
    );
}

proptest! {
    #[test]
    fn the_parts_of_a_text_are_the_text(text in "(?s).{0,400}", budget in 1_usize..60) {
        let read = read_all(|offset| {
            let part = page(&text, content(&text), offset, budget);
            assert!(part.text.chars().count() <= budget || part.place.is_none());
            assert!(!part.omits_data);
            assert_eq!(part.data.as_map()["content"], part.text);
            part
        });
        prop_assert_eq!(read, text);
    }

    #[test]
    fn the_parts_of_a_list_are_the_list(paths in proptest::collection::vec("[a-z]{1,12}", 0..40), budget in 24_usize..80) {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let stdout: String = paths.iter().map(|path| format!("{path}\n")).collect();
        let read = read_all(|offset| {
            let part = page(&stdout, list(&paths), offset, budget);
            let items = part.data.as_map()["items"].as_array().unwrap().len();
            assert_eq!(items, part.text.lines().count());
            part
        });
        prop_assert_eq!(read, stdout);
    }
}
