use serde_json::{Value, json};
use vault_files::vault::testing::vault;

use crate::own::testing::{ask, fails, text};

const CASES: &str = include_str!("cases.txt");

fn of(command: &str, body: &str) -> Value {
    let (_folder, vault) = vault(&[("inbox/my-note.md", body)]);
    ask(&vault, &format!("{command} path=inbox/my-note.md"))
}

#[test]
fn the_example_of_the_contract() {
    let note = "---\nsource: test\ndate: 2025-03-01\nproject: foo\ntags: [a, b]\n---\n\n# Inbox one\n\nBody of inbox one.\n";
    let (_folder, vault) = vault(&[("inbox/one.md", note)]);
    assert_eq!(
        ask(&vault, "note:outline path=inbox/one.md"),
        json!({
            "path": "inbox/one.md", "title": "one",
            "headings": {"total": 1, "returned": 1, "offset": 0, "truncated": false, "items": [
                {"level": 1, "text": "Inbox one", "id": "h1-inbox-one-0001", "line": 8},
            ]},
        })
    );
    assert_eq!(
        ask(&vault, "note:section path=inbox/one.md"),
        json!({
            "path": "inbox/one.md", "title": "one",
            "sections": {"total": 1, "returned": 1, "offset": 0, "truncated": false, "items": [{
                "sectionId": "inbox-one-md:h1-inbox-one-0001", "headingId": "h1-inbox-one-0001",
                "level": 1, "headingPath": ["Inbox one"], "headingText": "Inbox one", "line": 8,
                "childSectionIds": [], "bodyAvailable": true,
            }]},
        })
    );
}

/// Draws a tree as `A{B C} D`.
fn drawn(nodes: &Value) -> String {
    let nodes = nodes.as_array().unwrap().iter();
    let drawn = nodes.map(|node| {
        let below = drawn(&node["children"]);
        let name = node["text"].as_str().unwrap();
        if below.is_empty() {
            name.to_owned()
        } else {
            format!("{name}{{{below}}}")
        }
    });
    drawn.collect::<Vec<_>>().join(" ")
}

#[test]
fn headings_hang_off_the_nearest_lower_level() {
    for [body, expected] in tables::section(CASES, "headings hang off the nearest lower") {
        let tree = of("note:tree", body);
        assert_eq!(drawn(&tree["root"]["children"]), expected, "{body:?}");
        assert_eq!(tree["headings"], body.matches("# ").count(), "{body:?}");
    }
}

#[test]
fn five_hundred_headings_are_listed() {
    let body = "## Again\n".repeat(501);
    let outline = of("note:outline", &body);
    assert_eq!(outline["headings"]["items"].as_array().unwrap().len(), 500);
    assert_eq!(
        (
            &outline["headings"]["total"],
            &outline["headings"]["truncated"]
        ),
        (&json!(501), &json!(true))
    );
    assert_eq!(outline["headings"]["items"][499]["id"], "h2-again-0500");
    let tree = of("note:tree", &body);
    assert_eq!(tree["root"]["children"].as_array().unwrap().len(), 500);
    assert_eq!(
        (&tree["headings"], &tree["truncated"]),
        (&json!(501), &json!(true))
    );
    let sections = of("note:section", &body);
    assert_eq!(
        (
            &sections["sections"]["returned"],
            &sections["sections"]["truncated"]
        ),
        (&json!(500), &json!(true))
    );
    let all = of("note:outline", &"## Again\n".repeat(500));
    assert_eq!(all["headings"]["truncated"], false);
    for (command, list) in [
        ("note:outline offset=500", "headings"),
        ("note:section offset=500", "sections"),
    ] {
        let rest = &of(command, &body)[list];
        assert_eq!(
            (&rest["offset"], &rest["returned"], &rest["truncated"]),
            (&json!(500), &json!(1), &json!(false))
        );
        assert_eq!(rest["items"][0]["line"], 501);
    }
    assert_eq!(
        of("note:get section=h2-again-0501", &body)["body"],
        "## Again\n"
    );
}

#[test]
fn a_body_of_more_than_a_million_code_units_is_refused() {
    let (_folder, vault) = vault(&[
        (
            "fits.md",
            &format!("---\nx: 1\n---\n{}   \n", "é".repeat(1_000_000)),
        ),
        ("long.md", &"é".repeat(1_000_001)),
        ("pairs.md", &"😀".repeat(500_001)),
    ]);
    ask(&vault, "note:outline path=fits.md");
    for command in ["note:outline", "note:tree", "note:section"] {
        for path in ["long.md", "pairs.md"] {
            let error = fails(&vault, &format!("{command} path={path}"));
            assert!(error.to_string().contains("1000000"), "{error}");
        }
    }
}

#[test]
fn sections_know_their_place_and_whether_they_hold_text() {
    let found = of(
        "note:section",
        "intro\n\n# A\n\n## B\n\ntext\n\n### C\n\n## B\n\n# \n",
    );
    let items = found["sections"]["items"].as_array().unwrap();
    let shown: Vec<Value> = items
        .iter()
        .map(|item| {
            json!([
                item["headingPath"],
                item["childSectionIds"],
                item["bodyAvailable"],
                item["line"]
            ])
        })
        .collect();
    let id = |rest: &str| format!("inbox-my-note-md:{rest}");
    assert_eq!(
        shown,
        [
            json!([["A"], [id("h2-b-0002"), id("h2-b-0004")], true, 3]),
            json!([["A", "B"], [id("h3-c-0003")], true, 5]),
            json!([["A", "B", "C"], [], false, 9]),
            json!([["A", "B"], [], false, 11]),
            json!([[""], [], false, 13]),
        ]
    );
}

#[test]
fn texts_for_people() {
    let (_folder, vault) = vault(&[("n.md", "# A *b*\n## C\n\nx\n")]);
    assert_eq!(
        text(&vault, "note:outline path=n.md"),
        "# A b\th1-a-b-0001\n## C\th2-c-0002\n"
    );
    assert_eq!(text(&vault, "note:tree path=n.md"), "- A b\n  - C\n");
    assert_eq!(
        text(&vault, "note:section path=n.md"),
        "A b\th1-a-b-0001\nA b > C\th2-c-0002\n"
    );
}

#[test]
fn a_file_that_is_missing_or_no_note_is_an_error() {
    let (_folder, vault) = vault(&[("a.png", "")]);
    for command in tables::lines(CASES, "a file that is missing or no note") {
        for path in ["none.md", "a.png"] {
            fails(&vault, &format!("{command} path={path}"));
        }
    }
}
