//! Tags, properties, outlines and tasks.

use super::{all_exact, exact, list, read, refused};
use crate::{Reason, Shape};
use serde_json::{Value, json};

const CASES: &str = include_str!("metadata_cases.txt");

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn tags_and_properties() {
    all_exact(tables::text(CASES, "tags and properties"));
    let counted = list(&json!([{"tag": "#foo", "count": 3}]));
    assert_eq!(
        read(
            Shape::Tags,
            "counts format=json",
            "[{\"tag\":\"#foo\",\"count\":3}]\r\n"
        ),
        counted
    );
    exact(
        Shape::Tag,
        "name=alpha",
        "a.md\nb.md\n",
        &json!({"tag": "#alpha", "files": list(&json!([{"path": "a.md"}, {"path": "b.md"}]))}),
    );
    exact(
        Shape::Tag,
        "name=alpha verbose",
        "#alpha\t3\na.md\n",
        &json!({"tag": "#alpha", "count": 3, "files": list(&json!([{"path": "a.md"}]))}),
    );

    let frontmatter =
        json!({"properties": {"title": "A", "n": 1.5, "tags": ["a", "b"], "x": null}});
    exact(
        Shape::Properties,
        "path=a.md",
        "title: A\nn: 1.5\ntags:\n  - a\n  - b\nx:\n",
        &frontmatter,
    );
    exact(
        Shape::Properties,
        "path=a.md format=json",
        "{\n  \"title\": \"A\",\n  \"n\": 1.5,\n  \"tags\": [\n    \"a\",\n    \"b\"\n  ],\n  \"x\": null\n}\n",
        &frontmatter,
    );
    for words in ["path=a.md", "path=a.md format=json", "active format=tsv"] {
        exact(
            Shape::Properties,
            words,
            "No frontmatter found.\n",
            &json!({"properties": {}}),
        );
    }

    let value = |values: Value| json!({"name": "k", "values": values});
    exact(
        Shape::PropertyValue,
        "name=k",
        "draft\n",
        &value(json!(["draft"])),
    );
    exact(
        Shape::PropertyValue,
        "name=k",
        "a\n\nb\n",
        &value(json!(["a", "", "b"])),
    );
    exact(
        Shape::PropertyValue,
        "name=k",
        "(empty)\n",
        &value(json!([])),
    );
}

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn outline_and_tasks() {
    all_exact(tables::text(CASES, "outline and tasks"));

    let task = list(&json!([
        {"status": " ", "text": "- [ ] buy milk", "path": "2026-04-09.md", "line": 2}
    ]));
    assert_eq!(
        read(
            Shape::Tasks,
            "daily format=json",
            "[{\"status\":\" \",\"text\":\"- [ ] buy milk\",\"file\":\"2026-04-09.md\",\"line\":\"2\"}]\n"
        ),
        task
    );
    assert_eq!(
        refused(Shape::Tasks, "", "- [ ] a\nb\n"),
        (2, Reason::Pattern("- [ ] task"))
    );
}
